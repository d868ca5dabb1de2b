#include "space/served/twin_source.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/bytes_in_a_map.hpp"

namespace staithe::space {
namespace {

using store::BlockRef;
using store::Piece;
using store::space::VersionBlock;

/// Servers of which some are gone.
class Servers final : public store::BlockSource {
  public:
    static constexpr std::uint32_t count = 3;
    testing::BytesInAMap bytes;
    std::set<std::uint32_t> gone;
    int fetches = 0;
    ErrorCode failure = ErrorCode::peer_lost;

    base::Result<> fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                         const MutableArrayView& destination) override {
        ++fetches;
        for (const Piece& piece : pieces) {
            if (gone.contains(refs[piece.block].store % count)) {
                return base::fail(failure, "server {} is gone", refs[piece.block].store % count);
            }
        }
        return bytes.fetch(refs, pieces, destination);
    }
};

/// Four blocks of a row of bytes each: with server 0, 1, 2 and 1.
class TwinSourceTest : public ::testing::Test {
  protected:
    TwinSourceTest() {
        for (const std::uint32_t server : {0U, 1U, 2U, 1U}) {
            const std::vector<std::byte> row(4, static_cast<std::byte>(blocks_.size() + 1));
            const auto place = static_cast<std::int64_t>(blocks_.size());
            const BlockRef ref = servers_->bytes.keep(3 + server, row);
            const BlockRef twin = servers_->bytes.keep(3 + (server + 1) % 3, row);
            blocks_.push_back(
                {.box = {{place, 0}, {1, 4}}, .ref = ref, .twin = store::space::BlockPlace{twin.store, twin.offset}});
        }
    }
    base::Result<> fetch() {
        TwinSource source(servers_, blocks_, Servers::count,
                          [this](std::span<const VersionBlock> blocks) -> base::Result<std::shared_ptr<BlockSource>> {
                              reached_ = blocks.size();
                              return servers_;
                          });
        std::vector<BlockRef> refs;
        std::vector<store::BlockDescription> descriptions;
        for (const VersionBlock& block : blocks_) {
            refs.push_back(block.ref);
            descriptions.push_back(
                {.variable = "T", .dtype = Dtype::u8, .shape = {4, 4}, .box = block.box, .unit = {}, .attributes = {}});
        }
        std::vector<Piece> pieces;
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            pieces.push_back({i, &descriptions[i], {blocks_[i].box, Selection(Box{{0, 0}, {1, 4}})}});
        }
        fetched_.assign(16, 0);
        return source.fetch(refs, pieces, MutableArrayView::row_major(fetched_.data(), Dtype::u8, {4, 4}));
    }
    static std::vector<std::uint8_t> all() { return {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4}; }

    using BlockSource = store::BlockSource;
    const std::shared_ptr<Servers> servers_ = std::make_shared<Servers>();
    std::vector<VersionBlock> blocks_;
    std::vector<std::uint8_t> fetched_;
    std::size_t reached_ = 0;  // blocks whose twins were asked for
};

TEST_F(TwinSourceTest, AsksNoTwinWhereEverybodyLives) {
    ASSERT_TRUE(fetch());
    EXPECT_EQ(fetched_, all());
    EXPECT_EQ(servers_->fetches, 1);
    EXPECT_EQ(reached_, 0U);
}

TEST_F(TwinSourceTest, WhatLayWithOneThatIsGoneComesFromTheOther) {
    for (const std::uint32_t gone : {0U, 1U, 2U}) {
        servers_->gone = {gone};
        const auto fetched = fetch();
        ASSERT_TRUE(fetched) << fetched.error().message;
        EXPECT_EQ(fetched_, all()) << gone;
        EXPECT_EQ(reached_, gone == 1 ? 2U : 1U);
    }
}

TEST_F(TwinSourceTest, WhereBothAreGoneItIsLost) {
    servers_->gone = {0, 1};
    const auto fetched = fetch();
    ASSERT_FALSE(fetched);
    EXPECT_EQ(fetched.error().code, ErrorCode::peer_lost);
}

TEST_F(TwinSourceTest, SoIsABlockWithoutATwin) {
    blocks_[3].twin = std::nullopt;
    servers_->gone = {2};
    EXPECT_TRUE(fetch());
    servers_->gone = {1};
    const auto fetched = fetch();
    ASSERT_FALSE(fetched);
    EXPECT_EQ(fetched.error().message, "server 1 is gone");
}

TEST_F(TwinSourceTest, OtherFailuresAreNoReasonToAskAnother) {
    servers_->gone = {1};
    servers_->failure = ErrorCode::protocol;
    const auto fetched = fetch();
    ASSERT_FALSE(fetched);
    EXPECT_EQ(fetched.error().code, ErrorCode::protocol);
    EXPECT_EQ(servers_->fetches, 1);
}

}  // namespace
}  // namespace staithe::space
