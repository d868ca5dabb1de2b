// How large this process may make a file.
#pragma once

#include <cstdint>

namespace staithe::os {

/// As `ulimit -f` says, now: who writes beyond it, or makes a file larger, gets an error, or is ended (SIGXFSZ).
[[nodiscard]] std::uint64_t most_bytes_of_a_file();

}  // namespace staithe::os
