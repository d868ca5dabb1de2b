#include "stream/directing/record_writer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace staithe::stream {

base::Result<> RecordWriter::make_room(memory::Allocation& memory, std::int64_t bytes) {
    if (memory.bytes == bytes) {
        return {};
    }
    if (memory.data != nullptr) {
        pool_->free(std::exchange(memory, {}));
    }
    auto fresh = pool_->allocate(bytes);
    if (!fresh) {
        return base::fail(std::move(fresh));
    }
    memory = *fresh;
    return {};
}

base::Result<Place> RecordWriter::write(std::int64_t step, const RecordView& record,
                                        std::span<const std::byte> schema) {
    if (spare_.empty()) {
        spare_.emplace_back();
    }
    Record& next = spare_.back();
    if (auto made = make_room(next.memory, record_bytes(record.blocks.size(), record.attributes.size())); !made) {
        return base::fail(std::move(made));
    }
    const bool is_new = record.schema != last_schema_;
    if (is_new) {
        if (auto made = make_room(next.schema, static_cast<std::int64_t>(schema.size())); !made) {
            return base::fail(std::move(made));
        }
        std::memcpy(next.schema.data, schema.data(), schema.size());
        last_schema_ = record.schema;
    }
    const RecordHeader header{record_magic,
                              record_version,
                              static_cast<std::uint64_t>(step),
                              record.blocks.size(),
                              record.schema,
                              is_new ? next.schema.offset : 0,
                              is_new ? next.schema.bytes : 0,
                              record.attributes.size(),
                              0};
    std::memcpy(next.memory.data, &header, sizeof(header));
    std::byte* const blocks = next.memory.data + sizeof(header);
    if (!record.blocks.empty()) {
        std::memcpy(blocks, record.blocks.data(), record.blocks.size_bytes());
    }
    if (!record.attributes.empty()) {
        std::memcpy(blocks + record.blocks.size_bytes(), record.attributes.data(), record.attributes.size());
    }
    next.step = step;
    live_.push_back(next);
    spare_.pop_back();
    return Place{live_.back().memory.offset, live_.back().memory.bytes};
}

void RecordWriter::forget(std::int64_t step) {
    const auto record = std::find_if(live_.begin(), live_.end(), [&](const Record& live) { return live.step == step; });
    if (record == live_.end()) {
        return;  // it was abandoned
    }
    if (record->schema.data != nullptr) {
        pool_->free(std::exchange(record->schema, {}));
    }
    spare_.push_back(*record);
    live_.erase(record);
}

}  // namespace staithe::stream
