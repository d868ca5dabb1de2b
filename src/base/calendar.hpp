// Numbers that a process counts from, so that one in its place does not give them again.
#pragma once

#include <chrono>
#include <cstdint>

namespace staithe::base {

/// Microseconds of the calendar: nothing is numbered as often.
[[nodiscard]] inline std::int64_t calendar_microseconds() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

}  // namespace staithe::base
