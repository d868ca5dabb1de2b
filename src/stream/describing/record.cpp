#include "stream/describing/record.hpp"

#include <cstring>

namespace staithe::stream {

void write_record(std::byte* memory, std::int64_t step, const RecordView& record, const Place& schema) {
    const RecordHeader header{record_magic,
                              record_version,
                              static_cast<std::uint64_t>(step),
                              record.blocks.size(),
                              record.schema,
                              schema.offset,
                              schema.bytes,
                              record.attributes.size(),
                              0};
    std::memcpy(memory, &header, sizeof(header));
    std::byte* const blocks = memory + sizeof(header);
    if (!record.blocks.empty()) {
        std::memcpy(blocks, record.blocks.data(), record.blocks.size_bytes());
    }
    if (!record.attributes.empty()) {
        std::memcpy(blocks + record.blocks.size_bytes(), record.attributes.data(), record.attributes.size());
    }
}

base::Result<RecordHeader> read_record_header(std::span<const std::byte> bytes, std::uint64_t step) {
    RecordHeader header{};
    if (bytes.size() >= sizeof(header)) {
        std::memcpy(&header, bytes.data(), sizeof(header));
    }
    if (header.magic != record_magic || header.version != record_version || header.step != step ||
        header.blocks > bytes.size() / sizeof(store::BlockRef) || header.attribute_bytes > bytes.size() ||
        static_cast<std::int64_t>(bytes.size()) != record_bytes(header.blocks, header.attribute_bytes)) {
        return base::fail(ErrorCode::protocol, "the record of step {} is garbled", step);
    }
    return header;
}

RecordView view_record(std::span<const std::byte> bytes, const RecordHeader& header) {
    const auto* const blocks = reinterpret_cast<const store::BlockRef*>(bytes.data() + sizeof(RecordHeader));
    return {header.schema, {blocks, header.blocks}, bytes.last(header.attribute_bytes)};
}

}  // namespace staithe::stream
