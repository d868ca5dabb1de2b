// The records of a writer rank that is not in the director's process: bytes in its pool, which the director copies out;
// or in its messages, if the director is on another host.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "memory/pool.hpp"
#include "stream/describing/record.hpp"
#include "stream/describing/step_table.hpp"

namespace staithe::stream {

class RecordWriter {
  public:
    explicit RecordWriter(std::shared_ptr<memory::Pool> pool) : pool_(std::move(pool)) {}

    /// Writes the rank's part of a step, and its schema if that was not the last step's.
    base::Result<Place> write(std::int64_t step, const RecordView& record, std::span<const std::byte> schema);
    /// The director has it: its memory is used again.
    void forget(std::int64_t step);

  private:
    struct Record {
        std::int64_t step = 0;
        memory::Allocation memory;  // stays with a spare one: the next record most often has its size
        memory::Allocation schema;  // if it was new with this step
    };
    base::Result<> make_room(memory::Allocation& memory, std::int64_t bytes);

    const std::shared_ptr<memory::Pool> pool_;
    std::vector<Record> live_;
    std::vector<Record> spare_;
    std::uint64_t last_schema_ = 0;
};

/// A record, and behind it the schema if that is new: offsets count from the record's first byte.
class RecordEncloser {
  public:
    /// Good until the next call.
    std::span<const std::byte> enclose(std::int64_t step, const RecordView& record, std::span<const std::byte> schema);

  private:
    std::vector<std::byte> bytes_;
    std::uint64_t last_schema_ = 0;
};

}  // namespace staithe::stream
