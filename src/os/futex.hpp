// Sleeping until a word in (shared) memory changes: the cheapest wait that the kernel offers between processes.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/deadline.hpp"

namespace staithe::os {

/// Sleeps while `word` holds `expected`, at most until the deadline. May return early.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, const base::Deadline& deadline);

/// Wakes everyone who sleeps on the word, in any process.
void futex_wake_all(const std::atomic<std::uint32_t>& word);

}  // namespace staithe::os
