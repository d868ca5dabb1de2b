#include "format/packing.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "array/strided_copy.hpp"

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
        packed_.resize(done->size());
        part_ = {.box = {},
                 .path = {},
                 .packing = GetParam(),
                 .dtype = Dtype::f32,
                 .packed_shape = shape_,
                 .packed_bytes = bytes()};
    }
    [[nodiscard]] ArrayView chunk() const { return ArrayView::row_major(values_.data(), Dtype::f32, shape_); }
    static base::Result<> unpack_all(const StoredPart& part, std::span<const std::byte> packed, Bytes& read) {
        const Box whole = Box::whole(part.packed_shape);
        return unpack(part, packed, whole, MutableArrayView::row_major(read.data(), part.dtype, whole.count));
    }
    [[nodiscard]] std::int64_t bytes() const { return std::ssize(values_) * 4; }
    [[nodiscard]] std::span<const std::byte> written() const { return std::as_bytes(std::span(values_)); }

    const Extents shape_{10, 4, 40'000};  // what is next to each other along the first two lies in other blocks
    std::vector<float> values_ = std::vector<float>(1'600'000);
    ArrayToStore array_;
    StoredPart part_;
    Bytes packed_;
};

INSTANTIATE_TEST_SUITE_P(All, Packings, ::testing::Values(Packing::blosc, Packing::payload));

TEST_P(Packings, ChunksAndPartsOfThemComeBack) {
    EXPECT_LT(std::ssize(packed_), bytes());
    Bytes all(static_cast<std::size_t>(bytes()));
    ASSERT_TRUE(unpack_all(part_, packed_, all));
    EXPECT_TRUE(std::ranges::equal(all, written()));
    std::mt19937 random(5);
    for (int repeat = 0; repeat < 60; ++repeat) {
        Box box = Box::whole(shape_);
        for (std::size_t i = 0; i < box.dimensions(); ++i) {
            box.offset[i] = static_cast<std::int64_t>(random() % static_cast<unsigned>(shape_[i]));
            const std::int64_t most = repeat % 3 == 0 ? 3 : shape_[i];  // few together, or many
            box.count[i] = 1 + static_cast<std::int64_t>(random()) % std::min(shape_[i] - box.offset[i], most);
        }
        const auto count = static_cast<std::size_t>(volume(box.count).value());
        std::vector<float> expected(count), read(2 * count, -1.0F);
        array::copy(MutableArrayView::row_major(expected.data(), Dtype::f32, box.count),
                    slice(chunk(), Selection(box)));
        // Every second number of what is read to, or all of it.
        const std::int64_t step = 1 + repeat % 2;
        auto to = MutableArrayView::row_major(read.data(), Dtype::f32, box.count);
        for (std::size_t i = 0; i < to.dimensions(); ++i) {
            to.strides[i] *= step;
        }
        ASSERT_TRUE(unpack(part_, packed_, box, to));
        for (std::size_t i = 0; i < 2 * count; ++i) {
            const auto place = static_cast<std::size_t>(step) * i;
            const bool is_beside = step == 2 ? i % 2 == 1 : i >= count;
            ASSERT_TRUE(i >= count || read[place] == expected[i]) << to_string(box);
            ASSERT_TRUE(!is_beside || read[i] == -1.0F) << to_string(box);
        }
    }
}

TEST_P(Packings, OneStepOfSeveralInAChunkComesBack) {
    if (GetParam() == Packing::payload) {
        return;  // has one of a step
    }
    part_.packed_shape = {2, 4, 40'000};
    part_.offset = 3 * volume(part_.packed_shape).value() * 4;
    const Box some{{0, 1, 39'990}, {2, 3, 10}};
    std::vector<float> read(60);
    ASSERT_TRUE(unpack(part_, packed_, some, MutableArrayView::row_major(read.data(), Dtype::f32, some.count)));
    for (std::size_t i = 0; i < read.size(); ++i) {
        const std::size_t row = 3 * 2 * 4 + i / 30 * 4 + 1 + i / 10 % 3;
        ASSERT_EQ(read[i], values_[row * 40'000 + 39'990 + i % 10]);
    }
    part_.offset = 5 * volume(part_.packed_shape).value() * 4;
    EXPECT_EQ(
        unpack(part_, packed_, some, MutableArrayView::row_major(read.data(), Dtype::f32, some.count)).error().code,
        ErrorCode::protocol)
        << "there are no six steps";
}

TEST_P(Packings, WhatIsDamagedIsRefusedOrReadAsSomethingElse) {
    Bytes read(static_cast<std::size_t>(bytes()));
    StoredPart other = part_;
    for (const std::int64_t off : {-4, 4}) {
        other.packed_bytes = bytes() + off;
        EXPECT_EQ(unpack_all(other, packed_, read).error().code, ErrorCode::protocol);
    }
    if (GetParam() == Packing::payload) {
        other = part_;
        other.dtype = Dtype::i32;
        EXPECT_EQ(unpack_all(other, packed_, read).error().code, ErrorCode::protocol);
        other = part_;
        other.packed_shape = {4, 10, 40'000};
        EXPECT_EQ(unpack_all(other, packed_, read).error().code, ErrorCode::protocol);
    }
    for (const std::size_t length : {std::size_t{0}, std::size_t{15}, packed_.size() / 2, packed_.size() - 1}) {
        EXPECT_EQ(unpack_all(part_, std::span(packed_).first(length), read).error().code, ErrorCode::protocol);
    }
    std::mt19937 random(11);
    for (int repeat = 0; repeat < 200; ++repeat) {
        Bytes damaged = packed_;
        const std::size_t among = repeat % 2 == 0 ? 64 : damaged.size();
        damaged[random() % among] = static_cast<std::byte>(random());
        static_cast<void>(unpack_all(part_, damaged, read));
        const Box some{{3, 2, 1}, {6, 1, 90}};
        static_cast<void>(
            unpack(part_, damaged, some, MutableArrayView::row_major(read.data(), Dtype::f32, some.count)));
    }
}

}  // namespace
}  // namespace staithe::format
