#include "os/futex.hpp"

#include <sys/mman.h>

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "support/child_process.hpp"
#include "support/watchdog.hpp"

namespace staithe::os {
namespace {

using base::Deadline;
using base::Seconds;
using Word = std::atomic<std::uint32_t>;

TEST(Futex, DoesNotSleepWhenTheWordHasChanged) {
    const testing::Watchdog watchdog;
    const Word word{1};
    futex_wait(word, 0, Deadline(Seconds(1000)));
}

TEST(Futex, SleepsUntilTheDeadline) {
    const testing::Watchdog watchdog;
    const Word word{0};
    const Deadline deadline(Seconds(0.02));
    while (!deadline.passed()) {
        futex_wait(word, 0, deadline);  // may return early, though not for ever
    }
    futex_wait(word, 0, deadline);
}

TEST(Futex, WakesSleepersOfAnotherProcess) {
    const testing::Watchdog watchdog;
    auto* word =
        static_cast<Word*>(::mmap(nullptr, sizeof(Word), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    testing::ChildProcess child([&] {
        while (word->load() == 0) {
            futex_wait(*word, 0, Deadline(Seconds(1000)));
        }
        return 0;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    word->store(1);
    futex_wake_all(*word);
    EXPECT_EQ(child.wait(), 0);
    ::munmap(word, sizeof(Word));
}

}  // namespace
}  // namespace staithe::os
