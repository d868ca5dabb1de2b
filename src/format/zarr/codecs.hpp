// What the metadata of arrays say of how chunks are encoded, as far as recordings have it.
#pragma once

#include <cstddef>
#include <optional>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "format/plan.hpp"

namespace staithe::format::zarr {

/// Of a chunk that is written: little-endian bytes, plain or compressed, or payloads.
[[nodiscard]] List encode_codecs(const ArrayNode& array);
/// Of a file of many chunks, each of which has that shape, and those codecs.
[[nodiscard]] Value encode_shard(List chunk_shape, List codecs);

/// Of an array with so many dimensions, that of steps among them. `protocol` says what cannot be read. Untrusted, as
/// all that follows.
[[nodiscard]] base::Result<> take_codecs(const List& codecs, std::size_t dimensions, ArrayNode& array);

struct ShardCodec {
    const List* chunk_shape = nullptr;  // null: it is no list
    const List* codecs = nullptr;
};
/// Nothing if these are codecs of something else.
[[nodiscard]] base::Result<std::optional<ShardCodec>> shard_of(const List& codecs);

}  // namespace staithe::format::zarr
