#include "transform/in_order.hpp"

#include <atomic>
#include <chrono>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/watchdog.hpp"

namespace staithe::transform {
namespace {

class InOrderTest : public ::testing::Test {
  protected:
    /// Puts numbers up to `count` by several threads, each after a while that is drawn. Returns what was taken.
    template <class Work>
    static std::vector<std::size_t> put_all(std::size_t count, std::size_t most_ahead, const Work& work,
                                            std::vector<base::Result<>>& results) {
        std::vector<std::size_t> taken;
        const auto take = [&](std::size_t number, std::size_t made) -> base::Result<> {
            EXPECT_EQ(made, 2 * number);
            taken.push_back(number);  // one at a time: else a sanitizer tells
            return work(number);
        };
        InOrder<std::size_t, decltype(take)> order(most_ahead, take);
        std::atomic<std::size_t> next{0};
        std::vector<std::thread> threads;
        results.assign(6, {});
        for (std::size_t i = 0; i < results.size(); ++i) {
            threads.emplace_back([&, i] {
                std::mt19937 random(static_cast<unsigned>(i));
                for (std::size_t number = next++; number < count && results[i]; number = next++) {
                    std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
                    if (number == never_made) {
                        order.give_up();
                        return;
                    }
                    results[i] = order.put(number, 2 * number);
                    if (!results[i]) {
                        order.give_up();
                    }
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        return taken;
    }
    static std::vector<std::size_t> numbers(std::size_t count) {
        std::vector<std::size_t> all(count);
        std::iota(all.begin(), all.end(), 0);
        return all;
    }

    static inline std::size_t never_made = SIZE_MAX;

  private:
    void TearDown() override { never_made = SIZE_MAX; }
    staithe::testing::Watchdog watchdog_;
};

TEST_F(InOrderTest, AllAreTakenInTheirOrder) {
    for (const std::size_t most_ahead : {1, 4, 1000}) {
        std::vector<base::Result<>> results;
        EXPECT_EQ(put_all(500, most_ahead, [](std::size_t) { return base::Result<>(); }, results), numbers(500));
    }
}

TEST_F(InOrderTest, NobodyIsFarAhead) {
    std::atomic<std::size_t> taken{0};
    const auto take = [&](std::size_t, int) -> base::Result<> {
        ++taken;
        return {};
    };
    InOrder<int, decltype(take)> order(2, take);
    std::atomic<bool> was_put{false};
    std::thread ahead([&] {
        EXPECT_TRUE(order.put(3, 0));
        was_put = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(was_put);
    EXPECT_TRUE(order.put(1, 0));
    EXPECT_EQ(taken, 0U);
    EXPECT_TRUE(order.put(0, 0));
    ahead.join();
    EXPECT_TRUE(order.put(2, 0));
    EXPECT_EQ(taken, 4U);
}

TEST_F(InOrderTest, WhatFailsEndsAll) {
    std::vector<base::Result<>> results;
    const auto fails = [](std::size_t number) -> base::Result<> {
        return number == 37 ? base::fail(ErrorCode::system, "the disk is full") : base::Result<>();
    };
    EXPECT_EQ(put_all(500, 3, fails, results), numbers(38));
    EXPECT_EQ(std::ranges::count_if(results, [](const auto& result) { return !result; }), 1);
}

TEST_F(InOrderTest, WhatIsNeverMadeEndsAll) {
    never_made = 37;
    std::vector<base::Result<>> results;
    const auto taken = put_all(500, 3, [](std::size_t) { return base::Result<>(); }, results);
    EXPECT_LE(taken.size(), 37U);
    EXPECT_EQ(taken, numbers(taken.size()));
}

TEST_F(InOrderTest, FailuresOfEitherPartAreTold) {
    for (const bool fails_to_make : {true, false}) {
        std::size_t taken = 0;
        const auto done = for_each_in_order<int>(
            200, 4, 2, nullptr,
            [&](std::size_t number, Scratch&) -> base::Result<int> {
                if (fails_to_make && number == 50) {
                    throw std::bad_alloc();
                }
                return 1;
            },
            [&](std::size_t number, int) -> base::Result<> {
                ++taken;
                return !fails_to_make && number == 50 ? base::fail(ErrorCode::system, "full") : base::Result<>();
            });
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().code, fails_to_make ? ErrorCode::limit_reached : ErrorCode::system);
        EXPECT_LE(taken, 51U);
    }
}

}  // namespace
}  // namespace staithe::transform
