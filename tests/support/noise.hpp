// Bytes without a pattern, the same each time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace staithe::testing {

inline std::vector<std::byte> noise(std::int64_t size) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    std::uint32_t state = 1;
    for (std::byte& byte : bytes) {
        state = state * 1664525U + 1013904223U;
        byte = static_cast<std::byte>(state >> 24U);
    }
    return bytes;
}

}  // namespace staithe::testing
