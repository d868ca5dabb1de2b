#include "stream/writing/spill_coding.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "support/noise.hpp"
#include "transform/coding.hpp"

namespace staithe::stream {
namespace {

constexpr std::int64_t count = 1 << 18;

store::BlockDescription description() {
    store::BlockDescription block;
    block.variable = "T";
    block.dtype = Dtype::f64;
    block.shape = block.box.count = {count};
    block.box.offset = {0};
    return block;
}

class SpillCodingTest : public ::testing::Test {
  protected:
    SpillCodingTest() {
        for (std::size_t i = 0; i < smooth_.size(); ++i) {
            smooth_[i] = std::floor(100.0 * std::sin(static_cast<double>(i) * 1e-3));
        }
    }
    /// How many of so many blocks are encoded, on a disk that takes so many bytes a second.
    int encoded(const void* values, double bytes_a_second, int blocks = 50, bool has_room = true) {
        int times = 0;
        const ArrayView block = ArrayView::row_major(values, Dtype::f64, {count});
        for (int i = 0; i < blocks; ++i) {
            const auto payload = coding_.encode(block, description(), has_room);
            const std::int64_t bytes = payload ? std::ssize(*payload) : count * 8;
            coding_.wrote(bytes, base::Seconds(static_cast<double>(bytes) / bytes_a_second));
            if (payload) {
                ++times;
                std::vector<double> back(count);
                EXPECT_TRUE(transform::decode(*payload, MutableArrayView::row_major(back.data(), Dtype::f64, {count})));
                EXPECT_EQ(std::memcmp(back.data(), values, count * 8), 0);
            }
        }
        return times;
    }

    std::vector<double> smooth_ = std::vector<double>(count);
    const std::vector<std::byte> noise_ = testing::noise(count * 8);

  private:
    SpillCoding coding_;
};

TEST_F(SpillCodingTest, BlocksGoAsTheyAreWhereTheDiskIsFast) { EXPECT_LE(encoded(smooth_.data(), 1e11), 5); }

TEST_F(SpillCodingTest, BlocksAreEncodedWhereTheDiskIsSlow) {
    EXPECT_EQ(encoded(smooth_.data(), 1e11, 1), 0) << "nothing is known of the disk yet";
    EXPECT_GE(encoded(smooth_.data(), 1e6), 40);
}

TEST_F(SpillCodingTest, WhatBecomesNoSmallerIsSeldomTried) { EXPECT_LE(encoded(noise_.data(), 1e6), 10); }

TEST_F(SpillCodingTest, AllIsEncodedWhereLittleRoomIsLeft) {
    EXPECT_EQ(encoded(smooth_.data(), 1e11, 10, false), 10);
    EXPECT_EQ(encoded(noise_.data(), 1e11, 10, false), 10);
}

TEST_F(SpillCodingTest, ADiskThatBecomesSlowerIsNoticed) {
    EXPECT_LE(encoded(smooth_.data(), 1e11), 5);
    EXPECT_GE(encoded(smooth_.data(), 1e6), 35);
}

}  // namespace
}  // namespace staithe::stream
