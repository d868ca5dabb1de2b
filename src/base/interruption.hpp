// Whether the program wants its blocking calls back: see <staithe/waiting.hpp>.
#pragma once

#include <algorithm>

#include "base/deadline.hpp"

namespace staithe::base {

[[nodiscard]] bool can_be_interrupted() noexcept;
[[nodiscard]] bool interrupted();

/// How long a call may sleep before it has to ask: until the deadline, where nobody interrupts.
[[nodiscard]] inline Deadline next_question(const Deadline& deadline) {
    constexpr Seconds between_questions{0.2};
    const Seconds left = deadline.left();
    return Deadline(can_be_interrupted() ? std::min(left, between_questions) : left);
}

}  // namespace staithe::base
