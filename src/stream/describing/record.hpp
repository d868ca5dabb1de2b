// What a writer rank says of a step, as bytes in its pool, and what it comes to.
//
// A *schema* describes the rank's blocks; it is written when it differs from the last step's, and shared by all steps
// after. A *record* is one step: which schema, and where each block's data lies. The director copies both out of the
// rank's pool before it looks at them: they are another process's. Bytes: docs/formats/step_record.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "store/block_ref.hpp"

namespace staithe::stream {

struct RecordHeader {
    std::uint32_t magic;
    std::uint32_t version;
    std::uint64_t step;
    std::uint64_t blocks;
    std::uint64_t schema;  // counts up with each schema of this rank, from 1
    std::int64_t schema_offset;
    std::int64_t schema_bytes;
    std::uint64_t attribute_bytes;
    std::uint64_t reserved;
    // Then: a BlockRef of each block, and the step's attributes as a CBOR map.
};
static_assert(sizeof(RecordHeader) == 64);
constexpr std::uint32_t record_magic = 0x52535453;  // "STSR"
constexpr std::uint32_t record_version = 2;

constexpr std::int64_t record_bytes(std::size_t blocks, std::size_t attribute_bytes) {
    return static_cast<std::int64_t>(sizeof(RecordHeader) + blocks * sizeof(store::BlockRef) + attribute_bytes);
}

/// What a peer claims is longer is nonsense, and not worth copying; nor does a message enclose more.
constexpr std::uint32_t most_record_bytes = std::uint32_t{1} << 30;

/// A rank's part of a step, in memory of this process.
struct RecordView {
    std::uint64_t schema = 0;
    std::span<const store::BlockRef> blocks;
    std::span<const std::byte> attributes;
};

/// Where something lies in its writer's memory.
struct Place {
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
};
/// Fills `memory`, which has as many bytes as `record_bytes` says. The schema has none if it was written before.
void write_record(std::byte* memory, std::int64_t step, const RecordView& record, const Place& schema);

/// `bytes` are aligned like a RecordHeader, and nobody else's.
base::Result<RecordHeader> read_record_header(std::span<const std::byte> bytes, std::uint64_t step);
RecordView view_record(std::span<const std::byte> bytes, const RecordHeader& header);

}  // namespace staithe::stream
