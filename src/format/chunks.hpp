// How an array is cut into chunks: along its slowest dimensions alone, so that the elements of each lie together in the
// array, and those of the last one, which reaches beyond the array, at the beginning of its bytes. Small arrays have
// several steps in a chunk.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <staithe/box.hpp>
#include <staithe/dtype.hpp>

namespace staithe::format {

/// How many chunks of an array lie together in a file: 1 at least.
struct Shard {
    std::int64_t steps = 1;  // along these
    Extents count{};         // along the dimensions of a step

    friend bool operator==(const Shard&, const Shard&) = default;
};

struct ChunkGrid {
    std::int64_t steps = 1;  // in a chunk; several only if one chunk has all of a step
    Extents count{};         // of elements of a step; 1 at least
    /// Where chunks have no files of their own, in formats that have files of several.
    std::optional<Shard> shard{};

    friend bool operator==(const ChunkGrid&, const ChunkGrid&) = default;
};

[[nodiscard]] ChunkGrid grid_for(const Extents& shape, Dtype dtype, bool lies_along_steps = true);
/// Of chunks that are compressed: smaller ones, of a step each. Nothing if that is too little.
[[nodiscard]] std::optional<ChunkGrid> packed_grid_for(const Extents& shape, Dtype dtype);

/// All chunks of a step; nothing if that is one, or none.
[[nodiscard]] std::optional<Shard> shard_of_step(const ChunkGrid& grid, const Extents& shape);

/// Whether chunks are cut as described above.
[[nodiscard]] bool is_readable(const ChunkGrid& grid, const Extents& shape);
/// Whether they can be read, however they are cut.
[[nodiscard]] bool are_few_enough(const ChunkGrid& grid, const Extents& shape);

/// How many chunks have something of a step, of such as can be read.
[[nodiscard]] std::int64_t chunks_of_step(const ChunkGrid& grid, const Extents& shape);

/// What the chunks have of a step, one after another as their elements lie in the array. None if it has no elements.
[[nodiscard]] std::vector<Box> boxes_of(const ChunkGrid& grid, const Extents& shape);

/// What a chunk has of one step, all that lies beyond the array included.
[[nodiscard]] std::int64_t bytes_of_step(const ChunkGrid& grid, Dtype dtype);
/// And of all its steps.
[[nodiscard]] std::int64_t bytes_of(const ChunkGrid& grid, Dtype dtype);
/// Where in its chunk the step of that place begins.
[[nodiscard]] std::int64_t offset_in_chunk(const ChunkGrid& grid, Dtype dtype, std::int64_t step);

}  // namespace staithe::format
