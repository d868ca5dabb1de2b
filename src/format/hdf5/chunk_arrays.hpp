// Indices of chunks that are arrays, as HDF5 1.10 and later have them: a chunk is found by its number. One array has
// all entries that there can ever be, the other one grows by blocks that double in size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "format/hdf5/checked_blocks.hpp"
#include "format/hdf5/chunk_index.hpp"
#include "format/hdf5/image.hpp"

namespace staithe::format::hdf5 {

/// Of a chunk as the next bytes of an entry tell of it, which has so many: of one that goes through no filters they do
/// not say how large it is, and that is 0. Nothing if there are no such entries.
[[nodiscard]] std::optional<ChunkPlace> take_place(base::ByteReader& in, std::size_t entry_bytes);

/// Of the chunk of that number, by the array whose header is there; nothing, or nowhere, if the file has no such chunk.
/// Untrusted.
[[nodiscard]] base::Result<std::optional<ChunkPlace>> find_in_fixed_array(CheckedBlocks& blocks, Address address,
                                                                          std::uint64_t number);
[[nodiscard]] base::Result<std::optional<ChunkPlace>> find_in_extensible_array(CheckedBlocks& blocks, Address address,
                                                                               std::uint64_t number);

}  // namespace staithe::format::hdf5
