// Ends a test that hangs, and says which one it was.
#pragma once

#include <unistd.h>

#include <csignal>
#include <cstring>

#include <gtest/gtest.h>

namespace staithe::testing {

/// Aborts the process, with the test's name, if it lives longer than `seconds`. One at a time.
class Watchdog {
  public:
    explicit Watchdog(unsigned seconds = 60) {
        std::signal(SIGALRM, [](int) {
            const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
            const char* parts[] = {"watchdog: the test hangs: ", test != nullptr ? test->test_suite_name() : "?", ".",
                                   test != nullptr ? test->name() : "?", "\n"};
            for (const char* part : parts) {
                static_cast<void>(!::write(STDERR_FILENO, part, std::strlen(part)));
            }
            std::signal(SIGABRT, SIG_DFL);
            ::abort();
        });
        ::alarm(seconds);
    }
    ~Watchdog() { ::alarm(0); }
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
};

}  // namespace staithe::testing
