// What the director knows of the steps' blocks: takes in the records of the writer ranks, and writes for each step one
// table, and for each change one layout, that all readers see.
//
// It lies in a segment that members map read-only. Knows nothing of who gets a step, or when: that is the queue's.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "memory/pool.hpp"
#include "stream/describing/record.hpp"
#include "stream/describing/step_table.hpp"
#include "stream/directing/step_entry.hpp"

namespace staithe::stream {

class StepBook {
  public:
    StepBook(std::shared_ptr<memory::Pool> segment, int writers);

    /// Takes in a rank's part of a step. `schema` is what its number stands for; empty if the rank has said it before.
    base::Result<> take(int rank, std::int64_t step, const RecordView& record, std::span<const std::byte> schema);
    [[nodiscard]] bool knows_schema(int rank, std::uint64_t schema) const;
    /// All parts of the step were taken in.
    [[nodiscard]] bool is_whole(std::int64_t step) const;

    /// Writes down a step of which all parts were taken in. `limit_reached` if there is no memory for it.
    base::Result<> write(std::int64_t step);
    [[nodiscard]] const StepEntry& entry(std::int64_t step) const { return at(step).entry; }
    /// Of its blocks, rank by rank, as far as they were taken in.
    void list_refs(std::int64_t step, std::vector<store::BlockRef>& refs) const;
    /// Of a step that was written down and not forgotten, or of the newest one.
    [[nodiscard]] Written layout(std::uint64_t number) const;
    void forget(std::int64_t step);

    /// The number of the newest layout, 0 before the first step; and its bytes.
    [[nodiscard]] std::uint64_t newest_layout() const { return layouts_written_; }
    [[nodiscard]] std::vector<std::byte> bytes_of_newest_layout() const;
    /// A text that members read, until the end.
    base::Result<Written> write_text(std::string_view text);

    [[nodiscard]] const os::FileDescriptor& file() const { return segment_->file(); }

  private:
    struct Schema {
        std::uint64_t number = 0;  // the rank's
        std::size_t blocks = 0;    // that it describes
        std::vector<std::byte> bytes;
    };
    struct Part {
        bool is_there = false;
        std::shared_ptr<const Schema> schema;  // stays when the step is forgotten: the next ones' is often the same
        std::size_t first_block = 0;
        std::size_t blocks = 0;
        std::size_t first_attribute = 0;
        std::size_t attribute_bytes = 0;
    };
    /// A step, from its first part until it is forgotten. Slots are used again, with the memory of their lists.
    struct Slot {
        std::int64_t step = -1;
        std::size_t missing = 0;  // parts
        std::vector<Part> parts;  // by rank
        std::vector<store::BlockRef> blocks;
        std::vector<std::byte> attributes;
        StepEntry entry;
        memory::Allocation table;
    };
    struct WrittenLayout {
        std::uint64_t number = 0;
        memory::Allocation memory;
        int users = 0;  // steps
    };

    [[nodiscard]] const Slot& at(std::int64_t step) const;
    Slot& at(std::int64_t step);
    Slot& slot_for(std::int64_t step);
    base::Result<> adopt_layout(const Slot& slot);
    base::Result<> write_table(Slot& slot);

    const std::shared_ptr<memory::Pool> segment_;
    const std::size_t writers_;
    std::vector<Slot> slots_;                              // by number, modulo their count
    std::vector<std::shared_ptr<const Schema>> said_;      // by rank: the newest
    std::vector<std::shared_ptr<const Schema>> laid_out_;  // by rank: of the newest layout
    std::vector<WrittenLayout> layouts_;                   // in use; the last one is the newest
    std::uint64_t layouts_written_ = 0;
};

}  // namespace staithe::stream
