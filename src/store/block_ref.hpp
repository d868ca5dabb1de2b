// Where the bytes of a block lie, as processes tell each other: frozen, described in docs/formats/step_record.md.
//
// The stores of a stream are numbered. Of a live stream with n writer ranks, store r is the pool of rank r in memory,
// store n + r its pool on disk. What comes from another process is untrusted: a source checks each ref against the
// block's description, and against what it holds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "store/block.hpp"

namespace staithe::store {

/// How the stored bytes become the elements of the block.
enum class Encoding : std::uint16_t {
    raw = 0,      // they are its elements, dense in the order that its description names
    payload = 1,  // of a codec (docs/formats/payload.md)
    parts = 2,    // several parts, some of which may be payloads (docs/formats/block_parts.md)
};

struct BlockRef {
    std::uint32_t store = 0;
    Encoding encoding = Encoding::raw;  // any number, if it comes from another process
    std::uint16_t version = 1;          // of this structure
    std::int64_t offset = 0;            // in the store
    std::int64_t bytes = 0;             // stored there

    friend bool operator==(const BlockRef&, const BlockRef&) = default;
};
static_assert(sizeof(BlockRef) == 24 && alignof(BlockRef) == 8 && offsetof(BlockRef, encoding) == 4 &&
              offsetof(BlockRef, version) == 6 && offsetof(BlockRef, offset) == 8 && offsetof(BlockRef, bytes) == 16);

/// `protocol`, with the block's name, unless the ref is of this version, of that encoding, and names bytes that can be
/// a block of that description.
base::Result<> check(const BlockRef& ref, const BlockDescription& block, Encoding encoding);

/// The failure that the block cannot be had: `protocol`.
[[nodiscard]] base::Failure unusable(const BlockRef& ref, const BlockDescription& block, const std::string& why);

}  // namespace staithe::store
