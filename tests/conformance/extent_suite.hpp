// What every source of extents must do, whatever memory stands behind it.
//
// A new source shows that it conforms with a class of its own (see test_extents.cpp):
//
//     struct MySource {
//         std::unique_ptr<memory::ExtentSource> open();   // a fresh one; called once
//     };
//     INSTANTIATE_TYPED_TEST_SUITE_P(Mine, ExtentSourceSuite, MySource);
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "memory/extent_source.hpp"
#include "memory/pool.hpp"
#include "os/shared_memory.hpp"
#include "support/resource_limit.hpp"
#include "support/watchdog.hpp"

namespace staithe::testing {

inline std::int64_t pages(std::int64_t count) { return count * static_cast<std::int64_t>(os::page_size()); }

inline void fill(std::span<std::byte> memory, unsigned seed) {
    for (std::size_t i = 0; i < memory.size(); ++i) {
        memory[i] = static_cast<std::byte>((i * 2654435761U >> 11) + seed * 41);
    }
}
inline bool holds(std::span<const std::byte> memory, unsigned seed) {
    std::vector<std::byte> expected(memory.size());
    fill(expected, seed);
    return std::equal(memory.begin(), memory.end(), expected.begin());
}

template <class T>
class ExtentSourceSuite : public ::testing::Test {
  protected:
    [[nodiscard]] memory::ExtentSource& source() const { return *source_; }
    [[nodiscard]] std::unique_ptr<memory::ExtentSource> take_source() { return std::move(source_); }

    /// As a reader sees it: where there is a file, the bytes in it are those of the memory.
    void expect_readable(const memory::Extent& extent) const {
        if (!source_->file()) {
            return;
        }
        const auto file = os::duplicate_read_only(source_->file());
        ASSERT_TRUE(file) << file.error().message;
        const auto mapped = os::Mapping::map(*file, extent.offset, static_cast<std::int64_t>(extent.memory.size()),
                                             os::Access::read_only, os::Populate::no);
        ASSERT_TRUE(mapped) << mapped.error().message;
        EXPECT_EQ(std::memcmp(mapped->data(), extent.memory.data(), extent.memory.size()), 0);
    }

  private:
    Watchdog watchdog_;
    T made_;
    std::unique_ptr<memory::ExtentSource> source_ = made_.open();
};

TYPED_TEST_SUITE_P(ExtentSourceSuite);

TYPED_TEST_P(ExtentSourceSuite, AreWritableAndOfWholePages) {
    for (const std::int64_t length : {pages(1), pages(32), pages(3), std::int64_t{4} << 20}) {
        const auto extent = this->source().make(length);
        ASSERT_TRUE(extent) << extent.error().message;
        EXPECT_EQ(static_cast<std::int64_t>(extent->memory.size()), length);
        EXPECT_EQ(extent->offset % pages(1), 0);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(extent->memory.data()) % os::page_size(), 0U);
        fill(extent->memory, 1);
        EXPECT_TRUE(holds(extent->memory, 1));
        this->expect_readable(*extent);
    }
}

TYPED_TEST_P(ExtentSourceSuite, LieApartAndKeepTheirContent) {
    std::mt19937 random(5);
    std::map<std::int64_t, std::pair<memory::Extent, unsigned>> live;  // by offset
    for (unsigned turn = 0; turn < 200; ++turn) {
        if (live.size() < 12 && random() % 3 != 0) {
            const auto extent = this->source().make(pages(1 + random() % 20));
            ASSERT_TRUE(extent) << extent.error().message;
            const auto next = live.lower_bound(extent->offset);
            const auto end_of = [](const memory::Extent& of) {
                return of.offset + static_cast<std::int64_t>(of.memory.size());
            };
            ASSERT_TRUE(next == live.end() || end_of(*extent) <= next->first);
            ASSERT_TRUE(next == live.begin() || end_of(std::prev(next)->second.first) <= extent->offset);
            fill(extent->memory, turn);
            live.emplace(extent->offset, std::pair(*extent, turn));
        } else if (!live.empty()) {
            const auto victim = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
            this->source().give_back(victim->second.first);
            live.erase(victim);
        }
    }
    for (const auto& [offset, entry] : live) {
        EXPECT_TRUE(holds(entry.first.memory, entry.second));
        this->expect_readable(entry.first);
    }
}

TYPED_TEST_P(ExtentSourceSuite, WhatCannotBeHadIsAnErrorAndNothingElse) {
    const auto kept = this->source().make(pages(4)).value();
    fill(kept.memory, 7);
    const ResourceLimit limit(RLIMIT_FSIZE, 1 << 30);
    for (int i = 0; i < 3; ++i) {
        const auto refused = this->source().make(std::int64_t{1} << 60);
        ASSERT_FALSE(refused);
        EXPECT_TRUE(refused.error().code == ErrorCode::limit_reached || refused.error().code == ErrorCode::system);
        EXPECT_FALSE(refused.error().message.empty());
    }
    EXPECT_TRUE(this->source().make(pages(2)));
    EXPECT_TRUE(holds(kept.memory, 7));
}

TYPED_TEST_P(ExtentSourceSuite, MayBeMadeAndGivenBackFromSeveralThreads) {
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
            for (unsigned turn = 0; turn < 25; ++turn) {
                const auto extent = this->source().make(pages(1 + thread));
                ASSERT_TRUE(extent) << extent.error().message;
                fill(extent->memory, thread);
                EXPECT_TRUE(holds(extent->memory, thread));
                this->source().give_back(*extent);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

TYPED_TEST_P(ExtentSourceSuite, APoolStandsOnThem) {
    const auto pool = memory::Pool::create("conforming", this->take_source());
    std::vector<memory::Allocation> blocks;
    for (const std::int64_t bytes : {100, 70'000, 1'000'000, 64, 300'000}) {
        const auto block = pool->allocate(bytes);
        ASSERT_TRUE(block) << block.error().message;
        fill({block->data, static_cast<std::size_t>(bytes)}, static_cast<unsigned>(blocks.size()));
        blocks.push_back(*block);
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::span<const std::byte> memory{blocks[i].data, static_cast<std::size_t>(blocks[i].bytes)};
        EXPECT_TRUE(holds(memory, static_cast<unsigned>(i)));
        pool->free(blocks[i]);
    }
    const std::int64_t capacity = pool->capacity();
    EXPECT_TRUE(pool->allocate(1'000'000));
    EXPECT_EQ(pool->capacity(), capacity);
    pool->give_back(capacity);
    EXPECT_LT(pool->capacity(), capacity);
}

REGISTER_TYPED_TEST_SUITE_P(ExtentSourceSuite, AreWritableAndOfWholePages, LieApartAndKeepTheirContent,
                            WhatCannotBeHadIsAnErrorAndNothingElse, MayBeMadeAndGivenBackFromSeveralThreads,
                            APoolStandsOnThem);

}  // namespace staithe::testing
