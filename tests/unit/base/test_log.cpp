#include "base/log.hpp"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/child_process.hpp"
#include "support/environment_variable.hpp"

namespace staithe::base {
namespace {

using namespace std::chrono_literals;
using ::testing::MatchesRegex;

/// What a process with that STAITHE_LOG writes on standard error. The level is read once in the life of a process.
std::string logged(const char* level, const std::function<void()>& body) {
    const staithe::testing::EnvironmentVariable chosen("STAITHE_LOG", level);
    int pipe[2];
    EXPECT_EQ(::pipe(pipe), 0);
    staithe::testing::ChildProcess child([&] {
        ::dup2(pipe[1], STDERR_FILENO);
        body();
        return 0;
    });
    ::close(pipe[1]);
    std::string text;
    char buffer[4096];
    for (ssize_t count = 0; (count = ::read(pipe[0], buffer, sizeof buffer)) > 0;) {
        text.append(buffer, static_cast<std::size_t>(count));
    }
    ::close(pipe[0]);
    EXPECT_EQ(child.wait(), 0);
    return text;
}

void say_all() {
    log_as("melt", 4711);
    log(LogLevel::error, "one {}", 1);
    log(LogLevel::warn, "two");
    log(LogLevel::info, "three");
    log(LogLevel::debug, "four");
}

TEST(Log, WarnsByDefault) {
    const char* expected = "staithe[melt 4711] error: one 1\nstaithe[melt 4711] warn: two\n";
    EXPECT_EQ(logged(nullptr, say_all), expected);
    EXPECT_EQ(logged("nonsense", say_all), expected);
    EXPECT_EQ(logged("error", say_all), "staithe[melt 4711] error: one 1\n");
}

TEST(Log, LevelThatThereIsNotIsAnError) {
    for (const char* level : {"error", "warn", "info", "debug", ""}) {
        const staithe::testing::EnvironmentVariable chosen("STAITHE_LOG", level);
        EXPECT_TRUE(check_log_level()) << level;
    }
    const auto complaint = [](const char* level) {
        const staithe::testing::EnvironmentVariable chosen("STAITHE_LOG", level);
        return check_log_level().error().message;
    };
    EXPECT_EQ(complaint("verbose"),
              "STAITHE_LOG is 'verbose': there is no such level (allowed: error, warn, info, debug)");
    EXPECT_EQ(complaint("WARNING"),
              "STAITHE_LOG is 'WARNING': did you mean 'warn'? (allowed: error, warn, info, debug)");
}

TEST(Log, DebugLinesHaveTheTime) {
    EXPECT_THAT(logged("debug", say_all), MatchesRegex("staithe\\[melt 4711 [0-9]+\\.[0-9]+\\] error: one 1\n"
                                                       "staithe\\[melt 4711 [0-9.]+\\] warn: two\n"
                                                       "staithe\\[melt 4711 [0-9.]+\\] info: three\n"
                                                       "staithe\\[melt 4711 [0-9.]+\\] debug: four\n"));
}

TEST(Log, WaitsAreWorthALineWhenTheyAreLong) {
    const auto body = [] {
        log_as("melt", 4711);
        log_long_wait(999ms, "short");
        log_long_wait(1500ms, "rank {} waited", 3);
    };
    EXPECT_THAT(logged("debug", body),
                MatchesRegex("staithe\\[melt 4711 [0-9.]+\\] debug: rank 3 waited, for 1.500 s\n"));
    EXPECT_EQ(logged("info", body), "");
}

int lines_taken = 0;

bool take_warnings(LogLevel level, const std::string& text) noexcept {
    lines_taken += level == LogLevel::warn && text == "two" ? 1 : 0;
    return level == LogLevel::warn;
}

TEST(Log, AProgramMayTakeLines) {
    const auto body = [] {
        set_log_sink(take_warnings);
        say_all();
        set_log_sink(nullptr);
        say_all();
        EXPECT_EQ(lines_taken, 1);
    };
    EXPECT_EQ(logged(nullptr, body),
              "staithe[melt 4711] error: one 1\nstaithe[melt 4711] error: one 1\nstaithe[melt 4711] warn: two\n");
}

TEST(Log, AProgramSaysWhichLinesUnlessTheEnvironmentDoes) {
    const auto body = [] {
        set_log_level(LogLevel::error);
        say_all();
    };
    const char* errors = "staithe[melt 4711] error: one 1\n";
    EXPECT_EQ(logged(nullptr, body), errors);
    EXPECT_EQ(logged("warn", body), std::string(errors) + "staithe[melt 4711] warn: two\n");
}

}  // namespace
}  // namespace staithe::base
