// Ends a test that hangs, and says which one it was, and where.
#pragma once

#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

// Of the sanitizer, if there is one.
extern "C" void __sanitizer_print_stack_trace() __attribute__((weak));  // NOLINT(bugprone-reserved-identifier)

namespace staithe::testing {

/// Aborts the process if it lives longer than `seconds`, and says what can be known: the test's name, the calls that a
/// thread is in (the main one, unless that blocks the signal), what each thread has used of a processor, the waits
/// that are noted in the run directory. One at a time.
class Watchdog {
  public:
    explicit Watchdog(unsigned seconds = 60) {
        std::signal(SIGALRM, [](int) { end(); });
        ::alarm(seconds);
    }
    ~Watchdog() { ::alarm(0); }
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

  private:
    // Some of this may not be done in a signal's handler. Should it hang, the next alarm ends the process as it is.
    static void end() {
        std::signal(SIGALRM, SIG_DFL);
        sigset_t alarm;
        sigemptyset(&alarm);
        sigaddset(&alarm, SIGALRM);
        ::pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);
        ::alarm(30);
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        const char* parts[] = {"watchdog: the test hangs: ", test != nullptr ? test->test_suite_name() : "?", ".",
                               test != nullptr ? test->name() : "?", "\n"};
        for (const char* part : parts) {
            static_cast<void>(!::write(STDERR_FILENO, part, std::strlen(part)));
        }
        print_calls();
        // The second field of schedstat is the time for which the thread had to wait, in nanoseconds as the first.
        static_cast<void>(
            !std::system("for thread in /proc/$PPID/task/*; do\n"
                         "  echo \"thread ${thread##*/}: $(cat $thread/schedstat $thread/syscall)\"\n"
                         "done >&2\n"
                         "cat \"${STAITHE_RUN_DIR:-/nowhere}\"/*.waiting | head -c 8000 >&2"));
        std::signal(SIGABRT, SIG_DFL);
        ::abort();
    }

    static void print_calls() {
        if (__sanitizer_print_stack_trace != nullptr) {
            __sanitizer_print_stack_trace();
            return;
        }
        std::array<void*, 64> calls{};
        ::backtrace_symbols_fd(calls.data(), ::backtrace(calls.data(), calls.size()), STDERR_FILENO);
    }
};

}  // namespace staithe::testing
