#include "transport/mapped_pool.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "memory/sources.hpp"

namespace staithe::transport {
namespace {

class MappedPoolTest : public ::testing::Test {
  protected:
    [[nodiscard]] memory::Pool& pool() const { return *pool_; }
    [[nodiscard]] MappedPool mapped() const { return MappedPool(os::duplicate_read_only(pool_->file()).value()); }

    /// A block full of one value.
    [[nodiscard]] memory::Allocation block_of(int value, std::int64_t bytes) const {
        const auto block = pool_->allocate(bytes).value();
        std::memset(block.data, value, static_cast<std::size_t>(bytes));
        return block;
    }
    static bool holds(std::span<const std::byte> bytes, int value) {
        return std::all_of(bytes.begin(), bytes.end(), [&](std::byte b) { return b == static_cast<std::byte>(value); });
    }

  private:
    std::shared_ptr<memory::Pool> pool_ = memory::open_pool("mapped").value();
};

TEST_F(MappedPoolTest, ShowsWhatTheOwnerWrote) {
    const auto small = block_of(1, 100);
    const auto large = block_of(2, 300000);
    MappedPool pool = mapped();
    EXPECT_TRUE(holds(pool.bytes(small.offset, 100).value(), 1));
    EXPECT_TRUE(holds(pool.bytes(large.offset, 300000).value(), 2));
    std::memset(small.data, 3, 100);
    EXPECT_TRUE(holds(pool.bytes(small.offset, 100).value(), 3)) << "memory is shared, not copied";
}

TEST_F(MappedPoolTest, FollowsGrowthWhileWhatWasMappedStaysInPlace) {
    MappedPool pool = mapped();
    std::vector<std::pair<std::span<std::byte>, int>> views;
    for (int i = 1; i <= 20; ++i) {
        const auto block = block_of(i, 100000 * (1 + i % 3));
        views.emplace_back(pool.bytes(block.offset, block.bytes).value(), i);
        for (const auto& [view, value] : views) {
            ASSERT_TRUE(holds(view, value));
        }
    }
}

// A process may have 65,530 mappings: a peer must not use them up.
TEST_F(MappedPoolTest, TakesOneMappingHoweverOftenAPeersPoolGrowsIfNothingIsToStay) {
    const auto mappings = [] {
        std::ifstream maps("/proc/self/maps");
        std::ptrdiff_t count = 0;
        for (std::string line; std::getline(maps, line);) {
            count += line.find("memfd:growing") != std::string::npos ? 1 : 0;
        }
        return count;
    };
    const auto file = os::create_memory_file("growing").value();
    const auto page = static_cast<std::int64_t>(os::page_size());
    const auto pool = MappedPool::open(os::duplicate_read_only(file).value(), os::Access::read_only, os::Populate::no,
                                       MappedPool::Stay::until_next_call)
                          .value();
    for (std::int64_t i = 0; i < 100; ++i) {
        ASSERT_TRUE(os::allocate_range(file, i * page, page));
        ASSERT_EQ(::pwrite(file.get(), &i, sizeof(i), i * page), static_cast<ssize_t>(sizeof(i)));
        for (const std::int64_t number : {i, i / 2}) {
            EXPECT_EQ(*reinterpret_cast<const std::int64_t*>(pool->bytes(number * page, page)->data()), number);
        }
    }
    EXPECT_EQ(mappings(), 1);
}

TEST_F(MappedPoolTest, RefsThatNoPoolCanHoldAreNotFollowed) {
    MappedPool pool = mapped();
    pool.follow(INT64_MAX, INT64_MIN);
    pool.follow(INT64_MIN, INT64_MAX);
    pool.follow(0, INT64_MIN);
    EXPECT_FALSE(pool.bytes(0, INT64_MIN));
}

TEST_F(MappedPoolTest, OutOfRangeIsRejected) {
    const auto block = block_of(1, 100000);
    const std::int64_t size = os::size_of_file(pool().file()).value();
    MappedPool pool = mapped();
    struct Range {
        std::int64_t offset, length;
    };
    for (const auto& [offset, length] :
         {Range{-1, 1}, Range{0, -1}, Range{size, 1}, Range{0, size + 1}, Range{size - 1, 2}, Range{INT64_MAX, 1},
          Range{1, INT64_MAX}, Range{INT64_MIN, INT64_MIN}, Range{size * 2, 0}}) {
        const auto bytes = pool.bytes(offset, length);
        ASSERT_FALSE(bytes) << offset << " + " << length;
        EXPECT_EQ(bytes.error().code, ErrorCode::protocol);
    }
    EXPECT_TRUE(pool.bytes(block.offset, block.bytes)) << "and does no harm";
    EXPECT_TRUE(pool.bytes(0, size));
}

TEST_F(MappedPoolTest, EmptyFileHoldsNothing) {
    MappedPool pool(os::create_memory_file("empty").value());
    EXPECT_EQ(pool.bytes(0, 1).error().code, ErrorCode::protocol);
}

TEST_F(MappedPoolTest, OfAPeerItIsOpenedOnlyIfItCannotShrink) {
    EXPECT_TRUE(MappedPool::open(os::duplicate_read_only(pool().file()).value()));
    auto file = os::create_disk_file("/tmp").value();
    ASSERT_TRUE(os::allocate_range(file, 0, 1 << 20));
    EXPECT_EQ(MappedPool::open(std::move(file)).error().code, ErrorCode::protocol);
}

TEST_F(MappedPoolTest, OutlivesItsOwner) {
    std::unique_ptr<MappedPool> reader;
    std::span<std::byte> view;
    {
        const auto owner = memory::open_pool("short-lived").value();
        const auto block = owner->allocate(200000).value();
        std::memset(block.data, 5, 200000);
        reader = std::make_unique<MappedPool>(os::duplicate_read_only(owner->file()).value());
        view = reader->bytes(block.offset, 200000).value();
    }
    EXPECT_TRUE(holds(view, 5));
}

TEST_F(MappedPoolTest, ThreadsMayAskAtOnce) {
    std::vector<memory::Allocation> blocks;
    for (int i = 0; i < 16; ++i) {
        blocks.push_back(block_of(i, 70000));
    }
    MappedPool pool = mapped();
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&] {
            for (int i = 0; i < 16; ++i) {
                const auto& block = blocks[static_cast<std::size_t>(i)];
                EXPECT_TRUE(holds(pool.bytes(block.offset, block.bytes).value(), i));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

}  // namespace
}  // namespace staithe::transport
