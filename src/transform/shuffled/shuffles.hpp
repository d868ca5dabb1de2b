// The elements of a tile taken apart, so that bytes (or bits) that are alike stand together: docs/formats/shuffled.md.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace staithe::transform::shuffled {

struct Shuffle {
    std::string_view name;
    std::string_view what;  // stands together
    /// Both spans have the same size, some elements of `item` bytes each, and do not overlap.
    void (*apply)(std::span<const std::byte> elements, std::size_t item, std::span<std::byte> shuffled);
    void (*undo)(std::span<const std::byte> shuffled, std::size_t item, std::span<std::byte> elements);
};

extern const Shuffle byte_shuffle;
extern const Shuffle bit_shuffle;

}  // namespace staithe::transform::shuffled
