// Chunks as c-blosc has them, which Zarr and HDF5 know as one of their codecs: bytes of elements are put beside those
// of the same place in others, and compressed by Zstandard. Format:
// https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"

namespace staithe::format {

/// How chunks are packed, for those who describe it in a file.
inline constexpr const char* packing_compressor = "zstd";
inline constexpr int packing_level = 3;  // beyond it little is gained, at half the speed and less

/// Fills `packed` with the elements of a chunk. `not_found` where Staithe was built without the library.
base::Result<> pack_blosc(std::span<const std::byte> elements, std::int64_t element_bytes,
                          std::vector<std::byte>& packed);
/// Fills `elements` with bytes of those of a chunk that has so many, from byte `first` on; little more is decompressed.
/// The chunk is untrusted: `protocol` if it is damaged, or has more or fewer.
base::Result<> unpack_blosc(std::span<const std::byte> packed, std::int64_t chunk_bytes, std::int64_t first,
                            std::span<std::byte> elements);

}  // namespace staithe::format
