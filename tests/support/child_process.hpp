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
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <iterator>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "support/sanitizers.hpp"

namespace staithe::testing {

/// Threads of this process, those of a sanitizer's included.
inline std::ptrdiff_t count_threads() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

/// A thread that watched sockets for an earlier test may still be on its way out. Some tests have threads on purpose;
/// not where a child of a process with threads could start none.
inline void await_earlier_threads() {
    constexpr int most_milliseconds = forked_children_may_start_threads ? 1000 : 20'000;
    for (int i = 0; i < most_milliseconds && count_threads() > 1 + threads_of_sanitizer; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
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
    /// The child ends with what `body` returns; 99 when it throws, and 1 when an expectation in it fails.
    explicit ChildProcess(const std::function<int()>& body) {
        await_earlier_threads();
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
