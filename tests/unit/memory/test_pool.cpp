#include "memory/pool.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <future>
#include <map>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/budget.hpp"
#include "memory/extents/own_memory.hpp"
#include "memory/sources.hpp"
#include "support/child_process.hpp"
#include "support/sanitizers.hpp"
#include "support/watchdog.hpp"

namespace staithe::memory {
namespace {

class PoolTest : public ::testing::Test {
  protected:
    [[nodiscard]] Pool& pool() const { return *pool_; }

    /// Waits until the preparer has made that much.
    void await_capacity(std::int64_t bytes) const {
        while (pool_->capacity() < bytes) {
            std::this_thread::yield();
        }
    }
    /// Bytes that the kernel has given to the pool's file.
    [[nodiscard]] std::int64_t resident() const {
        struct stat status{};
        EXPECT_EQ(::fstat(pool_->file().get(), &status), 0);
        return static_cast<std::int64_t>(status.st_blocks) * 512;
    }

    /// A forked process needs a pool of its own.
    void renew() { pool_ = open_pool("test").value(); }

  private:
    testing::Watchdog watchdog_;
    std::shared_ptr<Pool> pool_ = open_pool("test").value();
};

void fill(const Allocation& block, unsigned char value) {
    std::memset(block.data, value, static_cast<std::size_t>(block.bytes));
}
bool holds(const Allocation& block, unsigned char value) {
    const auto* first = reinterpret_cast<const unsigned char*>(block.data);
    return std::all_of(first, first + block.bytes, [&](unsigned char byte) { return byte == value; });
}

TEST_F(PoolTest, BlocksAreAlignedAndWritable) {
    for (const std::int64_t bytes : {0, 1, 63, 64, 65, 4096, 65536, 65537, 100000, 1 << 20}) {
        const Allocation block = pool().allocate(bytes).value();
        EXPECT_EQ(block.bytes, bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data) % 64, 0U);
        if (bytes > Pool::small_limit) {
            EXPECT_EQ(block.offset % static_cast<std::int64_t>(os::page_size()), 0);
        }
        fill(block, 7);
        EXPECT_TRUE(holds(block, 7));
    }
}

TEST_F(PoolTest, RefusesSizesThatCannotBe) {
    EXPECT_EQ(pool().allocate(-1).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(pool().allocate(INT64_MAX).error().code, ErrorCode::invalid_argument);
}

TEST_F(PoolTest, OffsetsAreThoseOfTheFile) {
    std::vector<Allocation> blocks;
    for (const std::int64_t bytes : {100, 70000, 300, 200000}) {
        blocks.push_back(pool().allocate(bytes).value());
        fill(blocks.back(), static_cast<unsigned char>(blocks.size()));
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        std::vector<std::byte> read(static_cast<std::size_t>(blocks[i].bytes));
        ASSERT_EQ(::pread(pool().file().get(), read.data(), read.size(), blocks[i].offset), blocks[i].bytes);
        EXPECT_TRUE(std::all_of(read.begin(), read.end(), [&](std::byte b) { return b == std::byte(i + 1); }));
    }
}

TEST_F(PoolTest, LiveBlocksNeverOverlapAndKeepTheirContent) {
    std::mt19937 random(3);
    std::map<std::int64_t, std::pair<Allocation, unsigned char>> live;  // by offset
    const auto size = [&]() -> std::int64_t {
        switch (random() % 4) {
            case 0: return random() % 200;
            case 1: return random() % 70000;
            case 2: return 65536 + random() % 3;
            default: return random() % 400000;
        }
    };
    for (int turn = 0; turn < 1500; ++turn) {
        if (live.size() < 30 && random() % 5 < 3) {
            const Allocation block = pool().allocate(size()).value();
            const auto value = static_cast<unsigned char>(random());
            const auto next = live.lower_bound(block.offset);
            ASSERT_TRUE(next == live.end() || block.offset + std::max<std::int64_t>(block.bytes, 1) <= next->first);
            ASSERT_TRUE(next == live.begin() ||
                        std::prev(next)->second.first.bytes + std::prev(next)->first <= block.offset);
            fill(block, value);
            live.emplace(block.offset, std::pair(block, value));
        } else if (!live.empty()) {
            const auto victim = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
            ASSERT_TRUE(holds(victim->second.first, victim->second.second));
            pool().free(victim->second.first);
            live.erase(victim);
        }
    }
    for (const auto& [offset, entry] : live) {
        EXPECT_TRUE(holds(entry.first, entry.second));
    }
}

TEST_F(PoolTest, CapacityStaysFlatWhenSizesRepeat) {
    std::int64_t capacity = 0;
    for (int step = 0; step < 50; ++step) {
        std::vector<Allocation> blocks;
        for (const std::int64_t bytes : {100, 100, 5000, 64000, 100000, 3000000}) {
            blocks.push_back(pool().allocate(bytes).value());
        }
        for (const Allocation& block : blocks) {
            pool().free(block);
        }
        capacity = step == 0 ? pool().capacity() : capacity;
        ASSERT_EQ(pool().capacity(), capacity);
    }
}

TEST_F(PoolTest, SlowlyGrowingBlocksReplaceTheirMemory) {
    std::int64_t bytes = 1 << 20;
    for (int step = 0; step < 200; ++step) {
        const Allocation block = pool().allocate(bytes).value();
        pool().free(block);
        bytes += 5000;
    }
    EXPECT_LE(2 * pool().capacity(), 5 * bytes);
    EXPECT_LE(2 * resident(), 5 * bytes) << "what was dropped is given back to the system";
}

/// What is attached to an extent: it looks at that memory once more as it goes.
struct LastLook {
    LastLook(std::span<std::byte> extent, std::vector<std::byte>& seen) : extent(extent), seen(seen) {}
    LastLook(const LastLook&) = delete;
    LastLook& operator=(const LastLook&) = delete;
    ~LastLook() { seen.push_back(extent.front()); }

    std::span<std::byte> extent;
    std::vector<std::byte>& seen;
};

TEST_F(PoolTest, WhatIsAttachedToAnExtentGoesJustBeforeIt) {
    std::vector<std::byte> seen;
    std::vector<std::span<std::byte>> extents;
    const auto look = [&](std::span<std::byte> extent) -> std::shared_ptr<void> {
        extents.push_back(extent);
        return std::make_shared<LastLook>(extent, seen);
    };
    const Allocation large = pool().allocate(1 << 20).value();
    const Allocation small = pool().allocate(100).value();
    const Allocation neighbour = pool().allocate(200).value();
    fill(large, 1);
    fill(small, 2);
    for (const Allocation& block : {large, small, neighbour, large}) {
        pool().attach(block, look);
    }
    ASSERT_EQ(extents.size(), 2U) << "once for each extent: small blocks share one";
    EXPECT_EQ(extents[0].data(), large.data);
    EXPECT_LE(extents[1].data(), small.data);
    pool().free(large);
    EXPECT_EQ(seen, std::vector<std::byte>{});
    pool().give_back(1 << 20);
    EXPECT_EQ(seen, std::vector<std::byte>{std::byte{1}});
    renew();
    EXPECT_EQ(seen, (std::vector<std::byte>{std::byte{1}, std::byte{2}}));
}

TEST_F(PoolTest, ChangingSmallSizesShareOneMemory) {
    for (int round = 0; round < 20; ++round) {
        std::vector<Allocation> blocks;
        for (int i = 0; i < 100; ++i) {
            blocks.push_back(pool().allocate(64 * (1 + round)).value());
        }
        for (const Allocation& block : blocks) {
            pool().free(block);
        }
    }
    EXPECT_LE(pool().capacity(), 1 << 20);
}

TEST_F(PoolTest, WhatIsFreeIsHadWithoutMakingMore) {
    for (const std::int64_t bytes : {std::int64_t{1} << 10, std::int64_t{1} << 20}) {
        const Allocation first = pool().allocate(bytes).value();
        pool().free(first);
        const std::int64_t capacity = pool().capacity();
        const auto again = pool().allocate_free(bytes);
        ASSERT_TRUE(again);
        EXPECT_EQ(again->offset, first.offset);
        EXPECT_EQ(again->bytes, bytes);
        EXPECT_FALSE(pool().allocate_free(capacity + 1));
        EXPECT_EQ(pool().capacity(), capacity);
        pool().free(*again);
    }
}

TEST_F(PoolTest, WhatSmallBlocksSharedIsGivenBackAlone) {
    const Allocation large = pool().allocate(1 << 20).value();
    pool().free(large);
    const std::int64_t capacity = pool().capacity();
    std::vector<Allocation> small;
    for (int i = 0; i < 1000; ++i) {
        small.push_back(pool().allocate(1 << 10).value());
    }
    pool().give_back_small();
    EXPECT_GE(pool().capacity(), (1 << 20) + 1000 * (1 << 10)) << "those that are used stay";
    std::ranges::for_each(small, [this](const Allocation& block) { pool().free(block); });
    pool().give_back_small();
    EXPECT_LE(pool().capacity(), capacity);
    EXPECT_EQ(pool().allocate_free(1 << 20)->offset, large.offset);
}

TEST_F(PoolTest, PreparedMemoryIsUsedAndNotDoubled) {
    constexpr std::int64_t bytes = 1 << 20;
    const std::int64_t for_small_blocks = pool().capacity();
    pool().prepare(bytes, 2);
    await_capacity(for_small_blocks + 2 * bytes);
    const Allocation a = pool().allocate(bytes).value();
    const Allocation b = pool().allocate(bytes).value();
    EXPECT_NE(a.offset, b.offset);
    EXPECT_EQ(pool().capacity(), for_small_blocks + 2 * bytes);
}

TEST_F(PoolTest, AllocatingBeforeThePreparerIsDoneLeavesNoExtraMemory) {
    constexpr std::int64_t bytes = 1 << 20;
    for (int round = 0; round < 20; ++round) {
        const auto fresh = open_pool("round").value();
        const std::int64_t for_small_blocks = fresh->capacity();
        fresh->prepare(bytes, 2);
        ASSERT_TRUE(fresh->allocate(bytes));
        ASSERT_TRUE(fresh->allocate(bytes));
        ASSERT_TRUE(fresh->allocate(bytes));  // the preparer is through by now, or has nothing to do
        EXPECT_EQ(fresh->capacity(), for_small_blocks + 3 * bytes);
    }
}

/// Keeps whoever makes a long extent first waiting until it is let go, as a file system does that has died.
class StuckOnce final : public ExtentSource {
  public:
    StuckOnce(std::unique_ptr<ExtentSource> source, std::shared_future<void> let_go)
        : source_(std::move(source)), let_go_(std::move(let_go)) {}
    base::Result<Extent> make(std::int64_t length) override {
        if (length > Pool::small_limit * 2 && !stuck_.exchange(true)) {
            let_go_.wait();
        }
        return source_->make(length);
    }
    void give_back(const Extent& extent) override { source_->give_back(extent); }
    [[nodiscard]] const os::FileDescriptor& file() const override { return source_->file(); }
    [[nodiscard]] bool is_stuck() const { return stuck_; }

  private:
    const std::unique_ptr<ExtentSource> source_;
    const std::shared_future<void> let_go_;
    std::atomic<bool> stuck_{false};
};

TEST_F(PoolTest, WritersDoNotWaitForAPreparerThatIsStuck) {
    std::promise<void> let_go;
    auto source = std::make_unique<StuckOnce>(own_memory("stuck").value(), let_go.get_future().share());
    const StuckOnce& observed = *source;
    const auto stuck = Pool::create("stuck", std::move(source));
    stuck->prepare(1 << 20, 1);
    while (!observed.is_stuck()) {
        std::this_thread::yield();
    }
    const auto block = stuck->allocate(1 << 20);
    EXPECT_TRUE(block);
    fill(*block, 1);
    let_go.set_value();
}

TEST_F(PoolTest, MayEndWhileItPrepares) {
    for (int round = 0; round < 20; ++round) {
        open_pool("round").value()->prepare(1 << 20, 5);
    }
}

TEST_F(PoolTest, ThreadsMayAllocateAndFreeAtOnce) {
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
            std::mt19937 random(thread);
            std::vector<Allocation> live;
            for (int turn = 0; turn < 300; ++turn) {
                if (turn % 50 == 0) {
                    pool().prepare(100000, 1);
                }
                if (live.size() < 5) {
                    live.push_back(pool().allocate(random() % 2 == 0 ? random() % 5000 : random() % 200000).value());
                    fill(live.back(), static_cast<unsigned char>(thread));
                } else {
                    const std::size_t index = random() % live.size();
                    EXPECT_TRUE(holds(live[index], static_cast<unsigned char>(thread)));
                    pool().free(live[index]);
                    live.erase(live.begin() + static_cast<std::ptrdiff_t>(index));
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

/// Bytes of addresses that this process uses.
std::int64_t address_space() {
    std::int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<std::int64_t>(os::page_size());
}

TEST_F(PoolTest, GoesOnAfterMemoryRanOut) {
    if (!testing::address_space_can_be_limited) {
        GTEST_SKIP() << "a sanitizer's shadow memory takes more than any limit";
    }
    testing::ChildProcess child([&] {
        renew();
        const Allocation before = pool().allocate(1000).value();
        const std::int64_t capacity = pool().capacity();
        constexpr std::int64_t room = 32 << 20;
        rlimit limit{};
        EXPECT_EQ(::getrlimit(RLIMIT_AS, &limit), 0);
        limit.rlim_cur = static_cast<rlim_t>(address_space() + room);
        EXPECT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
        const auto refused = pool().allocate(2 * room);
        EXPECT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::limit_reached);
        EXPECT_EQ(pool().capacity(), capacity);
        EXPECT_LE(resident(), capacity);
        const auto later = pool().allocate(1 << 20);
        EXPECT_TRUE(later);
        fill(*later, 9);
        pool().free(*later);
        pool().free(before);
        return 0;
    });
    EXPECT_EQ(child.wait(), 0);
}

TEST_F(PoolTest, ExtentsAreClaimedAndGivenBackWithThePool) {
    const std::int64_t before = usage().memory;
    {
        const auto other = open_pool("other").value();
        ASSERT_TRUE(other->allocate(1 << 20));
        EXPECT_EQ(usage().memory, before + other->capacity());
    }
    EXPECT_EQ(usage().memory, before);
}

class PoolLimitTest : public PoolTest {
  public:
    ~PoolLimitTest() override { set_limits({}); }

  protected:
    static void allow(std::int64_t more) { set_limits({.memory = usage().memory + more}); }
};

TEST_F(PoolLimitTest, LimitIsAnErrorThatNamesPoolAndLimit) {
    allow(1 << 20);
    const std::int64_t size = os::size_of_file(pool().file()).value();
    for (int i = 0; i < 3; ++i) {
        const auto refused = pool().allocate(2 << 20);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::limit_reached);
        EXPECT_NE(refused.error().message.find("the pool 'test'"), std::string::npos) << refused.error().message;
    }
    const auto block = pool().allocate(1 << 20);
    ASSERT_TRUE(block);
    fill(*block, 3);
    EXPECT_EQ(os::size_of_file(pool().file()).value(), size + (1 << 20)) << "attempts that failed took no offsets";
}

TEST_F(PoolLimitTest, WhatAnotherPoolKeepsForReuseIsGivenBackFirst) {
    const auto other = open_pool("other").value();
    allow(4 << 20);
    const Allocation used = other->allocate(1 << 20).value();
    fill(used, 7);
    const Allocation idle = other->allocate(3 << 20).value();
    other->free(idle);
    const std::int64_t held = usage().memory;
    EXPECT_TRUE(pool().allocate(2 << 20));
    EXPECT_LT(usage().memory, held);
    EXPECT_TRUE(holds(used, 7)) << "what is in use stays";
    EXPECT_FALSE(pool().allocate(2 << 20));
}

TEST_F(PoolLimitTest, WhatSmallBlocksHaveFreedIsGivenBackToo) {
    const auto other = open_pool("other").value();
    allow(8 << 20);
    std::vector<Allocation> blocks;
    for (int i = 0; i < 64; ++i) {
        blocks.push_back(other->allocate(Pool::small_limit).value());
    }
    const Allocation used = blocks.front();
    fill(used, 7);
    for (std::size_t i = 1; i < blocks.size(); ++i) {
        other->free(blocks[i]);
    }
    EXPECT_TRUE(pool().allocate(7 << 20));
    EXPECT_TRUE(holds(used, 7)) << "what is in use stays";
    EXPECT_TRUE(other->allocate(Pool::small_limit)) << "and so does what is reserved";
}

TEST_F(PoolLimitTest, SmallBlocksUseAllThatIsLeft) {
    constexpr int room = 100;  // blocks
    allow(room * Pool::small_limit);
    int blocks = 0;
    while (pool().allocate(Pool::small_limit)) {
        ++blocks;
    }
    EXPECT_GE(blocks, room) << "and two that were reserved";
    EXPECT_FALSE(base::has_room(base::Resource::memory, Pool::small_limit));
}

TEST_F(PoolLimitTest, PreparingTakesNothingFromOtherPools) {
    const auto other = open_pool("other").value();
    allow(2 << 20);
    other->free(other->allocate(2 << 20).value());
    const std::int64_t capacity = other->capacity();
    pool().prepare(1 << 20, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(other->capacity(), capacity);
}

TEST_F(PoolLimitTest, PoolsAtTheLimitTakeTurnsFromManyThreads) {
    allow(4 << 20);
    std::vector<std::thread> threads;
    std::atomic<int> served{0};
    for (unsigned thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&] {
            const auto own = open_pool("own");
            for (int turn = 0; own && turn < 100; ++turn) {
                if (const auto block = (*own)->allocate(1 << 20)) {
                    fill(*block, 1);
                    (*own)->free(*block);
                    ++served;
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_GT(served, 100);
}

TEST_F(PoolTest, ForkedChildEndsNothingOfItsParents) {
    pool().prepare(1 << 20, 2);
    const Allocation block = pool().allocate(1 << 20).value();
    constexpr int preparers = 1;
    testing::ChildProcess child(
        [&] {
            pool().free(block);
            renew();
            EXPECT_TRUE(pool().allocate(1 << 20));
            return 0;
        },
        preparers);
    EXPECT_EQ(child.wait(), 0);
    fill(block, 5);
    EXPECT_TRUE(holds(block, 5));
}

}  // namespace
}  // namespace staithe::memory
