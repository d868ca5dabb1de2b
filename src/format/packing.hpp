// Chunks compressed, and made whole again, in all the ways that there are.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <staithe/array_view.hpp>

#include "base/result.hpp"
#include "format/recording.hpp"

namespace staithe::format {

/// Of the elements of a chunk; the format of Blosc has no more.
inline constexpr std::int64_t most_packed_bytes = INT32_MAX - 64;

/// A chunk, whose elements lie in C order, as the array has it packed: a part of `room`, until that changes.
base::Result<std::span<const std::byte>> pack(const ArrayView& chunk, const ArrayToStore& array,
                                              std::vector<std::byte>& room);

/// Where such a chunk, of steps along its first dimension if it has such, has elements from each other, in bytes.
[[nodiscard]] std::vector<std::int64_t> strides_of(const ChunkCoding& coding, std::span<const std::int64_t> shape,
                                                   Dtype dtype);

/// Fills `elements` with those of a box of a part, of the chunk that it lies in; of which little more is unpacked than
/// that needs. The chunk is untrusted: `protocol` if it is damaged, or has more elements or fewer.
base::Result<> unpack(const StoredPart& part, std::span<const std::byte> packed, const Box& box,
                      const MutableArrayView& elements);
/// Likewise where there is no chunk.
void fill(const StoredPart& part, const MutableArrayView& elements);

}  // namespace staithe::format
