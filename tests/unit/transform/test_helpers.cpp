#include "transform/helpers.hpp"

#include <sched.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "os/process.hpp"
#include "support/child_process.hpp"
#include "support/sanitizers.hpp"
#include "support/watchdog.hpp"
#include "transform/parallel.hpp"

namespace staithe::transform {
namespace {

class HelpersTest : public ::testing::Test {
  protected:
    static std::size_t cores() { return static_cast<std::size_t>(os::usable_cores()); }
    /// Of those that this process may use.
    static void keep_two_cores() {
        cpu_set_t all;
        cpu_set_t two;
        CPU_ZERO(&two);
        ASSERT_EQ(::sched_getaffinity(0, sizeof(all), &all), 0);
        for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++core) {
            if (CPU_ISSET(core, &all)) {
                CPU_SET(core, &two);
            }
        }
        ASSERT_EQ(::sched_setaffinity(0, sizeof(two), &two), 0);
    }

  private:
    staithe::testing::Watchdog watchdog_;
};

TEST_F(HelpersTest, EveryPartIsDoneOnce) {
    for (const int threads : {1, 2, 3, 100}) {
        std::vector<std::size_t> numbers(1000);
        std::vector<std::atomic<int>> times(numbers.size());
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            numbers[i] = i;
        }
        ASSERT_TRUE(for_each(numbers, threads, nullptr, [&](std::size_t i, Scratch& /*scratch*/) -> base::Result<> {
            ++times[i];
            return {};
        }));
        for (const auto& count : times) {
            EXPECT_EQ(count, 1);
        }
    }
}

TEST_F(HelpersTest, OthersHelpWhereThereAreCores) {
    if (cores() < 2) {
        GTEST_SKIP() << "this process has one core";
    }
    std::atomic<int> inside{0};
    work_together(1, [&](const auto& /*stays*/) {
        ++inside;
        while (inside < 2) {  // comes true only if another thread is there
            std::this_thread::yield();
        }
        return true;
    });
    EXPECT_EQ(inside, 2);
}

TEST_F(HelpersTest, WhatTheyWorkCountsAsThatOfWhomTheyHelp) {
    if (cores() < 2) {
        GTEST_SKIP() << "this process has one core";
    }
    constexpr double of_each = 0.02;  // seconds
    const double all_before = work_seconds(), own_before = os::thread_processor_seconds();
    std::atomic<int> inside{0};
    work_together(1, [&](const auto& /*stays*/) {
        ++inside;
        while (inside < 2) {
            std::this_thread::yield();
        }
        const double begun = os::thread_processor_seconds();
        while (os::thread_processor_seconds() < begun + of_each) {
        }
        return true;
    });
    const double all = work_seconds() - all_before, own = os::thread_processor_seconds() - own_before;
    EXPECT_GE(own, of_each);
    EXPECT_GE(all, own + of_each);
    EXPECT_GE(work_seconds(), all_before + all) << "it never goes back";
}

TEST_F(HelpersTest, AThreadThatWorksOnPartsOfAPartTakesOneCore) {
    if (cores() < 2) {
        GTEST_SKIP() << "this process has one core";
    }
    if (!staithe::testing::forked_children_may_start_threads) {
        GTEST_SKIP() << "ThreadSanitizer lets no forked child start threads";
    }
    staithe::testing::ChildProcess child([] {
        keep_two_cores();  // before the child's first use of them counts its cores
        std::atomic<int> inside{0};
        work_together(1, [&](const auto& stays) {
            work_together(0, [&](const auto& /*inner*/) {
                ++inside;
                while (inside < 2) {
                    std::this_thread::yield();
                }
                EXPECT_TRUE(stays());  // two threads are no crowd on two cores
                return true;
            });
            return true;
        });
        EXPECT_EQ(inside, 2);
        return 0;
    });
    EXPECT_EQ(child.wait(), 0);
}

TEST_F(HelpersTest, NeverMoreAreAtWorkThanCoresHoweverManyAreHelped) {
    constexpr int callers = 3;
    std::atomic<int> at_work{0};
    std::atomic<int> most{0};
    std::atomic<int> called{0};
    std::vector<std::thread> threads;
    for (int caller = 0; caller < callers; ++caller) {
        threads.emplace_back([&] {
            const std::vector<int> items(200);
            ASSERT_TRUE(for_each(items, 16, nullptr, [&](int /*item*/, Scratch& /*scratch*/) -> base::Result<> {
                const int now = ++at_work;
                for (int before = most; now > before && !most.compare_exchange_weak(before, now);) {
                }
                std::this_thread::sleep_for(std::chrono::microseconds(100));
                --at_work;
                return {};
            }));
            ++called;
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(called, callers);
    EXPECT_LT(helper_threads(), cores());
    // Whoever helps one leaves when another comes: that takes it the part it is at.
    EXPECT_LE(static_cast<std::size_t>(most), cores() - 1 + callers);
}

TEST_F(HelpersTest, WhoHelpsLeavesWhenThereIsACrowd) {
    if (cores() < 2) {
        GTEST_SKIP() << "this process has one core";
    }
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<std::size_t> helping{0};
    std::atomic<bool> left{false};
    std::vector<std::thread> others;
    std::atomic<bool> done{false};
    work_together(cores() - 1, [&](const auto& stays) {
        if (std::this_thread::get_id() != caller) {
            ++helping;
            while (stays() && !done) {
                std::this_thread::yield();
            }
            left = left || !done;
            return done.load();
        }
        while (helping < cores() - 1) {
            std::this_thread::yield();
        }
        others.emplace_back([&] {  // that codes an array, too
            work_together(0, [&](const auto& /*stays*/) {
                while (!left) {
                    std::this_thread::yield();
                }
                return true;
            });
        });
        while (!left) {
            std::this_thread::yield();
        }
        done = true;
        return true;
    });
    others[0].join();
    EXPECT_TRUE(left);
}

TEST_F(HelpersTest, AForkedChildHasItsOwn) {
    if (!staithe::testing::forked_children_may_start_threads) {
        GTEST_SKIP() << "ThreadSanitizer lets no forked child start threads";
    }
    const std::vector<int> items(100);
    const auto work = [](int /*item*/, Scratch& /*scratch*/) -> base::Result<> { return {}; };
    ASSERT_TRUE(for_each(items, 4, nullptr, work));
    staithe::testing::ChildProcess child([&] {
        EXPECT_EQ(helper_threads(), 0U);
        EXPECT_TRUE(for_each(items, 4, nullptr, work));
        return 0;
    });
    EXPECT_EQ(child.wait(), 0);
}

TEST_F(HelpersTest, TheFirstFailureEndsTheWork) {
    const std::vector<int> items(10'000);
    std::atomic<int> begun{0};
    const auto failed = for_each(items, 4, nullptr, [&](int /*item*/, Scratch& /*scratch*/) -> base::Result<> {
        ++begun;
        return base::fail(ErrorCode::protocol, "as asked");
    });
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message, "as asked");
    EXPECT_LE(begun, 100);
}

}  // namespace
}  // namespace staithe::transform
