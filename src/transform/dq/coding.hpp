// What the kernels of dq share: the job of coding one tile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "transform/dq/grouping.hpp"
#include "transform/dq/quantisation.hpp"

namespace staithe::transform::dq {

/// Kernels move whole registers of planes.
inline constexpr std::size_t plane_slack = 16;

/// Rows are coded in pieces of this length, so that what is under way stays in the cache.
inline constexpr std::size_t piece = 4096;
/// Residuals of short rows are packed and unpacked at least so many at a time.
inline constexpr std::size_t batch = 1024;

/// A tile of four dimensions, the last of them contiguous: how far apart its rows lie, in bytes.
struct TileRows {
    std::array<std::size_t, 4> count{1, 1, 1, 1};
    std::array<std::ptrdiff_t, 3> stride{0, 0, 0};
    bool across_rows = true;  // false: each row is predicted by itself

    [[nodiscard]] std::size_t rows() const { return count[0] * count[1] * count[2]; }
    [[nodiscard]] std::size_t values() const { return rows() * count[3]; }
    [[nodiscard]] std::size_t blocks() const { return (values() + block - 1) / block; }
    /// Words of 16 bits that say which values are exceptions: each row begins one.
    [[nodiscard]] std::size_t exception_words() const { return rows() * words_of_row(); }
    [[nodiscard]] std::size_t words_of_row() const { return (count[3] + group - 1) / group; }
    /// Dimensions, but for the last, along which neighbours predict each other.
    [[nodiscard]] int depth() const {
        return !across_rows ? 0 : count[0] > 1 ? 3 : count[1] > 1 ? 2 : count[2] > 1 ? 1 : 0;
    }
};

/// Calls for each row, in order: its place along the first three dimensions, and how far from the first value it
/// begins.
template <class Call>
void for_each_row(const TileRows& tile, const Call& call) {
    for (std::size_t w = 0; w < tile.count[0]; ++w) {
        for (std::size_t z = 0; z < tile.count[1]; ++z) {
            for (std::size_t y = 0; y < tile.count[2]; ++y) {
                call(w, z, y,
                     static_cast<std::ptrdiff_t>(w) * tile.stride[0] + static_cast<std::ptrdiff_t>(z) * tile.stride[1] +
                         static_cast<std::ptrdiff_t>(y) * tile.stride[2]);
            }
        }
    }
}

/// The parts of a coded tile, where they are made or read.
struct Sections {
    std::uint8_t* counts = nullptr;   // a nibble a block: bits that a width of it takes
    std::uint8_t* widths = nullptr;   // bit planes of the widths of each block's groups
    std::uint16_t* planes = nullptr;  // bit planes of the residuals, and `plane_slack` bytes of room behind them
};
struct ConstSections {
    const std::uint8_t* counts = nullptr;
    const std::uint8_t* widths = nullptr;
    const std::uint8_t* widths_end = nullptr;
    const std::uint16_t* planes = nullptr;
    const std::uint16_t* planes_end = nullptr;
};

/// Rows that were coded before, each dimension's, and residuals on their way. Rows are a multiple of `group` long.
template <class Word>
struct Workspace {
    static constexpr std::size_t residual_room = piece + batch + 2 * block;

    Word* residuals = nullptr;  // `residual_room` of them
    Word* row = nullptr;        // the last one
    Word* plane = nullptr;      // the last one, less the row before each row
    Word* volume = nullptr;     // the last one, less …

    [[nodiscard]] static std::size_t words(const TileRows& tile) {
        const std::size_t row = tile.words_of_row() * group;
        const int depth = tile.depth();
        return residual_room + (depth > 0 ? row : 0) + (depth > 1 ? row * tile.count[2] : 0) +
               (depth > 2 ? row * tile.count[2] * tile.count[1] : 0);
    }
    [[nodiscard]] [[gnu::always_inline]] static Workspace in(Word* memory, const TileRows& tile) {
        const std::size_t row = tile.words_of_row() * group;
        Workspace space;
        space.residuals = memory;
        space.row = memory + residual_room;
        space.plane = space.row + row;
        space.volume = space.plane + (tile.depth() > 1 ? row * tile.count[2] : 0);
        return space;
    }
};

/// Those exceptions of a tile that hold one value.
struct CommonExceptions {
    std::uint16_t* words = nullptr;  // a bit for each; those behind the end of a row mean nothing
    std::uint64_t value = 0;         // its bits
    std::size_t count = 0;
};

struct EncodeJob {
    TileRows tile;
    const std::byte* values = nullptr;
    const void* quantiser = nullptr;     // Quantiser<T>; none: exactly
    void* workspace = nullptr;           // of Workspace::words words, or lattice_values values
    std::uint32_t* residuals = nullptr;  // room for all of them, blocks filled up, and a group; or packed to `out`
    Sections out;                        // moved to the end of what was made
    std::uint16_t* exception_words = nullptr;  // all of them are written, where values are quantised
    std::size_t exceptions = 0;                // found
    // Lorenzo, if there is room for words: those that hold what the first one does, taken out of the others' words.
    // These are written if there is one.
    CommonExceptions common;
};

struct DecodeJob {
    TileRows tile;
    std::byte* values = nullptr;
    double step = 0;
    void* workspace = nullptr;
    const std::uint32_t* residuals = nullptr;  // all of them, blocks filled up; or in `in`
    ConstSections in;
    CommonExceptions common;  // Lorenzo: put in, if it has words
    bool broken = false;      // the sections ended too early
};

}  // namespace staithe::transform::dq
