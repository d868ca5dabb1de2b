// How an array is cut into chunks, and which file has which of them.
//
// Chunks are cut along the slowest dimensions alone, so that the elements of each lie together in the array, and those
// of the last one, which reaches beyond the array, at the beginning of its file. Small arrays have several steps in a
// chunk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <staithe/box.hpp>
#include <staithe/dtype.hpp>

namespace staithe::format::zarr {

struct ChunkGrid {
    std::int64_t steps = 1;  // in a chunk; several only if one chunk has all of a step
    Extents count{};         // of elements of a step; 1 at least

    friend bool operator==(const ChunkGrid&, const ChunkGrid&) = default;
};

[[nodiscard]] ChunkGrid grid_for(const Extents& shape, Dtype dtype, bool lies_along_steps = true);
/// Of chunks that are compressed, each of which is a file: smaller ones, of a step each. Nothing if that is too little.
[[nodiscard]] std::optional<ChunkGrid> packed_grid_for(const Extents& shape, Dtype dtype);

/// Whether files of such chunks can be read: they are cut as described above.
[[nodiscard]] bool is_readable(const ChunkGrid& grid, const Extents& shape);

/// A chunk's elements of a step.
struct Chunk {
    Box box;                  // within the step's array
    std::string name;         // of its file, within the array's folder
    std::int64_t offset = 0;  // in bytes, in that file
};

/// Of the step of that place, or of an array that does not lie along steps; `separator` stands in the names of the
/// files. None if the array has no elements.
[[nodiscard]] std::vector<Chunk> chunks_of(const ChunkGrid& grid, const Extents& shape, Dtype dtype,
                                           std::optional<std::int64_t> step, char separator);

/// What the file of a chunk has, all steps and all that lies beyond the array included.
[[nodiscard]] std::int64_t bytes_of(const ChunkGrid& grid, Dtype dtype);

}  // namespace staithe::format::zarr
