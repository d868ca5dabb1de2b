#include <staithe/box.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace staithe {
namespace {

constexpr std::int64_t huge = std::int64_t{1} << 40;
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

// The oracle: the elements themselves.
using Elements = std::set<std::vector<std::int64_t>>;

Elements elements_of(const Selection& selection) {
    Elements result{{}};
    for (const auto& [start, step, count] : selection) {
        Elements longer;
        for (auto index : result) {
            index.push_back(0);
            for (std::int64_t i = 0; i < count; ++i) {
                index.back() = start + i * step;
                longer.insert(index);
            }
        }
        result = longer;
    }
    return result;
}

Elements elements_of(const Box& box) { return elements_of(Selection(box)); }

TEST(Extents, HoldsUpToEightDimensions) {
    const Extents shape{1, 2, 3, 4, 5, 6, 7, 8};
    EXPECT_EQ(shape.size(), max_dimensions);
    EXPECT_EQ(shape[7], 8);
    EXPECT_THROW((Extents{1, 2, 3, 4, 5, 6, 7, 8, 9}), InvalidArgument);
    EXPECT_THROW(static_cast<void>(Extents::filled(9, 0)), InvalidArgument);
    const std::vector<std::int64_t> values{4, 5};
    EXPECT_EQ(Extents(std::span<const std::int64_t>(values)), (Extents{4, 5}));
}

TEST(Extents, ComparesOnlyWhatItHolds) {
    Extents shrunk{1, 2, 3};
    shrunk.resize(2);
    EXPECT_EQ(shrunk, (Extents{1, 2}));
    EXPECT_NE(shrunk, (Extents{1, 2, 0}));
    shrunk.resize(3);
    EXPECT_EQ(shrunk, (Extents{1, 2, 0}));
}

TEST(Volume, IsOneForAScalarAndZeroForNothing) {
    EXPECT_EQ(volume({}), 1);
    EXPECT_EQ(volume({3, 0, 5}), 0);
    EXPECT_EQ(volume({huge, 1 << 20}), std::int64_t{1} << 60);
}

TEST(Volume, NoticesOverflow) {
    EXPECT_EQ(volume({huge, huge}), std::nullopt);
    EXPECT_EQ(volume({largest, 2}), std::nullopt);
    EXPECT_EQ(volume({largest, 1}), largest);
    EXPECT_EQ(volume({huge, huge, 0}), 0);
    EXPECT_EQ(volume({2, -1}), std::nullopt);
    EXPECT_EQ(volume({0, -1}), std::nullopt);
}

TEST(Fits, ChecksBoxes) {
    EXPECT_TRUE(fits(Box{}, {}));
    EXPECT_TRUE(fits(Box{{huge - 1}, {1}}, {huge}));
    EXPECT_TRUE(fits(Box{{huge}, {0}}, {huge}));
    EXPECT_FALSE(fits(Box{{huge - 1}, {2}}, {huge}));
    EXPECT_FALSE(fits(Box{{largest}, {largest}}, {huge}));
    EXPECT_FALSE(fits(Box{{-1}, {2}}, {huge}));
    EXPECT_FALSE(fits(Box{{0}, {-1}}, {huge}));
    EXPECT_FALSE(fits(Box{{0, 0}, {1, 1}}, {huge}));
    EXPECT_FALSE(fits(Box{{0}, {1, 1}}, {1, 1}));
}

TEST(Fits, ChecksSelections) {
    EXPECT_TRUE(fits(Selection{}, {}));
    EXPECT_TRUE(fits(Selection{{9, -3, 4}}, {10}));
    EXPECT_FALSE(fits(Selection{{9, -3, 5}}, {10}));
    EXPECT_TRUE(fits(Selection{{0, 3, 4}}, {10}));
    EXPECT_FALSE(fits(Selection{{1, 3, 4}}, {10}));
    EXPECT_FALSE(fits(Selection{{0, 0, 1}}, {10}));
    EXPECT_FALSE(fits(Selection{{0, 1, -1}}, {10}));
    EXPECT_TRUE(fits(Selection{{77, 1, 0}}, {10}));
    EXPECT_TRUE(fits(Selection{{3, smallest, 1}}, {10}));
    EXPECT_FALSE(fits(Selection{{3, smallest, 2}}, {10}));
    EXPECT_FALSE(fits(Selection{{3, largest, largest}}, {10}));
}

TEST(Intersect, OfEightDimensionsAndHugeShapes) {
    const Box a{Extents::filled(8, huge), Extents::filled(8, huge)};
    const Box b{Extents::filled(8, huge + 5), Extents::filled(8, huge)};
    const Box common{Extents::filled(8, huge + 5), Extents::filled(8, huge - 5)};
    EXPECT_EQ(intersect(a, b), common);
    EXPECT_EQ(intersect(a, Box{{0}, {1}}), std::nullopt);
    EXPECT_EQ(intersect(Box{}, Box{}), Box{});
}

TEST(Algebra, AgreesWithCountingElements) {
    constexpr unsigned seed = 20240611;
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto draw = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    for (int round = 0; round < 3000; ++round) {
        const auto dimensions = static_cast<std::size_t>(draw(0, 3));
        Box a;
        Box b;
        Selection selection;
        for (std::size_t i = 0; i < dimensions; ++i) {
            a.offset.push_back(draw(0, 6));
            a.count.push_back(draw(0, 5));
            b.offset.push_back(draw(0, 6));
            b.count.push_back(draw(0, 3));
            const std::int64_t step = draw(0, 1) == 0 ? draw(1, 4) : -draw(1, 4);
            const std::int64_t count = draw(0, 4);
            selection.push_back({step > 0 ? draw(0, 4) : -step * 4 + draw(0, 4), step, count});
        }
        SCOPED_TRACE(to_string(a) + " " + to_string(b) + " " + to_string(selection));
        const Elements in_a = elements_of(a);
        const Elements in_b = elements_of(b);
        Elements in_both;
        std::set_intersection(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(),
                              std::inserter(in_both, in_both.end()));
        const auto common = intersect(a, b);
        ASSERT_EQ(common.has_value(), !in_both.empty());
        if (common) {
            ASSERT_EQ(elements_of(*common), in_both);
        }
        ASSERT_EQ(contains(a, b), in_both == in_b);
        ASSERT_EQ(is_empty(a), in_a.empty());
        ASSERT_EQ(volume(a.count), static_cast<std::int64_t>(in_a.size()));

        const Elements chosen = elements_of(selection);
        const Box around = bounding_box(selection);
        ASSERT_EQ(is_empty(selection), chosen.empty());
        ASSERT_EQ(is_empty(around), chosen.empty());
        for (std::size_t i = 0; i < dimensions && !chosen.empty(); ++i) {
            const auto [low, high] = std::minmax_element(chosen.begin(), chosen.end(),
                                                         [i](const auto& x, const auto& y) { return x[i] < y[i]; });
            ASSERT_EQ(around.offset[i], (*low)[i]);
            ASSERT_EQ(around.count[i], (*high)[i] - (*low)[i] + 1);
        }
        if (const auto box = as_box(selection)) {
            ASSERT_EQ(elements_of(*box), chosen);
            ASSERT_EQ(box->count, shape_of(selection));
        }
    }
}

TEST(ToString, ReadsLikeASlice) {
    EXPECT_EQ(to_string(Extents{100, 6}), "(100, 6)");
    EXPECT_EQ(to_string(Extents{}), "()");
    EXPECT_EQ(to_string(Box{{0, 3}, {100, 3}}), "[0:100, 3:6]");
    EXPECT_EQ(to_string(Box{}), "[]");
    EXPECT_EQ(to_string(Selection{{0, 2, 5}, {9, -1, 10}, {9, -2, 4}}), "[0:9:2, 9::-1, 9:2:-2]");
}

}  // namespace
}  // namespace staithe
