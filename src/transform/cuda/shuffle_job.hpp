// What the kernels around a compressor get for one tile: its bytes are shuffled, cut into pieces, each of which becomes
// smaller by itself, and what has become of them is put together. Compiled for GPUs, too; addresses are those of the
// GPU's memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace staithe::transform::cuda {

struct ShuffleJob {
    const std::byte* values = nullptr;  // without gaps, in C order
    std::uint32_t elements = 0;
    std::uint32_t item = 0;         // bytes of one
    std::byte* shuffled = nullptr;  // room for as many bytes
    // Of the pieces, all of which have as much room:
    const std::byte* made = nullptr;
    std::size_t room = 0;
    const std::size_t* made_bytes = nullptr;
    const std::int32_t* statuses = nullptr;  // 0: it was made
    std::uint32_t pieces = 0;
    std::uint32_t worthwhile = 0;  // bytes that all may take, else the tile stays as it is
    std::byte* coded = nullptr;    // room for those
};

}  // namespace staithe::transform::cuda
