// A forked process that runs a function: what another program would do, and what can be killed.
//
// Fork before the test has threads or streams of its own: the child would inherit half of them.
#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "support/sanitizers.hpp"

namespace staithe::testing {

/// Threads of this process, those of a sanitizer's included.
inline std::ptrdiff_t count_threads() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

/// A thread that looks a host up, for an earlier test, ends when the name server has answered, or is given up.
inline const bool lookups_are_short = ::setenv("RES_OPTIONS", "timeout:1 attempts:1", 0) == 0;

/// Where every thread of this process is, as a sanitizer prints it.
inline void print_stacks() {
    std::signal(SIGUSR2, [](int) { print_stack(); });
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::fprintf(stderr, "thread %s:\n", task.path().filename().c_str());
        ::tgkill(::getpid(), std::stoi(task.path().filename()), SIGUSR2);
        std::this_thread::sleep_for(std::chrono::milliseconds(200));  // one after the other
    }
}

/// A thread that watched sockets for an earlier test may still be on its way out, besides those that the test has of
/// its own. Where a child of a process with threads could start none, and would be waited for in vain, the test ends.
inline void await_earlier_threads(std::ptrdiff_t own_threads) {
    constexpr int most_milliseconds = forked_children_may_start_threads ? 1000 : 20'000;
    const std::ptrdiff_t most_threads = 1 + threads_of_sanitizer + own_threads;
    for (int i = 0; i < most_milliseconds && count_threads() > most_threads; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (!forked_children_may_start_threads && count_threads() > most_threads) {
        std::fprintf(stderr, "%s cannot fork: threads of an earlier test go on\n",
                     ::testing::UnitTest::GetInstance()->current_test_info()->name());
        print_stacks();
        std::abort();
    }
}

/// For a child that is to be killed.
[[noreturn]] inline void wait_for_death() {
    for (;;) {
        ::pause();
    }
}

class ChildProcess {
  public:
    /// The child ends with what `body` returns; 99 when it throws, and 1 when an expectation in it fails. Of a test
    /// that has threads of its own by then, it may start none.
    explicit ChildProcess(const std::function<int()>& body, std::ptrdiff_t own_threads = 0) {
        await_earlier_threads(own_threads);
        std::fflush(nullptr);
        pid_ = ::fork();
        if (pid_ != 0) {
            EXPECT_GT(pid_, 0) << "cannot fork: " << std::strerror(errno);
            return;
        }
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::alarm(60);  // the parent's watchdog is not inherited
        int status = 99;
        try {
            status = body();
            if (status == 0 && ::testing::Test::HasFailure()) {
                status = 1;
            }
        } catch (const std::exception& error) {
            std::fprintf(stderr, "child process: %s\n", error.what());
        }
        std::fflush(nullptr);
        ::_exit(status);
    }
    ~ChildProcess() {
        if (pid_ > 0) {
            kill();
        }
    }
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    [[nodiscard]] int pid() const { return pid_; }

    void signal(int number) const {
        if (pid_ > 0) {  // -1 would be everybody
            ::kill(pid_, number);
        }
    }

    /// kill -9, and waits until it is gone.
    void kill() {
        signal(SIGKILL);
        static_cast<void>(wait());
    }

    /// The exit status; -signal if a signal ended it.
    int wait() {
        const pid_t pid = std::exchange(pid_, -1);
        int status = 0;
        while (pid > 0 && ::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

  private:
    int pid_ = -1;
};

/// One process waits for a word of the other.
class Signal {
  public:
    Signal() { EXPECT_EQ(::pipe(ends_), 0); }
    ~Signal() {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }
    Signal(const Signal&) = delete;
    Signal& operator=(const Signal&) = delete;

    void give() const { EXPECT_EQ(::write(ends_[1], "x", 1), 1); }
    void await() const {
        char byte = 0;
        while (::read(ends_[0], &byte, 1) < 0 && errno == EINTR) {
        }
    }

  private:
    int ends_[2] = {-1, -1};
};

}  // namespace staithe::testing
