// Where log lines go, for programs that have a log of their own, as Python's logging is one.
#pragma once

#include <cstdint>
#include <string>

#include <staithe/export.hpp>

namespace staithe {

/// What a log line is about: something failed, looks wrong, is worth knowing, or helps to find out what happened.
enum class LogLevel : std::uint8_t { error, warn, info, debug };

/// Takes a line; false: the line goes to standard error after all. Called in the thread where the line came up, which
/// may be one of the library's own and may hold its locks: it must neither wait nor call Staithe.
using LogSink = bool (*)(LogLevel level, const std::string& text) noexcept;

/// From now on lines go to `sink`; nullptr: to standard error, as at first. For the whole process.
STAITHE_API void set_log_sink(LogSink sink) noexcept;

/// Which lines are made, where STAITHE_LOG does not say so: those of this level and those above it; `warn` at first.
STAITHE_API void set_log_level(LogLevel level) noexcept;

}  // namespace staithe
