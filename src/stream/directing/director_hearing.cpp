// What members say to a director on their channels, and rank 0 by calls.
#include <utility>

#include "base/log.hpp"
#include "os/process.hpp"
#include "stream/directing/director.hpp"
#include "stream/directing/writings.hpp"

namespace staithe::stream {
// What writer ranks say -------------------------------------------------------------------------------------------

base::Result<> Director::submit(const WrittenPart& part) {
    const std::lock_guard lock(mutex_);
    if (attends_) {
        attend();  // members wait for what follows from what they have said
    }
    return take_part(0, part);
}

void Director::abandon(std::int64_t step) {
    const std::lock_guard lock(mutex_);
    record(0, step, {.abandoned = true});
}

void Director::finished() {
    const std::lock_guard lock(mutex_);
    state_.queue->finished(0);
    deliver();
}

void Director::squeeze() {
    const std::lock_guard lock(mutex_);
    state_.queue->squeeze();
    deliver();
}

bool Director::take_freed(std::vector<std::int64_t>& steps) {
    const std::lock_guard lock(mutex_);
    attend();
    const bool any = !freed_for_rank_0_.empty();
    steps.insert(steps.end(), freed_for_rank_0_.begin(), freed_for_rank_0_.end());
    freed_for_rank_0_.clear();
    return any;
}

std::int64_t Director::dropped() const {
    const std::lock_guard lock(mutex_);
    return state_.queue->dropped();
}

/// Said once: who floods its channel must not fill the program's log.
void Director::distrust(Member& member, std::string_view what) const {
    if (!std::exchange(member.distrusted, true)) {
        base::log(base::LogLevel::warn, "stream '{}': {} rank {}, {}, {}; no more will be said of what it does",
                  state_.settings.stream, member.reads ? "reader" : "writer", member.rank,
                  transport::to_string(member.link->peer()), what);
    }
}

void Director::hear_writer(Member& member, const transport::Message& message) {
    if (is_staged(member.rank) && hear_staged(member, message)) {
        return;
    }
    const auto step = static_cast<std::int64_t>(message.step);
    switch (static_cast<Hot>(message.kind)) {
        case Hot::record:
            if (auto taken = take_record(member, message); !taken) {
                // The other ranks' parts of the step must not wait for this one.
                distrust(member, fmt::format("has sent a record that is of no use: {}", taken.error().message));
                record(member.rank, step, {.abandoned = true});
            }
            break;
        case Hot::abandoned: record(member.rank, step, {.abandoned = true}); break;
        case Hot::finished:
            state_.queue->finished(member.rank);
            deliver();
            if (staging_) {
                advance_staging();
            }
            end_if_written();
            break;
        case Hot::squeezed:
            state_.queue->squeeze();
            deliver();
            break;
        case Hot::left: member.has_left = true; break;
        default: distrust(member, "has sent nonsense");
    }
}

base::Result<> Director::take_record(const Member& member, const transport::Message& message) {
    const Writings writings(member.channel->take_enclosed().value_or(std::vector<std::byte>()),
                            state_.members.writer(member.rank).pool);
    const auto bytes = writings.copy_of(message.offset, message.bytes);
    if (!bytes) {
        return base::fail(bytes);
    }
    const auto header = read_record_header(*bytes, message.step);
    if (!header) {
        return base::fail(header);
    }
    const RecordView record = view_record(*bytes, *header);
    if (auto checked = check_stores(member.rank, record); !checked) {
        return checked;
    }
    std::vector<std::byte> schema;
    if (!state_.book->knows_schema(member.rank, header->schema)) {
        auto copied = writings.copy_of(header->schema_offset, header->schema_bytes);
        if (!copied) {
            return base::fail(std::move(copied));
        }
        schema = *std::move(copied);
    }
    return take_part(member.rank, {static_cast<std::int64_t>(message.step), record, schema, message.data_bytes,
                                   message.spilled_bytes});
}

base::Result<> Director::check_stores(int rank, const RecordView& record) const {
    for (const store::BlockRef& block : record.blocks) {
        if (static_cast<int>(block.store % static_cast<std::uint32_t>(state_.settings.writers)) != rank) {
            return base::fail(ErrorCode::protocol, "it names a block in store {}, which is not its own", block.store);
        }
    }
    return {};
}

base::Result<> Director::take_part(int rank, const WrittenPart& part) {
    const StepQueue::StepPart sizes{part.data_bytes, part.spilled_bytes, false};
    if (const auto refusal = state_.queue->judge(rank, part.step, sizes); refusal != StepQueue::Refusal::none) {
        return base::fail(ErrorCode::protocol, "stream '{}': writer rank {} cannot write step {} now: {}",
                          state_.settings.stream, rank, part.step, to_string(refusal));
    }
    if (auto taken = state_.book->take(rank, part.step, part.record, part.schema); !taken) {
        return taken;
    }
    if (state_.book->is_whole(part.step)) {
        if (auto written = state_.book->write(part.step); !written) {
            return base::fail(std::move(written));
        }
    }
    if (staging_ && !is_staged(rank)) {
        staging_->lend(rank, part.step, part.data_bytes);
    }
    record(rank, part.step, sizes);
    return {};
}

void Director::record(int rank, std::int64_t step, const StepQueue::StepPart& part) {
    const StepQueue::Recorded recorded = state_.queue->record(rank, step, part);
    if (recorded.refusal != StepQueue::Refusal::none) {
        if (Member* const member = state_.members.writer(rank).member) {
            distrust(*member, fmt::format("speaks of step {}: {}", step, to_string(recorded.refusal)));
        }
        return;
    }
    const auto slot = static_cast<std::size_t>(recorded.slot);
    if (slot >= state_.since.size()) {
        state_.since.resize(slot + 1);
    }
    const StepQueue::Step& recorded_step = state_.queue->step_in(recorded.slot);
    const bool is_complete = recorded_step.missing == 0;
    const bool is_published = is_complete && !recorded_step.abandoned;
    if (is_complete || recorded_step.missing + 1 == state_.settings.writers) {
        state_.since[slot] = os::coarse_monotonic_nanoseconds();
    }
    {
        std::optional<monitor::Span> span;
        if (is_complete) {
            span.emplace(state_.tracer, "announce", step, recorded_step.data_bytes);
        }
        deliver();
    }
    // Not before: a step that was marked and not announced would be lost with this process. One that was announced and
    // not marked is published again by the writer that comes back, and passed by those who have it. One that was
    // abandoned is not marked: if that was since its writer had failed within it, who comes back has it to write.
    if (is_published) {
        publication_->progress().set_next_step(state_.queue->next_step());
    }
    if (is_complete && staging_ && !is_staged(rank)) {
        advance_staging();
    }
}

// What reader ranks say -------------------------------------------------------------------------------------------

void Director::hear_reader(Member& member, const transport::Message& message) {
    const auto step = static_cast<std::int64_t>(message.step);
    switch (static_cast<Hot>(message.kind)) {
        case Hot::release: static_cast<void>(state_.queue->release(member.number, step)); break;
        case Hot::want: state_.queue->want(member.number, step); break;
        case Hot::returned: state_.queue->hand_back(member.number, step); break;
        case Hot::left: member.has_left = true; break;
        default: distrust(member, "has sent nonsense");
    }
    deliver();
}

}  // namespace staithe::stream
