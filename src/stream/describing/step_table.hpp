// What a director says of a step to all readers at once, as bytes in its segment.
//
// The *table* of a step holds where each of its blocks lies and its attributes; the *layout*, the schemas of all writer
// ranks put together, is written only when one of them differs from the last step's. Readers copy both out before they
// look at them: they are another process's. Bytes: docs/formats/step_table.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "store/block_ref.hpp"
#include "stream/describing/record.hpp"

namespace staithe::stream {

struct StepTableHeader {
    std::uint32_t magic;
    std::uint32_t version;
    std::uint64_t step;
    std::uint64_t layout;  // counts up with each layout of the stream, from 1
    std::uint64_t blocks;
    std::uint64_t attribute_bytes;
    // Then: a BlockRef of each block, rank by rank; and a CBOR map of each rank that gave the step attributes, behind
    // its length (32 bits).
};
static_assert(sizeof(StepTableHeader) == 40);
constexpr std::uint32_t step_table_magic = 0x54535453;  // "STST"
constexpr std::uint32_t step_table_version = 1;

constexpr std::int64_t step_table_bytes(std::size_t blocks, std::size_t attribute_bytes) {
    return static_cast<std::int64_t>(sizeof(StepTableHeader) + blocks * sizeof(store::BlockRef) + attribute_bytes);
}

/// A table that was copied out.
struct StepTable {
    std::uint64_t layout = 0;
    std::vector<store::BlockRef> blocks;
    std::vector<std::byte> attributes;  // of all ranks that gave some
};
base::Result<StepTable> decode_step_table(std::span<const std::byte> bytes, std::uint64_t step);

/// The attributes of all ranks as one map: where two say different things, the lower rank counts.
base::Result<Attributes> merge_attributes(std::span<const std::byte> attributes);

constexpr std::uint32_t layout_magic = 0x4c535453;  // "STSL"
constexpr std::uint32_t layout_version = 2;

/// Of schemas that split_schema() takes: those of all ranks. Heads that are the same are written once.
std::vector<std::byte> encode_layout(std::uint64_t layout, std::span<const std::span<const std::byte>> schemas);

/// What the schemas of all ranks are made of, in the bytes of a layout.
struct LayoutParts {
    std::vector<std::span<const std::byte>> heads;  // different ones
    std::vector<std::uint32_t> head_of_rank;        // each is one of them
    std::span<const std::byte> boxes;               // rank by rank
};
base::Result<LayoutParts> split_layout(std::span<const std::byte> bytes, std::uint64_t layout);

}  // namespace staithe::stream
