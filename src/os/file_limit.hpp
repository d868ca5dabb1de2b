// How large this process may make a file.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.hpp"

namespace staithe::os {

/// As `ulimit -f` says, now: who writes beyond it, or makes a file larger, gets an error, or is ended (SIGXFSZ).
[[nodiscard]] std::uint64_t most_bytes_of_a_file();

/// Whether it may make one that large: to be asked before the kernel answers by a signal.
base::Result<> check_size_of_file(std::uint64_t bytes, std::string_view what = "a file");

}  // namespace staithe::os
