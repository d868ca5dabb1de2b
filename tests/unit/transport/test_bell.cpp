#include "transport/bell.hpp"

#include <sys/mman.h>

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "support/child_process.hpp"
#include "support/watchdog.hpp"

namespace staithe::transport {
namespace {

using base::Deadline;
using base::Seconds;
using namespace std::chrono_literals;

/// Two bells and two counters, as two processes share them.
struct Table {
    Bell there, back;
    std::atomic<std::uint64_t> sent, answered;
};

class BellTest : public ::testing::Test {
  protected:
    BellTest()
        : table_(static_cast<Table*>(
              ::mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
    ~BellTest() override { ::munmap(table_, sizeof(Table)); }

    [[nodiscard]] Table& table() const { return *table_; }

  private:
    testing::Watchdog watchdog_;
    Table* table_;
};

/// Answers each of `count` messages; false if one did not come in time.
bool answer_all(Table& table, std::uint64_t count) {
    Patience patience;
    for (std::uint64_t i = 1; i <= count; ++i) {
        if (!wait(table.there, Deadline(Seconds(20)), patience, [&] { return table.sent.load() >= i; })) {
            return false;
        }
        table.answered.store(i, std::memory_order_release);
        ring(table.back);
    }
    return true;
}

bool send_all(Table& table, std::uint64_t count) {
    Patience patience;
    for (std::uint64_t i = 1; i <= count; ++i) {
        table.sent.store(i, std::memory_order_release);
        ring(table.there);
        if (!wait(table.back, Deadline(Seconds(20)), patience, [&] { return table.answered.load() >= i; })) {
            return false;
        }
        if (i % 64 == 0) {
            std::this_thread::sleep_for(150us);  // long enough for the other side to fall asleep
        }
    }
    return true;
}

TEST_F(BellTest, ReadyConditionDoesNotWait) {
    Patience patience;
    EXPECT_TRUE(wait(table().there, Deadline(Seconds(0)), patience, [] { return true; }));
}

TEST_F(BellTest, WaitEndsAtItsDeadline) {
    Patience patience;
    const auto began = base::Clock::now();
    EXPECT_FALSE(wait(table().there, Deadline(Seconds(0.02)), patience, [] { return false; }));
    EXPECT_GE(base::Clock::now() - began, 20ms);
}

TEST_F(BellTest, RingingWithoutSleepersChangesNothing) {
    ring(table().there);
    EXPECT_EQ(table().there.rings.load(), 0U);
    ring_always(table().there);
    EXPECT_EQ(table().there.rings.load(), 1U);
}

TEST_F(BellTest, IsRungOnceForOneSleep) {
    table().there.asleep = 1;
    ring(table().there);
    ring(table().there);
    EXPECT_EQ(table().there.rings.load(), 1U);
}

TEST_F(BellTest, WakesEverySleeper) {
    std::atomic<bool> go{false};
    std::atomic<int> woken{0};
    std::vector<std::thread> sleepers;
    for (int i = 0; i < 4; ++i) {
        sleepers.emplace_back([&] {
            Patience patience;
            woken += wait(table().there, Deadline(Seconds(20)), patience, [&] { return go.load(); }) ? 1 : 0;
        });
    }
    std::this_thread::sleep_for(50ms);  // long enough for all to fall asleep
    go = true;
    ring(table().there);
    for (std::thread& sleeper : sleepers) {
        sleeper.join();
    }
    EXPECT_EQ(woken, 4);
    EXPECT_EQ(table().there.asleep.load(), 0U);
}

TEST_F(BellTest, LosesNoWakeUpBetweenThreads) {
    std::thread answering([&] { EXPECT_TRUE(answer_all(table(), 5000)); });
    EXPECT_TRUE(send_all(table(), 5000));
    answering.join();
}

TEST_F(BellTest, LosesNoWakeUpBetweenProcesses) {
    testing::ChildProcess child([&] { return answer_all(table(), 5000) ? 0 : 1; });
    EXPECT_TRUE(send_all(table(), 5000));
    EXPECT_EQ(child.wait(), 0);
}

}  // namespace
}  // namespace staithe::transport
