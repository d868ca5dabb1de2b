#include "format/packing.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::format {
namespace {

using Bytes = std::vector<std::byte>;

class Packings : public ::testing::TestWithParam<Packing> {
  protected:
    void SetUp() override {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            values_[i] = static_cast<float>(std::sin(1e-3 * static_cast<double>(i)));
        }
        array_.packing = GetParam();
        array_.coding.bound = codecs::Bound::exact();
        const auto done = pack(chunk(), array_, packed_);
        if (!done && GetParam() == Packing::blosc) {
            GTEST_SKIP() << done.error().message;  // there is no c-blosc
        }
        ASSERT_TRUE(done) << done.error().message;
        part_ = {.box = {},
                 .path = {},
                 .packing = GetParam(),
                 .dtype = Dtype::f32,
                 .packed_shape = {40, 1000},
                 .packed_bytes = bytes()};
    }
    [[nodiscard]] ArrayView chunk() const { return ArrayView::row_major(values_.data(), Dtype::f32, {40, 1000}); }
    [[nodiscard]] std::int64_t bytes() const { return std::ssize(values_) * 4; }
    [[nodiscard]] std::span<const std::byte> written() const { return std::as_bytes(std::span(values_)); }

    std::vector<float> values_ = std::vector<float>(40'000);
    ArrayToStore array_;
    StoredPart part_;
    Bytes packed_;
};

INSTANTIATE_TEST_SUITE_P(All, Packings, ::testing::Values(Packing::blosc, Packing::payload));

TEST_P(Packings, ChunksAndPartsOfThemComeBack) {
    EXPECT_LT(std::ssize(packed_), bytes());
    Bytes all(static_cast<std::size_t>(bytes()));
    ASSERT_TRUE(unpack(part_, packed_, 0, all));
    EXPECT_TRUE(std::ranges::equal(all, written()));
    part_.offset = 4000;  // of a step in a chunk of several
    Bytes some(100);
    ASSERT_TRUE(unpack(part_, packed_, 77, some));
    EXPECT_TRUE(std::ranges::equal(some, written().subspan(4077, 100)));
}

TEST_P(Packings, WhatIsDamagedIsRefusedOrReadAsSomethingElse) {
    Bytes read(static_cast<std::size_t>(bytes()));
    StoredPart other = part_;
    for (const std::int64_t off : {-4, 4}) {
        other.packed_bytes = bytes() + off;
        Bytes of_another_size(static_cast<std::size_t>(other.packed_bytes));
        EXPECT_EQ(unpack(other, packed_, 0, of_another_size).error().code, ErrorCode::protocol);
    }
    if (GetParam() == Packing::payload) {
        other = part_;
        other.dtype = Dtype::i32;
        EXPECT_EQ(unpack(other, packed_, 0, read).error().code, ErrorCode::protocol);
        other = part_;
        other.packed_shape = {1000, 40};
        EXPECT_EQ(unpack(other, packed_, 0, read).error().code, ErrorCode::protocol);
    }
    for (const std::size_t length : {std::size_t{0}, std::size_t{15}, packed_.size() / 2, packed_.size() - 1}) {
        EXPECT_EQ(unpack(part_, std::span(packed_).first(length), 0, read).error().code, ErrorCode::protocol);
    }
    std::mt19937 random(11);
    for (int repeat = 0; repeat < 500; ++repeat) {
        Bytes damaged = packed_;
        const std::size_t among = repeat % 2 == 0 ? 64 : damaged.size();
        damaged[random() % among] = static_cast<std::byte>(random());
        static_cast<void>(unpack(part_, damaged, 0, read));
    }
}

}  // namespace
}  // namespace staithe::format
