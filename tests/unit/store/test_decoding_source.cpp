#include "store/decoding_source.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include <staithe/transform.hpp>

#include <gtest/gtest.h>

#include "store/parts.hpp"
#include "store/reducing/reduction.hpp"

namespace staithe::store {
namespace {

/// Bytes that a source shows, or fetches, and what it was asked for.
class Watched final : public BlockSource {
  public:
    BlockRef keep(const std::vector<std::byte>& bytes, Encoding encoding) {
        const auto place = std::ssize(memory_);
        memory_.insert(memory_.end(), bytes.begin(), bytes.end());
        return {.encoding = encoding, .offset = place, .bytes = std::ssize(bytes)};
    }
    base::Result<std::optional<ArrayView>> view(const BlockRef& ref, const BlockDescription& block) override {
        return shows ? std::optional(block.view(memory_.data() + ref.offset)) : std::nullopt;
    }
    base::Result<> fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                         const MutableArrayView& destination) override {
        std::int64_t bytes = 0;
        for (const Piece& piece : pieces) {
            const BlockRef& ref = refs[piece.block];
            bytes += ref.bytes;
            array::copy(piece.overlap, destination, piece.description->view(memory_.data() + ref.offset));
        }
        fetched.push_back(bytes);
        return {};
    }
    base::Result<> reduce(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                          reducing::Reduction& into) override {
        reduced += pieces.size();
        for (const Piece& piece : pieces) {
            const ArrayView block = piece.description->view(memory_.data() + refs[piece.block].offset);
            into.add(piece.overlap.destination, slice(block, piece.overlap.source));
        }
        return {};
    }

    bool shows = false;
    std::vector<std::int64_t> fetched;  // bytes, each time
    std::size_t reduced = 0;            // pieces

  private:
    std::vector<std::byte> memory_;
};

/// Of one dimension.
struct Blocks {
    void add(Watched& to, std::span<const std::byte> elements, Dtype dtype, Encoding encoding) {
        std::vector<std::byte> bytes(elements.begin(), elements.end());
        const std::int64_t count = std::ssize(elements) / size_of(dtype);
        if (encoding == Encoding::payload) {
            bytes = codecs::encode(ArrayView::row_major(elements.data(), dtype, {count}));
        } else if (encoding == Encoding::parts) {
            const std::vector<StoredPart> parts{{std::ssize(elements), std::ssize(elements), false}};
            const PartPlaces places = places_of(parts);
            bytes.resize(static_cast<std::size_t>(places.bytes));
            write_head(bytes.data(), parts);
            std::ranges::copy(elements, bytes.begin() + places.places[0]);
        }
        refs.push_back(to.keep(bytes, encoding));
        BlockDescription& block = descriptions.emplace_back();
        block.variable = "T";
        block.dtype = dtype;
        block.shape = {1 << 30};
        block.box = {{elements_}, {count}};
        elements_ += count;
    }
    /// All of them, one after the other.
    [[nodiscard]] std::vector<Piece> pieces() const {
        std::vector<Piece> all;
        for (std::size_t i = 0; i < refs.size(); ++i) {
            const BlockDescription& block = descriptions[i];
            all.push_back({i, &block, {block.box, Selection::all(block.box.count)}});
        }
        return all;
    }

    std::vector<BlockRef> refs;
    std::vector<BlockDescription> descriptions;

  private:
    std::int64_t elements_ = 0;
};

class DecodingSourceTest : public ::testing::Test {
  protected:
    /// 0, 1, 2 ... in four blocks, of which every other one is encoded.
    void add_mixed() {
        values_.resize(400);
        std::iota(values_.begin(), values_.end(), 0.0);
        const auto bytes = std::as_bytes(std::span(values_));
        for (std::size_t i = 0; i < 4; ++i) {
            blocks_.add(*watched_, bytes.subspan(i * 800, 800), Dtype::f64,
                        i == 1   ? Encoding::payload
                        : i == 3 ? Encoding::parts
                                 : Encoding::raw);
        }
    }
    [[nodiscard]] std::vector<double> fetched() {
        std::vector<double> got(values_.size());
        const auto done = source_.fetch(blocks_.refs, blocks_.pieces(),
                                        MutableArrayView::row_major(got.data(), Dtype::f64, {std::ssize(got)}));
        EXPECT_TRUE(done) << done.error().message;
        return got;
    }

    const std::shared_ptr<Watched> watched_ = std::make_shared<Watched>();
    DecodingSource source_{watched_};
    Blocks blocks_;
    std::vector<double> values_;
};

TEST_F(DecodingSourceTest, DecodesWhereWhatIsStoredIsShown) {
    add_mixed();
    watched_->shows = true;
    EXPECT_EQ(fetched(), values_);
    EXPECT_EQ(watched_->fetched, (std::vector<std::int64_t>{1600})) << "the raw ones alone";
}

TEST_F(DecodingSourceTest, AsksOnceForRawOnesAndOnceForEncodedOnes) {
    add_mixed();
    EXPECT_EQ(fetched(), values_);
    EXPECT_EQ(watched_->fetched, (std::vector<std::int64_t>{1600, blocks_.refs[1].bytes + blocks_.refs[3].bytes}));
}

TEST_F(DecodingSourceTest, DoesNotHoldAllThatIsStoredAtOnce) {
    const std::vector<std::byte> block(std::size_t{40} << 20, std::byte{7});
    for (int i = 0; i < 2; ++i) {
        blocks_.add(*watched_, block, Dtype::u8, Encoding::parts);
    }
    std::vector<std::byte> got(2 * block.size());
    ASSERT_TRUE(source_.fetch(blocks_.refs, blocks_.pieces(),
                              MutableArrayView::row_major(got.data(), Dtype::u8, {std::ssize(got)})));
    EXPECT_EQ(watched_->fetched, (std::vector{blocks_.refs[0].bytes, blocks_.refs[1].bytes}));
    EXPECT_TRUE(std::ranges::all_of(got, [](std::byte byte) { return byte == std::byte{7}; }));
}

TEST_F(DecodingSourceTest, OwnersReduceWhatIsNotEncoded) {
    add_mixed();
    for (const bool shows : {false, true}) {
        watched_->shows = shows;
        watched_->reduced = 0;
        auto sum = reducing::Reduction::make("sum", Dtype::f64, Box::whole({400}), std::nullopt).value();
        ASSERT_TRUE(source_.reduce(blocks_.refs, blocks_.pieces(), sum));
        EXPECT_EQ(watched_->reduced, 2);
        const auto bytes = sum.take().value();
        double all = 0;
        ASSERT_EQ(bytes.size(), sizeof(all));
        std::memcpy(&all, bytes.data(), sizeof(all));
        EXPECT_EQ(all, 399 * 400 / 2);
    }
    EXPECT_EQ(watched_->fetched.size(), 1) << "both encoded ones, when they were not shown";
}

TEST_F(DecodingSourceTest, WhatNoBlockCanBeIsRefused) {
    add_mixed();
    blocks_.refs[3].bytes = INT64_MAX;
    blocks_.refs[3].offset = 0;
    std::vector<double> got(values_.size());
    const auto done = source_.fetch(blocks_.refs, blocks_.pieces(),
                                    MutableArrayView::row_major(got.data(), Dtype::f64, {std::ssize(got)}));
    EXPECT_EQ(done.error().code, ErrorCode::protocol);
}

}  // namespace
}  // namespace staithe::store
