#include "store/remote/strided.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <staithe/array_view.hpp>

#include "unit/store/remote/some_runs.hpp"

namespace staithe::store::remote {
namespace {

TEST(Runs, OfADenseArrayAreOne) {
    const Extents shape{3, 4, 5};
    const Runs whole = runs_of(8, shape, row_major_strides(shape, 8));
    EXPECT_TRUE(whole.loops.empty());
    EXPECT_EQ(whole.run, 8 * 60);
}

TEST(Runs, OfColumnsAreOnePerRow) {
    const Runs columns = runs_of(8, {3, 4, 2}, {160, 40, 8});
    EXPECT_EQ(columns.run, 16);
    ASSERT_EQ(columns.loops.size(), 1) << "the outer loop continues the inner one";
    EXPECT_EQ(columns.loops[0].count, 12);
    EXPECT_EQ(columns.loops[0].stride, 40);
    EXPECT_EQ(columns.bytes(), 8 * 24);
}

TEST(Runs, FitWhereTheyLieInOrderWithinTheBlock) {
    EXPECT_TRUE(fit(runs(0, 100, {}), 100));
    EXPECT_TRUE(fit(runs(20, 10, {{8, 10}}), 100));
    EXPECT_TRUE(fit(runs(0, 1, {{2, 50}, {5, 10}}), 100));
    constexpr std::int64_t huge = INT64_MAX;
    for (const Runs& wrong :
         {runs(-1, 1, {}), runs(0, 0, {}), runs(0, -1, {}), runs(1, 100, {}), runs(0, huge, {}), runs(huge, huge, {}),
          runs(huge, 1, {}), runs(21, 10, {{8, 10}}), runs(0, 10, {{8, 9}}), runs(0, 10, {{8, -10}}),
          runs(0, 10, {{0, 10}}), runs(0, 10, {{-1, 10}}), runs(0, 1, {{huge, 1}}), runs(0, 1, {{2, huge}}),
          runs(0, 1, {{huge, huge}}), runs(0, 1, {{2, 10}, {2, 20}}), runs(0, 1, {{huge, 1}, {huge, 1}, {huge, 1}}),
          runs(0, 1, {{INT64_MIN, INT64_MIN}})}) {
        EXPECT_FALSE(fit(wrong, 100)) << wrong.first << ' ' << wrong.run;
    }
    EXPECT_TRUE(fit(runs(0, 1, {{huge, 1}}), huge));
    EXPECT_FALSE(fit(runs(1, 1, {{huge, 1}}), huge));
    EXPECT_FALSE(fit(runs(0, 1, {}), 0));
}

TEST(Runs, InAnyOrderLieInTheBlockOrNot) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    const auto range = [](const Runs& runs, std::int64_t size) {
        const auto lie = lie_in(runs, size);
        return lie ? std::pair(lie->first, lie->bytes) : std::pair<std::int64_t, std::int64_t>(-1, -1);
    };
    const std::pair<std::int64_t, std::int64_t> outside(-1, -1);
    EXPECT_EQ(range(runs(0, 8, {}), 8), std::pair(0L, 8L));
    EXPECT_EQ(range(runs(8, 8, {{1000, 0}}), 16), std::pair(8L, 8L));
    EXPECT_EQ(range(runs(40, 8, {{3, -8}, {2, 16}}), 64), std::pair(24L, 40L));
    EXPECT_EQ(range(runs(40, 8, {{3, -8}, {2, 16}}), 63), outside);
    EXPECT_EQ(range(runs(8, 8, {{3, -8}}), 64), outside);
    EXPECT_EQ(range(runs(-8, 8, {{3, 8}}), 64), outside);
    EXPECT_EQ(range(runs(0, 8, {{2, 64}}), 64), outside);
    for (const auto& fitting :
         {runs(0, 64, {}), runs(0, 8, {{1, 64}}), runs(0, 8, {{8, 8}}), runs(8, 8, {{1, 64}, {2, 16}})}) {
        EXPECT_TRUE(fit(fitting, 64));
        EXPECT_NE(range(fitting, 64), outside);
    }
    for (const std::int64_t size : {std::int64_t{64}, most}) {
        for (const std::int64_t count : {least, std::int64_t{-1}, std::int64_t{0}, std::int64_t{2}, most}) {
            for (const std::int64_t stride : {least, -most, -most / 2, most / 2, most}) {
                for (const std::int64_t first : {std::int64_t{0}, most / 2, most - 8}) {
                    const auto lie = lie_in(runs(first, 8, {{count, stride}, {count, stride}, {2, most / 2}}), size);
                    EXPECT_TRUE(!lie || (lie->first >= 0 && lie->bytes <= size - lie->first));
                }
            }
        }
    }
}

TEST(Runs, AreLaidOutFromAnywhereInAnyNumberOfParts) {
    std::vector<std::byte> memory(1000);
    const Runs some = runs(7, 5, {{3, 300}, {4, 40}, {2, 10}});
    ASSERT_TRUE(fit(some, 1000));
    std::vector<std::byte*> expected;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 4; ++k) {
            for (int l = 0; l < 2; ++l) {
                for (int b = 0; b < 5; ++b) {
                    expected.push_back(memory.data() + 7 + i * 300 + k * 40 + l * 10 + b);
                }
            }
        }
    }
    ASSERT_EQ(some.bytes(), static_cast<std::int64_t>(expected.size()));
    std::mt19937 random(1);
    for (int repeat = 0; repeat < 100; ++repeat) {
        std::vector<std::byte*> got;
        while (static_cast<std::int64_t>(got.size()) < some.bytes()) {
            std::array<std::span<std::byte>, 4> parts;
            const auto room = std::span(parts).first(1 + random() % parts.size());
            const auto most = static_cast<std::int64_t>(1 + random() % 30);
            const Laid laid = lay_out(some, memory.data(), static_cast<std::int64_t>(got.size()), most, room);
            ASSERT_GE(laid.parts, 1U);
            ASSERT_LE(laid.bytes, most);
            std::int64_t bytes = 0;
            for (const auto& part : room.first(laid.parts)) {
                for (std::byte& byte : part) {
                    got.push_back(&byte);
                    ++bytes;
                }
            }
            ASSERT_EQ(bytes, laid.bytes);
        }
        ASSERT_EQ(got, expected);
    }
}

TEST(Batches, CoverAnArrayInOrderAndAreNoLargerThanAsked) {
    for (const Extents& shape : {Extents{}, Extents{1}, Extents{17}, Extents{4, 5}, Extents{3, 1, 7, 2}}) {
        const std::int64_t all = volume(shape).value();
        const Extents strides = row_major_strides(shape, 1);
        for (std::int64_t most = 1; most <= all + 1; ++most) {
            std::int64_t reached = 0;
            for (Batches batches(shape, most); batches.now(); batches.next()) {
                const auto& [offset, count] = *batches.now();
                std::int64_t start = 0;
                for (std::size_t i = 0; i < offset.size(); ++i) {
                    start += offset[i] * strides[i];
                }
                ASSERT_EQ(start, reached) << to_string(shape) << ' ' << most;
                ASSERT_LE(volume(count).value(), most);
                ASSERT_TRUE(contains(Box::whole(shape), *batches.now()));
                reached += volume(count).value();
            }
            ASSERT_EQ(reached, all) << to_string(shape) << ' ' << most;
        }
    }
}

}  // namespace
}  // namespace staithe::store::remote
