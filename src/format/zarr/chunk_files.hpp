// Which file has which chunk of an array.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <staithe/box.hpp>
#include <staithe/dtype.hpp>

#include "format/chunks.hpp"
#include "format/recording.hpp"

namespace staithe::format::zarr {

/// A chunk's elements of a step.
struct Chunk {
    Box box;                            // within the step's array
    std::string name;                   // of its file, within the array's folder
    std::int64_t offset = 0;            // in bytes, in the chunk, which is all of that file,
    std::optional<InShard> in_shard{};  // or one of those in it
};

/// How the files are called.
struct ChunkKeys {
    char separator = '.';    // between numbers
    bool has_letter = true;  // c comes first; not in version 2 of the format

    friend bool operator==(const ChunkKeys&, const ChunkKeys&) = default;
};
/// Those that are written.
inline constexpr ChunkKeys own_keys;

/// Of the step of that place, or of an array that does not lie along steps. None if the array has no elements.
[[nodiscard]] std::vector<Chunk> chunks_of(const ChunkGrid& grid, const Extents& shape, Dtype dtype,
                                           std::optional<std::int64_t> step, const ChunkKeys& keys);

}  // namespace staithe::format::zarr
