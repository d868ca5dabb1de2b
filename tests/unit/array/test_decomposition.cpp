#include "array/decomposition.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::array {
namespace {

constexpr std::int64_t huge = std::int64_t{1} << 40;

const std::vector<Extents> shapes{
    {1}, {7}, {0}, {64}, {5, 9}, {1, 13}, {3, 0, 2}, {4, 4, 4}, {10, 3, 1, 2}, {2, 2, 2, 2, 2}, {17, 5}};

/// How often each element is in one of the parts.
void expect_each_element_once(const Extents& shape, const std::vector<Selection>& parts) {
    std::vector<int> times(static_cast<std::size_t>(volume(shape).value()));
    for (const Selection& part : parts) {
        ASSERT_TRUE(fits(part, shape)) << to_string(part);
        const std::int64_t elements = volume(shape_of(part)).value();
        for (std::int64_t element = 0; element < elements; ++element) {
            std::int64_t left = element;
            std::int64_t place = 0;
            std::int64_t stride = 1;
            for (std::size_t i = shape.size(); i-- > 0;) {
                place += (part[i].start + left % part[i].count * part[i].step) * stride;
                left /= part[i].count;
                stride *= shape[i];
            }
            ++times[static_cast<std::size_t>(place)];
        }
    }
    EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](int n) { return n == 1; }));
}

template <class Share>
void expect_partition(const Share& share) {
    for (const Extents& shape : shapes) {
        for (std::int64_t size = 1; size <= 13; ++size) {
            SCOPED_TRACE(to_string(shape) + " over " + std::to_string(size));
            std::vector<Selection> parts;
            for (std::int64_t rank = 0; rank < size; ++rank) {
                parts.push_back(Selection(share(shape, rank, size)));
            }
            expect_each_element_once(shape, parts);
        }
    }
}

TEST(Decomposition, BlocksArePartitions) { expect_partition(block_share); }

TEST(Decomposition, CountsArePartitions) { expect_partition(count_share); }

TEST(Decomposition, RoundsArePartitions) { expect_partition(round_share); }

TEST(Decomposition, GivesAScalarToEveryRank) {
    EXPECT_EQ(block_share({}, 2, 3), Box{});
    EXPECT_EQ(count_share({}, 2, 3), Box{});
    EXPECT_EQ(round_share({}, 2, 3), Selection{});
}

TEST(ProcessGrid, IsCloseToCubes) {
    EXPECT_EQ(process_grid({100, 100}, 4), (Extents{2, 2}));
    EXPECT_EQ(process_grid({99, 100}, 4), (Extents{2, 2}));
    EXPECT_EQ(process_grid({100, 100}, 6), (Extents{3, 2}));
    EXPECT_EQ(process_grid({100, 400}, 4), (Extents{1, 4}));
    EXPECT_EQ(process_grid({64, 64, 64}, 8), (Extents{2, 2, 2}));
    EXPECT_EQ(process_grid({32000, 3}, 4), (Extents{4, 1}));
    EXPECT_EQ(process_grid({huge, huge}, 8192), (Extents{128, 64}));
    EXPECT_EQ(process_grid({}, 4), Extents{});
}

TEST(ProcessGrid, UsesAsManyRanksAsFitTheShape) {
    EXPECT_EQ(process_grid({5, 5, 5}, 13), (Extents{3, 2, 2}));  // 13 slabs would leave eight ranks idle
    EXPECT_EQ(process_grid({2, 2}, 100), (Extents{2, 2}));
    EXPECT_EQ(process_grid({3, 1000}, 7), (Extents{1, 7}));
    EXPECT_EQ(process_grid({0, 1000}, 7), (Extents{1, 1}));
}

TEST(BalancedPart, DiffersByOneAtMost) {
    EXPECT_EQ(balanced_part(10, 0, 3), (Range{0, 4}));
    EXPECT_EQ(balanced_part(10, 1, 3), (Range{4, 3}));
    EXPECT_EQ(balanced_part(10, 2, 3), (Range{7, 3}));
    EXPECT_EQ(balanced_part(2, 2, 3), (Range{2, 0}));
    EXPECT_EQ(balanced_part(huge, 8191, 8192), (Range{huge - huge / 8192, huge / 8192}));
    EXPECT_EQ(process_share(4, 1, 2), (Range{2, 2}));
}

}  // namespace
}  // namespace staithe::array
