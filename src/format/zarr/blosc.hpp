// Chunks as the codec `blosc` of Zarr has them: bytes of elements are put beside those of the same place in others, and
// compressed by Zstandard. Format: https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"

namespace staithe::format::zarr {

/// Of the elements of a chunk; the format has no more.
inline constexpr std::int64_t most_packed_bytes = INT32_MAX - 64;

/// The codec, as metadata describe it, of elements of that many bytes.
[[nodiscard]] Attributes packed_codec(std::int64_t element_bytes);

/// Fills `packed` with the elements of a chunk. `not_found` where Staithe was built without the library.
base::Result<> pack(std::span<const std::byte> elements, std::int64_t element_bytes, std::vector<std::byte>& packed);
/// Fills `elements` with those of a chunk, which is untrusted: `protocol` if it is damaged, or has more or fewer.
base::Result<> unpack(std::span<const std::byte> packed, std::span<std::byte> elements);

}  // namespace staithe::format::zarr
