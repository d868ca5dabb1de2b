#include "memory/free_list.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::memory {
namespace {

TEST(FreeList, EmptyListGivesNothing) {
    FreeList list;
    EXPECT_FALSE(list.take(1));
    EXPECT_EQ(list.free_bytes(), 0);
}

TEST(FreeList, TakesFromTheSmallestRangeThatFits) {
    FreeList list;
    list.add_extent({0, 100});
    list.add_extent({200, 50});
    EXPECT_EQ(list.take(40), (Range{200, 40}));
    EXPECT_EQ(list.take(10), (Range{240, 10}));
    EXPECT_EQ(list.take(60), (Range{0, 60}));
    EXPECT_FALSE(list.take(60));
    EXPECT_EQ(list.free_bytes(), 40);
}

TEST(FreeList, TakesWhatWasGivenBackLastOfWhatFitsEquallyWell) {
    FreeList list;
    for (const std::int64_t offset : {0, 100, 200, 300}) {
        list.add_extent({offset, 100});
    }
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(list.take(100));  // 0, 100, 200
    }
    list.give_back({200, 100});
    list.give_back({0, 100});
    list.give_back({100, 100});
    EXPECT_EQ(list.take(100), (Range{100, 100}));
    EXPECT_EQ(list.take(60), (Range{0, 60}));
    EXPECT_EQ(list.take(100), (Range{200, 100}));
    EXPECT_EQ(list.take(100), (Range{300, 100})) << "what was never used is the coldest";
}

TEST(FreeList, NeighboursMergeButNotAcrossExtents) {
    FreeList list;
    list.add_extent({0, 100});
    list.add_extent({100, 100});
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(list.take(10));
    }
    for (std::int64_t offset = 0; offset < 200; offset += 20) {
        list.give_back({offset, 10});
    }
    EXPECT_FALSE(list.take(11));
    for (std::int64_t offset = 10; offset < 200; offset += 20) {
        list.give_back({offset, 10});
    }
    EXPECT_FALSE(list.take(101)) << "a block must not straddle two mappings";
    EXPECT_TRUE(list.take(100));
    EXPECT_TRUE(list.take(100));
}

TEST(FreeList, RemovesOnlyWhollyFreeExtents) {
    FreeList list;
    list.add_extent({0, 100});
    list.add_extent({100, 100});
    list.add_extent({200, 100});
    ASSERT_EQ(list.take(1), (Range{0, 1}));
    EXPECT_EQ(list.remove_free_extents(50), (std::vector<Range>{{100, 100}}));
    EXPECT_EQ(list.remove_free_extents(1000), (std::vector<Range>{{200, 100}}));
    EXPECT_TRUE(list.remove_free_extents(1000).empty());
    EXPECT_EQ(list.free_bytes(), 99);
    list.give_back({0, 1});
    EXPECT_EQ(list.take(100), (Range{0, 100}));
}

/// The oracle: an owner for every byte.
class Model {
  public:
    explicit Model(std::size_t bytes) : used_(bytes, true), extent_of_(bytes, -1) {}

    void add_extent(Range extent) {
        ++extents_;
        for (auto i = extent.offset; i < extent.end(); ++i) {
            used_[at(i)] = false;
            extent_of_[at(i)] = extents_;
        }
    }
    void set(Range range, bool used) {
        for (auto i = range.offset; i < range.end(); ++i) {
            ASSERT_NE(used_[at(i)], used);
            ASSERT_EQ(extent_of_[at(i)], extent_of_[at(range.offset)]);
            used_[at(i)] = used;
        }
    }
    /// Length of the smallest run of free bytes, within one extent, that has `length`; 0 if there is none.
    [[nodiscard]] std::int64_t best_fit(std::int64_t length) const {
        std::int64_t best = 0;
        for (std::size_t i = 0; i < used_.size();) {
            std::size_t end = i;
            while (end < used_.size() && !used_[end] && extent_of_[end] == extent_of_[i]) {
                ++end;
            }
            const auto run = static_cast<std::int64_t>(end - i);
            if (run >= length && (best == 0 || run < best)) {
                best = run;
            }
            i = std::max(end, i + 1);
        }
        return best;
    }
    /// The run of free bytes that begins at `offset`.
    [[nodiscard]] std::int64_t run_at(std::int64_t offset) const {
        std::int64_t length = 0;
        while (at(offset + length) < used_.size() && !used_[at(offset + length)] &&
               extent_of_[at(offset + length)] == extent_of_[at(offset)]) {
            ++length;
        }
        return length;
    }
    [[nodiscard]] std::int64_t free_bytes() const { return std::count(used_.begin(), used_.end(), false); }

  private:
    static std::size_t at(std::int64_t offset) { return static_cast<std::size_t>(offset); }
    std::vector<bool> used_;
    std::vector<int> extent_of_;
    int extents_ = 0;
};

class FreeListAgainstModel : public ::testing::TestWithParam<unsigned> {};

TEST_P(FreeListAgainstModel, GivesTheBestFitAndNeverTheSameByteTwice) {
    constexpr std::int64_t end = 400;
    FreeList list;
    Model model(end);
    std::mt19937 random(GetParam());
    std::int64_t known = 0;
    std::vector<Range> taken;
    for (int turn = 0; turn < 2000; ++turn) {
        const auto dice = random() % 10;
        if (dice == 0 && known < end) {
            const Range extent{known, std::min<std::int64_t>(1 + random() % 60, end - known)};
            list.add_extent(extent);
            model.add_extent(extent);
            known = extent.end();
        } else if (dice < 6) {
            const std::int64_t length = 1 + random() % 30;
            const std::int64_t best = model.best_fit(length);
            const auto range = list.take(length);
            ASSERT_EQ(range.has_value(), best > 0);
            if (range) {
                ASSERT_EQ(range->length, length);
                ASSERT_EQ(model.run_at(range->offset), best);
                ASSERT_NO_FATAL_FAILURE(model.set(*range, true));
                taken.push_back(*range);
            }
        } else if (!taken.empty()) {
            const std::size_t index = random() % taken.size();
            ASSERT_NO_FATAL_FAILURE(model.set(taken[index], false));
            list.give_back(taken[index]);
            taken[index] = taken.back();
            taken.pop_back();
        }
        ASSERT_EQ(list.free_bytes(), model.free_bytes());
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FreeListAgainstModel, ::testing::Range(1U, 9U));

}  // namespace
}  // namespace staithe::memory
