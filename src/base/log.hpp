// Log lines on standard error: `staithe[melt 4711] warn: …`. STAITHE_LOG chooses the level (default warn).
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

namespace staithe::base {

enum class LogLevel { error, warn, info, debug };

[[nodiscard]] bool logs(LogLevel level);
void write_log(LogLevel level, const std::string& text);

template <class... Args>
void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
    if (logs(level)) {
        write_log(level, fmt::format(format, std::forward<Args>(args)...));
    }
}

}  // namespace staithe::base
