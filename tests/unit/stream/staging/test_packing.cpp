#include "stream/staging/packing.hpp"

#include <algorithm>
#include <cstring>

#include <staithe/transform.hpp>

#include <gtest/gtest.h>

#include "store/decoding_source.hpp"

namespace staithe::stream {
namespace {

/// Shows bytes in memory.
class BytesInMemory final : public store::BlockSource {
  public:
    explicit BytesInMemory(const std::vector<std::byte>& memory) : memory_(memory) {}
    base::Result<std::optional<ArrayView>> view(const store::BlockRef& ref,
                                                const store::BlockDescription& block) override {
        return block.view(memory_.data() + ref.offset);
    }

  private:
    const std::vector<std::byte>& memory_;
};

/// Blocks of numbers that have come to where they were stowed: of the first one parts of 1,000 rows, of which every
/// other one came as a payload; the second one as it is; the third one, in Fortran order, as one payload.
class PackingTest : public ::testing::Test {
  protected:
    void SetUp() override {
        add({4000, 3}, false);
        add({0, 5}, false);
        add({77}, false);
        add({40, 50}, true);
        stowage_ = stow(blocks_).value();
        memory_.resize(static_cast<std::size_t>(stowage_.bytes));
        for (std::int64_t first = 0; first < 4000; first += 1000) {
            arrive(0, first * 24, {1000, 3}, first % 2000 == 0);
        }
        arrive(2, 0, {77}, false);
        arrive(3, 0, {50, 40}, true);
        std::ranges::reverse(sent_);  // in any order
    }
    void add(const Extents& count, bool column_major) {
        store::BlockDescription block;
        block.variable = "T";
        block.dtype = Dtype::f64;
        block.column_major = column_major;
        block.shape = count;
        block.box = Box::whole(count);
        blocks_.push_back({.store = 3, .offset = 1 << 20, .bytes = block.data_bytes()});
        descriptions_.push_back(block);
        auto& values = values_.emplace_back(static_cast<std::size_t>(block.data_bytes() / 8));
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<double>(i / 700);
        }
    }
    void arrive(std::size_t block, std::int64_t first, const Extents& shape, bool is_payload) {
        const std::byte* const from = reinterpret_cast<const std::byte*>(values_[block].data()) + first;
        const std::int64_t bytes = *volume(shape) * 8;
        std::vector<std::byte> come(from, from + bytes);
        if (is_payload) {
            come = codecs::encode(ArrayView::row_major(from, Dtype::f64, shape));
        }
        std::ranges::copy(come, memory_.begin() + stowage_.offsets[block] + first);
        sent_.push_back({block, first, bytes, static_cast<std::int64_t>(come.size()), is_payload});
    }
    void expect_all(const Packing& packing, const std::vector<std::byte>& memory) {
        store::DecodingSource source(std::make_shared<BytesInMemory>(memory));
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            const store::BlockDescription& block = descriptions_[i];
            const store::Piece piece{i, &block, {block.box, Selection::all(block.box.count)}};
            std::vector<double> got(values_[i].size());
            const ArrayView as = block.view(got.data());
            const auto fetched =
                source.fetch(packing.blocks, std::span(&piece, 1), {got.data(), as.dtype, as.shape, as.strides});
            ASSERT_TRUE(fetched) << fetched.error().message;
            EXPECT_EQ(got, values_[i]) << i;
        }
    }

    std::vector<store::BlockRef> blocks_;
    std::vector<store::BlockDescription> descriptions_;
    std::vector<std::vector<double>> values_;
    Stowage stowage_;
    std::vector<std::byte> memory_;
    std::vector<store::remote::Sent> sent_;
};

TEST_F(PackingTest, KeepsWhatCameAsItCame) {
    const auto packing = Packing::of(blocks_, stowage_, sent_).value();
    EXPECT_FALSE(packing.is_none());
    EXPECT_LT(packing.bytes, stowage_.bytes * 2 / 3);
    std::vector<std::byte> packed(static_cast<std::size_t>(packing.bytes));
    packing.carry_out(packed.data(), memory_.data());
    EXPECT_EQ(packing.blocks[0].encoding, store::Encoding::parts);
    EXPECT_EQ(packing.blocks[1].encoding, store::Encoding::raw);
    EXPECT_EQ(packing.blocks[2].encoding, store::Encoding::raw);
    EXPECT_EQ(packing.blocks[3].encoding, store::Encoding::parts);
    expect_all(packing, packed);
}

TEST_F(PackingTest, MayBeDoneWhereTheBlocksLie) {
    const auto packing = Packing::of(blocks_, stowage_, sent_).value();
    ASSERT_TRUE(packing.goes_in_place(stowage_.bytes));
    packing.carry_out(memory_.data(), memory_.data());
    expect_all(packing, memory_);
}

TEST_F(PackingTest, IsNoneOfWhatCameAsElements) {
    for (auto& each : sent_) {
        each.is_payload = false;
        each.bytes = each.data_bytes;
    }
    const auto packing = Packing::of(blocks_, stowage_, sent_).value();
    EXPECT_TRUE(packing.is_none());
    EXPECT_EQ(packing.bytes, stowage_.bytes);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        EXPECT_EQ(packing.blocks[i].offset, stowage_.offsets[i]);
        EXPECT_EQ(packing.blocks[i].bytes, blocks_[i].bytes);
    }
}

TEST_F(PackingTest, OfWhatSavesNothingTakesMoreRoomThanThereIs) {
    const Stowage stowage = stow({{.bytes = 8}, {.bytes = 8}}).value();
    const auto packing = Packing::of({{.bytes = 8}, {.bytes = 8}}, stowage,
                                     {{.block = 0, .data_bytes = 8, .bytes = 7, .is_payload = true},
                                      {.block = 1, .data_bytes = 8, .bytes = 8}})
                             .value();
    EXPECT_FALSE(packing.goes_in_place(stowage.bytes));
}

}  // namespace
}  // namespace staithe::stream
