// What the metadata of arrays say of how chunks are encoded, as far as recordings have it.
#pragma once

#include <optional>

#include <staithe/value.hpp>

#include "format/plan.hpp"

namespace staithe::format::zarr {

/// Of a chunk: little-endian bytes, plain or compressed, or payloads.
[[nodiscard]] List encode_codecs(const ArrayNode& array);
/// Of a file of many chunks, each of which has that shape, and those codecs.
[[nodiscard]] Value encode_shard(List chunk_shape, List codecs);

/// False if these are no codecs of a chunk that can be read. Untrusted, as all that follows.
[[nodiscard]] bool take_codecs(const List& codecs, ArrayNode& array);

struct ShardCodec {
    const List* chunk_shape = nullptr;  // null: it is no list
    const List* codecs = nullptr;       // likewise
};
/// Nothing if these are codecs of something else.
[[nodiscard]] std::optional<ShardCodec> shard_of(const List& codecs);

}  // namespace staithe::format::zarr
