// What a writer rank says of the blocks of a step, as bytes in its pool.
//
// A *schema* describes the blocks (name, dtype, box, attributes). It is written when it differs from the last step's
// and is shared by all steps after. A *record* is one step of one rank: which schema, and where each block's data lies.
// The bytes are described in docs/formats/step_record.md. Readers treat them as untrusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "store/block_ref.hpp"

namespace staithe::stream {

using store::BlockDescription;

std::vector<std::byte> encode_schema(std::span<const BlockDescription> blocks);
base::Result<std::vector<BlockDescription>> decode_schema(std::span<const std::byte> bytes);

struct RecordHeader {
    std::uint32_t magic;
    std::uint32_t blocks;
    std::uint64_t step;
    std::uint64_t schema_id;  // counts up with each schema of this rank, from 1
    std::int64_t schema_offset;
    std::int64_t schema_bytes;
    std::int64_t data_bytes;  // of all blocks
    std::uint64_t attribute_bytes;
    std::uint64_t reserved;
    // Then: the store::BlockRef of each block, and the step's attributes as a CBOR map.
};
static_assert(sizeof(RecordHeader) == 64);
constexpr std::uint32_t record_magic = 0x52535453;  // "STSR"

constexpr std::int64_t record_bytes(std::size_t blocks, std::size_t attribute_bytes) {
    return static_cast<std::int64_t>(sizeof(RecordHeader) + blocks * sizeof(store::BlockRef) + attribute_bytes);
}

/// A record in memory that its writer can still change: the header is a copy, the rest is copied before it is looked
/// at.
struct Record {
    RecordHeader header{};
    std::span<const std::byte> blocks;
    std::span<const std::byte> attributes;

    void append_blocks_to(std::vector<store::BlockRef>& refs) const;
};
base::Result<Record> open_record(std::span<const std::byte> bytes, std::uint64_t step);

}  // namespace staithe::stream
