// How a producer takes blocks into its step: describing, checking, copying, lending.
#include <algorithm>
#include <cstring>
#include <utility>

#include "array/strided_copy.hpp"
#include "stream/writing/producer.hpp"
#include "transform/bound.hpp"
#include "transform/coding.hpp"
#include "transform/kept_memory.hpp"

namespace staithe::stream {
namespace {

/// Smaller blocks are not worth the time.
constexpr std::int64_t least_encoded_bytes = 4096;
/// Of its size, that a block takes at most when it is encoded.
constexpr double worth_encoding = 0.9;

/// Whether the description that a put would get is this one. Cheaper than making it: most steps repeat the last.
bool describes(const store::BlockDescription& block, const std::string& variable, Dtype dtype, const Extents& count,
               bool column_major, const PutOptions& options, const codecs::Bound& error, int writers) {
    if (block.variable != variable || block.dtype != dtype || block.box.count != count ||
        block.column_major != column_major || block.unit != options.unit || block.attributes != options.attributes ||
        block.error != error) {
        return false;
    }
    if (!options.offset && !options.shape) {
        return block.local == (writers > 1) && block.shape == count;
    }
    if (block.local || !options.shape || block.shape != *options.shape) {
        return false;
    }
    return options.offset ? block.box.offset == *options.offset : block.box.offset == Extents::filled(count.size(), 0);
}

base::Result<> check_against(const store::BlockDescription& earlier, const store::BlockDescription& block) {
    if (earlier.dtype != block.dtype || earlier.local != block.local ||
        (!block.local && earlier.shape != block.shape)) {
        return base::fail(ErrorCode::invalid_argument,
                          "variable '{}' was put as {} of shape {}, and now as {} of shape {} in the same step",
                          block.variable, name_of(earlier.dtype), to_string(earlier.shape), name_of(block.dtype),
                          to_string(block.shape));
    }
    if (block.local || earlier.box == block.box) {
        return base::fail(ErrorCode::already_exists,
                          "variable '{}' was already put in this step: one name per variable", block.variable);
    }
    if (const auto common = intersect(earlier.box, block.box)) {
        return base::fail(ErrorCode::invalid_argument, "variable '{}': the blocks {} and {} of this step overlap in {}",
                          block.variable, to_string(earlier.box), to_string(block.box), to_string(*common));
    }
    return {};
}

}  // namespace

base::Result<store::BlockMemory> Producer::allocate(StepDraft& step, std::int64_t bytes) {
    if (step.tier == store::Tier::disk && !disk_is_full_) {
        if (auto on_disk = store_->allocate(store::Tier::disk, bytes)) {
            return on_disk;
        }
        // Rather one step more in memory than the queue allows than a step lost. The next one will wait.
        disk_is_full_ = true;
    }
    auto memory = store_->allocate(store::Tier::memory, bytes);
    if (!memory && memory.error().code == ErrorCode::limit_reached) {
        memory = wait_for_memory(bytes);
    }
    return memory;
}

codecs::Bound Producer::error_of(const std::string& variable, const PutOptions& options) const {
    if (options.error || error_.empty()) {
        return options.error.value_or(codecs::Bound::exact());
    }
    return transform::bound_for(error_, variable).value_or(codecs::Bound::exact());
}

base::Result<store::BlockDescription> Producer::describe(const std::string& variable, Dtype dtype, const Extents& count,
                                                         bool column_major, const PutOptions& options) const {
    if (variable.empty()) {
        return base::fail(ErrorCode::invalid_argument, "stream '{}': a variable needs a name", stream_);
    }
    if (!size_in_bytes(count, dtype)) {
        return base::fail(ErrorCode::invalid_argument, "variable '{}': a block of shape {} cannot be", variable,
                          to_string(count));
    }
    if (auto checked = options.error ? transform::check_error(variable, *options.error) : base::Result<>(); !checked) {
        return base::fail(std::move(checked));
    }
    auto block =
        store::placed({variable, dtype, group_.size > 1 && !options.offset && !options.shape, column_major, count,
                       Box::whole(count), options.unit, options.attributes, error_of(variable, options)},
                      options.offset, options.shape);
    if (block && !fits(block->box, block->shape)) {
        return base::fail(ErrorCode::invalid_argument,
                          "variable '{}': the block {} does not lie in the variable's shape {}", variable,
                          to_string(block->box), to_string(block->shape));
    }
    return block;
}

/// What a step has no room for as it is; nothing if that is better, or encoding makes it little smaller. On disk it is
/// exact: that a step was spilled shall make no difference.
base::Result<std::optional<store::BlockMemory>> Producer::encode_in(StepDraft& step, const ArrayView& block,
                                                                    const store::BlockDescription& description) {
    const std::int64_t bytes = description.data_bytes();
    if (bytes < least_encoded_bytes) {
        return std::nullopt;
    }
    const monitor::Span span(tracer_, "compress", step.number, bytes);
    auto payload = step.tier == store::Tier::disk ? spill_coding_.encode(block, description, has_ample_room_on_disk())
                                                  : payload_within(block, description);
    if (!payload) {
        return std::nullopt;
    }
    if (static_cast<double>(payload->size()) > worth_encoding * static_cast<double>(bytes)) {
        transform::give_back(*std::move(payload));
        return std::nullopt;
    }
    auto memory = allocate(step, std::ssize(*payload));
    if (!memory) {
        return base::fail(std::move(memory));
    }
    copy_timed(*memory, std::ssize(*payload),
               [&] { std::memcpy(memory->memory.data, payload->data(), payload->size()); });
    transform::give_back(*std::move(payload));
    memory->encoding = store::Encoding::payload;
    return *memory;
}

/// Within the error that the description says, or exactly, where analyses or a file are to have what was put.
std::optional<std::vector<std::byte>> Producer::payload_within(const ArrayView& block,
                                                               const store::BlockDescription& description) const {
    const bool is_for_followers = placement_ == "inline" || placement_ == "file";
    const codecs::Bound bound = is_for_followers ? codecs::Bound::exact() : description.error;
    const bool is_of_each = bound.kind == codecs::Bound::Kind::pointwise_relative;
    auto payload = transform::encode(block, {.codec = is_of_each ? "shuffle+lz4" : "dq",
                                             .bound = bound,
                                             .fill = store::declared_fill(description.attributes)});
    return payload ? std::optional(*std::move(payload)) : std::nullopt;
}

/// More than half of it.
bool Producer::has_ample_room_on_disk() const {
    return store_->held(store::Tier::disk).bytes < limits_.spill_bytes / 2;
}

/// How fast a disk takes bytes decides how the next ones go there.
void Producer::copy_timed(const store::BlockMemory& to, std::int64_t bytes, base::FunctionRef<void()> copy) {
    if (to.tier != store::Tier::disk) {
        copy();
        return;
    }
    const auto began = base::Clock::now();
    copy();
    spill_coding_.wrote(bytes, base::Clock::now() - began);
}

/// Dense, in the order that it has.
base::Result<store::BlockMemory> Producer::copy_in(StepDraft& step, const ArrayView& block,
                                                   const store::BlockDescription& description) {
    if (step.tier != store::Tier::memory) {
        if (const auto encoded = encode_in(step, block, description); !encoded || *encoded) {
            return encoded ? base::Result<store::BlockMemory>(**encoded) : base::fail(encoded);
        }
    }
    const std::int64_t bytes = description.data_bytes();
    auto memory = allocate(step, bytes);
    if (memory && bytes > 0) {
        const MutableArrayView to{memory->memory.data, block.dtype, block.shape,
                                  description.dense_strides(block.shape)};
        copy_timed(*memory, bytes, [&] { array::copy(to, block, last_step_bytes_); });
    }
    return memory;
}

base::Result<> Producer::put(StepDraft& step, const std::string& variable, const ArrayView& block,
                             const PutOptions& options) {
    monitor::Span span(tracer_, "put", step.number);
    const bool column_major = store::runs_by_columns(block);
    const std::size_t index = step.blocks.size();
    // Once a step differs from the last, each of its blocks is checked against those before it.
    const bool known = !schema_changed_ && index < blocks_.size() &&
                       describes(blocks_[index], variable, block.dtype, block.shape, column_major, options,
                                 error_of(variable, options), group_.size);
    if (known) {
        span.set_bytes(blocks_[index].data_bytes());
        const auto memory = copy_in(step, block, blocks_[index]);
        if (!memory) {
            return base::fail(memory);
        }
        step.blocks.push_back(*memory);
        return {};
    }
    auto description = describe(variable, block.dtype, block.shape, column_major, options);
    if (!description) {
        return base::fail(std::move(description));
    }
    span.set_bytes(description->data_bytes());
    const auto memory = copy_in(step, block, *description);
    return memory ? add_block(step, *memory, *std::move(description)) : base::fail(memory);
}

base::Result<std::unique_ptr<LentBlock>> Producer::lend(StepDraft& step, const std::string& variable, Dtype dtype,
                                                        const Extents& count, const PutOptions& options) {
    monitor::Span span(tracer_, "loan", step.number);
    auto description = describe(variable, dtype, count, options.column_major, options);
    if (!description) {
        return base::fail(std::move(description));
    }
    span.set_bytes(description->data_bytes());
    auto memory = allocate(step, description->data_bytes());
    if (!memory) {
        return base::fail(std::move(memory));
    }
    return std::make_unique<LentBlock>(store_->pool_of(memory->tier), *memory, *std::move(description), step.number);
}

base::Result<> Producer::publish(StepDraft& step, LentBlock& loan) {
    const monitor::Span span(tracer_, "publish", step.number, loan.block.memory.bytes);
    if (auto checked = loan.check_publishable(step, owns(loan)); !checked) {
        return checked;
    }
    store::BlockMemory block = loan.block;
    if (step.tier != store::Tier::memory) {
        const auto encoded = encode_in(step, loan.description.view(block.memory.data), loan.description);
        if (!encoded) {
            return base::fail(encoded);
        }
        if (*encoded) {
            store_->free(std::exchange(block, **encoded));
        }
    }
    loan.published = true;  // add_block frees the memory if it refuses the block
    const std::size_t index = step.blocks.size();
    if (!schema_changed_ && index < blocks_.size() && blocks_[index] == loan.description) {
        step.blocks.push_back(block);
        return {};
    }
    return add_block(step, block, store::BlockDescription(loan.description));
}

// A block that the last step did not have at this place.
base::Result<> Producer::add_block(StepDraft& step, const store::BlockMemory& block,
                                   store::BlockDescription&& description) {
    const std::size_t index = step.blocks.size();
    for (; indexed_ < index; ++indexed_) {
        blocks_of_[blocks_[indexed_].variable].push_back(indexed_);
    }
    if (const auto others = blocks_of_.find(description.variable); others != blocks_of_.end()) {
        for (const std::size_t other : others->second) {
            if (auto checked = check_against(blocks_[other], description); !checked) {
                store_->free(block);
                return checked;
            }
        }
    }
    schema_changed_ = true;
    if (index < blocks_.size()) {
        blocks_[index] = std::move(description);
    } else {
        blocks_.push_back(std::move(description));
    }
    step.blocks.push_back(block);
    return {};
}

}  // namespace staithe::stream
