#include "stream/directing/record_writer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace staithe::stream {

std::span<const std::byte> RecordEncloser::enclose(std::int64_t step, const RecordView& record,
                                                   std::span<const std::byte> schema) {
    const auto bytes = static_cast<std::size_t>(record_bytes(record.blocks.size(), record.attributes.size()));
    const bool is_new = std::exchange(last_schema_, record.schema) != record.schema;
    bytes_.resize(bytes);
    write_record(bytes_.data(), step, record,
                 is_new ? Place{static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(schema.size())} : Place{});
    if (is_new) {
        bytes_.insert(bytes_.end(), schema.begin(), schema.end());
    }
    return bytes_;
}

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
    write_record(next.memory.data, step, record, is_new ? Place{next.schema.offset, next.schema.bytes} : Place{});
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
