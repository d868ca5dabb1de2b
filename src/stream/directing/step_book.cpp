#include "stream/directing/step_book.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "stream/describing/schema.hpp"

namespace staithe::stream {
namespace {

constexpr std::size_t first_slots = 16;

std::byte* append(std::byte* to, const void* bytes, std::size_t count) {
    if (count > 0) {
        std::memcpy(to, bytes, count);
    }
    return to + count;
}

Written written_in(const memory::Allocation& memory) { return {{memory.offset, memory.bytes}, memory.data}; }

}  // namespace

StepBook::StepBook(std::shared_ptr<memory::Pool> segment, int writers)
    : segment_(std::move(segment)),
      writers_(static_cast<std::size_t>(writers)),
      slots_(first_slots),
      said_(writers_),
      laid_out_(writers_) {}

const StepBook::Slot& StepBook::at(std::int64_t step) const {
    return slots_[static_cast<std::size_t>(step) & (slots_.size() - 1)];
}

StepBook::Slot& StepBook::at(std::int64_t step) { return slots_[static_cast<std::size_t>(step) & (slots_.size() - 1)]; }

/// The queue bounds how far apart the numbers of living steps are.
StepBook::Slot& StepBook::slot_for(std::int64_t step) {
    while (at(step).step >= 0 && at(step).step != step) {
        std::vector<Slot> fewer(2 * slots_.size());
        fewer.swap(slots_);
        for (Slot& slot : fewer) {
            if (slot.step >= 0) {
                const std::int64_t number = slot.step;
                at(number) = std::move(slot);
            } else if (slot.table.data != nullptr) {
                segment_->free(slot.table);
            }
        }
    }
    Slot& slot = at(step);
    if (slot.step < 0) {
        slot.step = step;
        slot.missing = writers_;
        slot.parts.resize(writers_);
        for (Part& part : slot.parts) {
            part.is_there = false;
        }
        slot.blocks.clear();
        slot.attributes.clear();
        slot.entry = {};
    }
    return slot;
}

bool StepBook::knows_schema(int rank, std::uint64_t schema) const {
    const auto& said = said_[static_cast<std::size_t>(rank)];
    return said && said->number == schema;
}

base::Result<> StepBook::take(int rank, std::int64_t step, const RecordView& record,
                              std::span<const std::byte> schema) {
    auto& said = said_[static_cast<std::size_t>(rank)];
    if (!knows_schema(rank, record.schema)) {
        if (schema.empty()) {
            return base::fail(ErrorCode::protocol, "writer rank {} names a schema that it has not given", rank);
        }
        const auto parts = split_schema(schema);
        if (!parts) {
            return base::fail(parts);
        }
        said = std::make_shared<const Schema>(Schema{record.schema, parts->blocks, {schema.begin(), schema.end()}});
    }
    // Else two ranks that lie could move the blocks of one between them.
    if (record.blocks.size() != said->blocks) {
        return base::fail(ErrorCode::protocol, "writer rank {} names {} blocks, and its schema describes {}", rank,
                          record.blocks.size(), said->blocks);
    }
    Slot& slot = slot_for(step);
    Part& part = slot.parts[static_cast<std::size_t>(rank)];
    slot.missing -= part.is_there ? 0 : 1;
    part.is_there = true;
    if (part.schema != said) {
        part.schema = said;
    }
    part.first_block = slot.blocks.size();
    part.blocks = record.blocks.size();
    part.first_attribute = slot.attributes.size();
    part.attribute_bytes = record.attributes.size();
    slot.blocks.insert(slot.blocks.end(), record.blocks.begin(), record.blocks.end());
    slot.attributes.insert(slot.attributes.end(), record.attributes.begin(), record.attributes.end());
    return {};
}

bool StepBook::is_whole(std::int64_t step) const { return at(step).step == step && at(step).missing == 0; }

base::Result<> StepBook::write(std::int64_t step) {
    Slot& slot = at(step);
    if (auto adopted = adopt_layout(slot); !adopted) {
        return base::fail(std::move(adopted));
    }
    if (slot.blocks.size() == 1 && slot.attributes.empty()) {
        slot.entry.block = slot.blocks.front();
    } else if (auto written = write_table(slot); !written) {
        return base::fail(std::move(written));
    }
    slot.entry.layout = layouts_written_;
    ++layouts_.back().users;
    return {};
}

/// The newest layout becomes that of this step.
base::Result<> StepBook::adopt_layout(const Slot& slot) {
    bool is_the_same = layouts_written_ > 0;
    for (std::size_t rank = 0; is_the_same && rank < writers_; ++rank) {
        is_the_same = slot.parts[rank].schema == laid_out_[rank];
    }
    if (is_the_same) {
        return {};
    }
    std::vector<std::span<const std::byte>> schemas;
    schemas.reserve(writers_);
    for (const Part& part : slot.parts) {
        schemas.emplace_back(part.schema->bytes);
    }
    const std::vector<std::byte> encoded = encode_layout(layouts_written_ + 1, schemas);
    auto memory = segment_->allocate(static_cast<std::int64_t>(encoded.size()));
    if (!memory) {
        return base::fail(std::move(memory));
    }
    std::memcpy(memory->data, encoded.data(), encoded.size());
    if (!layouts_.empty() && layouts_.back().users == 0) {
        segment_->free(layouts_.back().memory);
        layouts_.pop_back();
    }
    layouts_.push_back({++layouts_written_, *memory, 0});
    for (std::size_t rank = 0; rank < writers_; ++rank) {
        laid_out_[rank] = slot.parts[rank].schema;
    }
    return {};
}

base::Result<> StepBook::write_table(Slot& slot) {
    std::size_t attribute_bytes = 0;
    for (const Part& part : slot.parts) {
        attribute_bytes += part.attribute_bytes > 0 ? sizeof(std::uint32_t) + part.attribute_bytes : 0;
    }
    const std::int64_t bytes = step_table_bytes(slot.blocks.size(), attribute_bytes);
    if (slot.table.bytes != bytes) {  // else the slot still has memory of that size
        if (slot.table.data != nullptr) {
            segment_->free(std::exchange(slot.table, {}));
        }
        auto memory = segment_->allocate(bytes);
        if (!memory) {
            return base::fail(std::move(memory));
        }
        slot.table = *memory;
    }
    const StepTableHeader header{step_table_magic, step_table_version, static_cast<std::uint64_t>(slot.step),
                                 layouts_written_, slot.blocks.size(), attribute_bytes};
    std::byte* to = append(slot.table.data, &header, sizeof(header));
    for (const Part& part : slot.parts) {
        to = append(to, slot.blocks.data() + part.first_block, part.blocks * sizeof(store::BlockRef));
    }
    for (const Part& part : slot.parts) {
        if (part.attribute_bytes > 0) {
            const auto length = static_cast<std::uint32_t>(part.attribute_bytes);
            to = append(to, &length, sizeof(length));
            to = append(to, slot.attributes.data() + part.first_attribute, part.attribute_bytes);
        }
    }
    slot.entry.table = {{slot.table.offset, bytes}, slot.table.data};
    return {};
}

void StepBook::list_refs(std::int64_t step, std::vector<store::BlockRef>& refs) const {
    refs.clear();
    const Slot& slot = at(step);
    for (const Part& part : slot.parts) {
        if (slot.step != step || !part.is_there) {
            continue;
        }
        const auto blocks = std::span(slot.blocks).subspan(part.first_block, part.blocks);
        refs.insert(refs.end(), blocks.begin(), blocks.end());
    }
}

Written StepBook::layout(std::uint64_t number) const {
    const auto layout = std::find_if(layouts_.begin(), layouts_.end(),
                                     [&](const WrittenLayout& written) { return written.number == number; });
    return layout == layouts_.end() ? Written{} : written_in(layout->memory);
}

void StepBook::forget(std::int64_t step) {
    Slot& slot = at(step);
    if (slot.step != step) {
        return;  // no rank had written its part
    }
    const auto layout = std::find_if(layouts_.begin(), layouts_.end(),
                                     [&](const WrittenLayout& written) { return written.number == slot.entry.layout; });
    // A step that was abandoned has none. The newest stays for the steps to come.
    if (layout != layouts_.end() && --layout->users == 0 && layout->number != layouts_written_) {
        segment_->free(layout->memory);
        layouts_.erase(layout);
    }
    slot.step = -1;
}

std::vector<std::byte> StepBook::bytes_of_newest_layout() const {
    if (layouts_.empty()) {
        return {};
    }
    const memory::Allocation& memory = layouts_.back().memory;
    return {memory.data, memory.data + memory.bytes};
}

base::Result<Written> StepBook::write_text(std::string_view text) {
    const auto memory = segment_->allocate(static_cast<std::int64_t>(text.size()));
    if (!memory) {
        return base::fail(memory);
    }
    std::memcpy(memory->data, text.data(), text.size());
    return written_in(*memory);
}

}  // namespace staithe::stream
