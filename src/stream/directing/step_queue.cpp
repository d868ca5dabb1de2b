#include "stream/directing/step_queue.hpp"

#include <algorithm>

namespace staithe::stream {

StepQueue::StepQueue(const Settings& settings)
    : settings_(settings),
      limits_of_rank_(settings.limits.part_of_rank(settings.writers)),
      most_bytes_(INT64_MAX / 4 / settings.writers),
      next_incomplete_(settings.first_step),
      next_unspoken_(settings.first_step),
      next_step_(settings.first_step),
      newest_gone_(settings.first_step - 1) {
    const auto writers = static_cast<std::size_t>(settings.writers);
    writers_.resize(writers);
    for (Writer& writer : writers_) {
        writer.next = settings.first_step;
    }
    newest_bytes_.resize(writers);
    queued_bytes_.resize(writers);
    pinned_bytes_.resize(writers);
}

void StepQueue::deliver(Kind kind, const Step& step, int member) {
    Delivery& delivery = deliveries_.emplace_back();
    delivery.kind = kind;
    delivery.slot = step.slot;
    delivery.member = member;
    delivery.step = step.number;
}

// Steps from the first record to the last release. ----------------------------------------------------------------

StepQueue::Refusal StepQueue::judge(int rank, std::int64_t number, const StepPart& part) const {
    const Writer& writer = this->writer(rank);
    if (number != writer.next || writer.finished) {
        return number < writer.next || writer.finished ? Refusal::said_before : Refusal::out_of_turn;
    }
    const std::int64_t in_queue = complete_steps_ + (writer.next - next_incomplete_);
    if (static_cast<std::uint64_t>(in_queue) >= settings_.limits.capacity() || number == INT64_MAX) {
        return Refusal::too_many_steps;
    }
    const std::int64_t bytes_left =
        most_bytes_ - queued_bytes_[static_cast<std::size_t>(rank)] - writer.incomplete_bytes;
    if (part.spilled_bytes < 0 || part.spilled_bytes > part.data_bytes || part.data_bytes > bytes_left) {
        return Refusal::too_many_bytes;
    }
    return Refusal::none;
}

const char* to_string(StepQueue::Refusal refusal) {
    switch (refusal) {
        case StepQueue::Refusal::none: break;
        case StepQueue::Refusal::said_before: return "it has spoken of that step before, or after its last one";
        case StepQueue::Refusal::out_of_turn: return "it has steps to write before that one";
        case StepQueue::Refusal::too_many_steps: return "the queue has no room for one more";
        case StepQueue::Refusal::too_many_bytes: return "no memory can hold so much";
    }
    return "it is taken";
}

StepQueue::Recorded StepQueue::record(int rank, std::int64_t number, const StepPart& part) {
    if (const Refusal refusal = judge(rank, number, part); refusal != Refusal::none) {
        return {refusal};
    }
    const auto r = static_cast<std::size_t>(rank);
    Writer& writer = writers_[r];
    const bool is_first = number == next_unspoken_;
    Step& step = is_first ? append_step() : number == next_incomplete_ ? *first_incomplete_ : *writer.newest->next;
    writer.newest = &step;
    ++writer.next;
    writer.incomplete_bytes += part.data_bytes;
    step.bytes_of[r] = part.data_bytes;
    step.data_bytes += part.data_bytes;
    step.spilled_bytes += part.spilled_bytes;
    step.abandoned |= part.abandoned;
    const int slot = step.slot;
    if (--step.missing == 0) {
        complete(step);
    }
    return {Refusal::none, slot};
}

/// A step that no writer rank has spoken of yet.
StepQueue::Step& StepQueue::append_step() {
    if (spare_ == nullptr) {
        Step& made = slots_.emplace_back();
        made.slot = static_cast<int>(slots_.size()) - 1;
        made.bytes_of.resize(writers_.size());
        spare_ = &made;
    }
    Step& step = *spare_;
    spare_ = step.next;
    step.number = next_unspoken_++;
    step.missing = settings_.writers;
    step.abandoned = false;
    step.kept = true;
    step.retained = false;
    step.at_rest = false;
    step.data_bytes = 0;
    step.spilled_bytes = 0;
    step.next = nullptr;
    step.previous = last_;
    (last_ == nullptr ? first_ : last_->next) = &step;
    last_ = &step;
    if (first_incomplete_ == nullptr) {
        first_incomplete_ = &step;
    }
    return step;
}

void StepQueue::complete(Step& step) {
    first_incomplete_ = step.next;
    ++next_incomplete_;
    ++complete_steps_;
    for (std::size_t rank = 0; rank < writers_.size(); ++rank) {
        writers_[rank].incomplete_bytes -= step.bytes_of[rank];
        queued_bytes_[rank] += step.bytes_of[rank];
    }
    if (is_over()) {
        step.abandoned = true;  // readers know that no step comes any more: all of them are to see the same
        settle(step);
        return;
    }
    next_step_ = step.number + 1;
    if (step.abandoned) {
        deliver(Kind::skipped, step);
        settle(step);
    } else {
        publish(step);
    }
}

void StepQueue::publish(Step& step) {
    newest_bytes_ = step.bytes_of;
    room_beside_pinned_.reset();
    deliver(Kind::published, step);
    retain(step);
    if (is_kept(step) && must_miss(settings_.overflow, step.number)) {
        stop_keeping(step);
    }
    for (Group& group : groups_) {
        offer(step, group);
    }
    settle(step);
    balance();
}

void StepQueue::announce(Step& step, Group& group) {
    for (const Group::Place& place : group.places) {
        if (place.member != nobody && member_of(place.member).ready) {
            member_of(place.member).held.push_back(&step);
            ++step.holders;
            if (!group.overflow.is_lossless()) {
                pin(step);
            }
            deliver(Kind::announce, step, place.member);
        }
    }
    group.announced = step.number;
    group.wants = false;
}

bool StepQueue::release(int member, std::int64_t number) {
    Member& reader = member_of(member);
    const auto held = std::ranges::find(reader.held, number, &Step::number);
    if (held == reader.held.end()) {
        return false;
    }
    Step& step = **held;
    reader.held.erase(held);
    ++reader.released;
    let_go(step, *reader.group);
    const bool is_news = step.holders == 0 || step.pins == 0;  // others may take its place, or it may be dropped
    settle(step);
    if (is_news) {
        balance();
    }
    return true;
}

void StepQueue::let_go(Step& step, const Group& group) {
    --step.holders;
    if (!group.overflow.is_lossless()) {
        unpin(step);
    }
}

void StepQueue::settle(Step& step) {
    if (step.missing > 0 || (!step.abandoned && (step.holders > 0 || step.waiting > 0 || is_kept(step)))) {
        return;
    }
    if (step.retained) {
        lay_to_rest(step);
        return;
    }
    if (!step.abandoned) {
        newest_gone_ = std::max(newest_gone_, step.number);
    }
    deliver(Kind::freed, step);
    squeezed_ = false;
    --complete_steps_;
    if (step.at_rest) {
        --steps_at_rest_;
    } else {
        leave_queue(step);
    }
    (step.previous == nullptr ? first_ : step.previous->next) = step.next;
    (step.next == nullptr ? last_ : step.next->previous) = step.previous;
    step.next = spare_;
    spare_ = &step;
}

/// The newest step takes its place among those that stay, and the oldest of these make room for it.
void StepQueue::retain(Step& step) {
    const Retention& keep = settings_.limits.keep;
    if (keep.steps == 0) {
        return;
    }
    step.retained = true;
    first_retained_ = first_retained_ == nullptr ? &step : first_retained_;
    ++retained_steps_;
    retained_bytes_ += step.data_bytes;
    while (retained_steps_ > 1 && (retained_steps_ > keep.steps || retained_bytes_ > keep.bytes)) {
        stop_retaining_oldest();
    }
}

void StepQueue::stop_retaining_oldest() {
    Step& oldest = *first_retained_;
    first_retained_ = oldest.next;
    --retained_steps_;
    retained_bytes_ -= oldest.data_bytes;
    oldest.retained = false;
    settle(oldest);
}

bool StepQueue::let_oldest_go() {
    const int before = complete_steps_;
    while (retained_steps_ > 1 && complete_steps_ == before) {
        stop_retaining_oldest();
    }
    return complete_steps_ < before;
}

/// Whoever comes for it later does not take its room in the queue again: there is no more of them than stay.
void StepQueue::lay_to_rest(Step& step) {
    if (!step.at_rest) {
        step.at_rest = true;
        ++steps_at_rest_;
        squeezed_ = false;
        leave_queue(step);
        deliver(Kind::at_rest, step);
    }
}

void StepQueue::leave_queue(const Step& step) {
    for (std::size_t rank = 0; rank < writers_.size(); ++rank) {
        queued_bytes_[rank] -= step.bytes_of[rank];
    }
}

void StepQueue::settle_all() {
    for (Step *step = first_, *next = nullptr; step != nullptr; step = next) {
        next = step->next;
        settle(*step);
    }
}

// How the stream ends. ---------------------------------------------------------------------------------------------

void StepQueue::finished(int rank) {
    Writer& writer = writers_[static_cast<std::size_t>(rank)];
    if (writer.finished) {
        return;
    }
    writer.finished = true;
    ++finished_writers_;
    const auto& first = first_to_finish_;
    if (!first || writer.next < first->step || (writer.next == first->step && rank < first->rank)) {
        first_to_finish_ = {rank, writer.next};
    }
}

bool StepQueue::lose_writer(int rank) {
    if (lost_writer_ || writer(rank).finished) {
        return false;
    }
    give_up(rank);
    return true;
}

void StepQueue::give_up(int rank) {
    lost_writer_ = rank;
    for (Group& group : groups_) {
        serve(group);
        // Of one that is not whole yet some ranks may be reading: they hear of it with the others, behind the steps
        // that all of them get.
        if (group.active || group.is_inline) {
            tell_of_end(group);
        }
    }
    deliveries_.push_back({.kind = Kind::lost});
}

void StepQueue::end() {
    ended_ = true;
    for (Group& group : groups_) {
        serve(group);
        tell_of_end(group);
    }
    if (lost_writer_) {
        deliveries_.push_back({.kind = Kind::lost});
    }
    deliveries_.push_back({.kind = Kind::ended});
}

// Questions. -------------------------------------------------------------------------------------------------------

std::int64_t StepQueue::oldest_step() const {
    return complete_steps_ == 0 ? next_step_ : first_->number;  // one that is abandoned is freed once it is complete
}

std::int64_t StepQueue::unread() const {
    std::int64_t count = 0;
    for (const Step* step = first_; step != first_incomplete_; step = step->next) {
        count += is_kept(*step) ? 1 : 0;
    }
    return count;
}

std::optional<StepQueue::Disagreement> StepQueue::disagreement() const {
    return first_to_finish_ && first_to_finish_->step < next_unspoken_ ? first_to_finish_ : std::nullopt;
}

}  // namespace staithe::stream
