// Which of several servers knows of a name, and which one has a store: the same whoever asks.
#pragma once

#include <cstdint>
#include <string_view>

namespace staithe::store::space {

/// The rank, below `servers`, of the one that knows of that variable or container of the space. With one server more or
/// less only the names of its own share have another home: the one with the highest weight has a name (Thaler and
/// Ravishankar, "Using name-based mappings to increase hit rates", 1998).
[[nodiscard]] int home_of(std::string_view space, std::string_view name, int servers);

/// The rank of the one with the blocks of a store, by its number.
[[nodiscard]] constexpr int holder_of(std::uint32_t store, int servers) {
    return static_cast<int>(store % static_cast<std::uint32_t>(servers));
}

}  // namespace staithe::store::space
