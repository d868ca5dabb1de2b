// What the kernels get and give for one tile. Compiled for GPUs, too; addresses are those of the GPU's memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace staithe::transform::cuda {

/// Threads that work on a tile: whole warps, at most 32 of them.
inline constexpr unsigned threads_of_tile = 512;

struct TileJob {
    const void* values = nullptr;  // without gaps, in C order
    std::uint32_t count[4] = {};   // rows and their length: dq::TileRows
    std::uint32_t depth = 0;       // dimensions along which rows predict each other
    std::byte* coded = nullptr;    // room for as many bytes as the values have; 8 bytes aligned

    // Room to work in. Of whole blocks:
    std::uint32_t* quantised = nullptr;
    std::uint32_t* residuals = nullptr;
    std::uint8_t* widths = nullptr;      // of groups; 8 bytes aligned
    std::uint32_t* planes_at = nullptr;  // where a block's planes begin
    // Words of exceptions, 16 bits of each: all of them, and those that hold the common value.
    std::uint32_t* exceptions = nullptr;
    std::uint32_t* common = nullptr;
};

}  // namespace staithe::transform::cuda
