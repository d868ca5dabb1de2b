// Log lines on standard error: `staithe[melt 4711] warn: …`. STAITHE_LOG chooses the level (default warn); at `debug`
// each line also has the time, in seconds of the monotonic clock, which all processes of a machine share. A program may
// take the lines into a log of its own: <staithe/logging.hpp>.
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

#include <staithe/logging.hpp>

#include "base/deadline.hpp"
#include "base/result.hpp"

namespace staithe::base {

using staithe::LogLevel;

/// From now on lines say that they come from this process.
void log_as(const std::string& program, int pid);

/// Fails if STAITHE_LOG names no level; until somebody asks, such a process logs as by default.
Result<> check_log_level();

[[nodiscard]] bool logs(LogLevel level);
void write_log(LogLevel level, const std::string& text);

template <class... Args>
void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
    if (logs(level)) {
        write_log(level, fmt::format(format, std::forward<Args>(args)...));
    }
}

/// A line at `debug` on a wait that took long.
template <class... Args>
void log_long_wait(Clock::duration waited, fmt::format_string<Args...> format, Args&&... args) {
    constexpr Seconds long_wait{1.0};
    if (waited >= long_wait && logs(LogLevel::debug)) {
        write_log(LogLevel::debug, fmt::format("{}, for {:.3f} s", fmt::format(format, std::forward<Args>(args)...),
                                               Seconds(waited).count()));
    }
}

}  // namespace staithe::base
