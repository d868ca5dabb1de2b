// What a writer rank says of the blocks of a step, as bytes in its pool.
//
// A *schema* describes the blocks (name, dtype, box, attributes). It is written when it differs from the last step's
// and is shared by all steps after. A *record* is one step of one rank: which schema, and where each block's data lies.
// The bytes are described in docs/formats/step_record.md. Readers treat them as untrusted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <staithe/array_view.hpp>
#include <staithe/box.hpp>
#include <staithe/dtype.hpp>
#include <staithe/value.hpp>

#include "base/result.hpp"

namespace staithe::stream {

struct BlockDescription {
    std::string variable;
    Dtype dtype = Dtype::u8;
    bool local = false;         // this rank's own array: the box starts at 0, the shape is its count
    bool column_major = false;  // the data lies dense in Fortran order, else in C order
    Extents shape{};            // of the whole variable
    Box box{};
    std::string unit;
    Attributes attributes;

    [[nodiscard]] std::int64_t data_bytes() const { return size_in_bytes(box.count, dtype).value_or(0); }
    [[nodiscard]] ArrayView view(const void* data) const;
    bool operator==(const BlockDescription&) const = default;
};

base::Result<std::vector<std::byte>> encode_schema(std::span<const BlockDescription> blocks);
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
    // Then: int64 offset of each block's data in the pool, and the step's attributes as a CBOR map.
};
static_assert(sizeof(RecordHeader) == 64);
constexpr std::uint32_t record_magic = 0x52535453;  // "STSR"

/// In the offset of a block's data: it lies in the rank's pool on disk. Above every offset that a file can have.
constexpr std::int64_t on_disk_flag = std::int64_t{1} << 62;

constexpr std::int64_t record_bytes(std::size_t blocks, std::size_t attribute_bytes) {
    return static_cast<std::int64_t>(sizeof(RecordHeader) + blocks * sizeof(std::int64_t) + attribute_bytes);
}

/// A record as it lies in memory.
struct RecordView {
    const RecordHeader* header = nullptr;
    std::span<const std::int64_t> offsets;
    std::span<const std::byte> attributes;
};
base::Result<RecordView> view_record(std::span<const std::byte> bytes, std::uint64_t step);

}  // namespace staithe::stream
