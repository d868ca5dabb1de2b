// The queue when reader groups do not keep up: who may lose which step, and who gets one when it asks.
//
// A group that may lose steps is never the reason why the writer waits. Whenever the queue has no room for one more
// step, steps that only wait for such groups are dropped, by their policies; and such groups are not given so many
// steps that the views which hold them could fill the queue.
#include <algorithm>
#include <functional>

#include "stream/directing/step_queue.hpp"

namespace staithe::stream {

void StepQueue::offer(Step& step, Group& group) {
    if (!group.active || step.number < group.start || group.paused || group.ready == 0) {
        return;
    }
    if (group.overflow.is_lossless()) {
        announce(step, group);
        return;
    }
    if (must_miss(group.overflow, step.number)) {
        count_drops(&group, 1);
        return;
    }
    if (group.overflow.policy == Overflow::Policy::latest) {
        withdraw_all(group, true);
    }
    add_waiting(group, step);
}

/// Whether the new step finds no room with those who keep what they have: older steps do not give way to it.
bool StepQueue::must_miss(const Overflow& overflow, std::int64_t step) const {
    return overflow.may_miss(step) && !overflow.gives_way(step) && !has_room();
}

/// Keeps the promise of this file after whatever changed the queue.
void StepQueue::balance() {
    if (lossy_groups_ == 0 && settings_.overflow.is_lossless()) {
        return;
    }
    make_room();
    if (squeezed_) {
        relieve();
    }
    for (Group& group : groups_) {
        serve(group);
    }
}

void StepQueue::squeeze() {
    squeezed_ = true;
    balance();
}

/// Drops the oldest step that gives way to newer ones; else the newest of those that would have been missed if what is
/// missing now had been known when they came.
void StepQueue::relieve() {
    Step* step = first_;
    while (step != first_incomplete_ && !may_drop(*step)) {
        step = step->next;
    }
    if (step == first_incomplete_) {
        step = first_incomplete_ == nullptr ? last_ : first_incomplete_->previous;
        while (step != nullptr && !could_have_been_missed(*step)) {
            step = step->previous;
        }
    }
    if (step != nullptr) {
        drop(*step);
        settle(*step);
    }
}

void StepQueue::make_room() {
    bool has_enough = has_room();
    for (Step *step = first_, *next = nullptr; step != first_incomplete_ && !has_enough; step = next) {
        next = step->next;
        if (may_drop(*step)) {
            drop(*step);
            settle(*step);
            has_enough = has_room();
        }
    }
}

/// Gives the group the step that it asked for, if that is there; when nothing comes any more, all that waits for it.
void StepQueue::serve(Group& group) {
    while (!group.waiting.empty() && (is_over() || (group.wants && may_be_given(*group.waiting.front())))) {
        give_oldest(group);
    }
}

/// Held by a view it could not be dropped any more: the writer must be able to go on beside it. Many groups ask this of
/// one step: the answer, a look at all writer ranks, is the same until other steps are pinned or the newest one
/// changes.
bool StepQueue::may_be_given(const Step& step) {
    const Step* const another = step.pins > 0 ? nullptr : &step;
    if (!room_beside_pinned_ || room_beside_pinned_->another != another) {
        const bool is_left = leaves_room(pinned_bytes_, pinned_steps_ + (another == nullptr ? 0 : 1), another);
        room_beside_pinned_ = {another, is_left};
    }
    return room_beside_pinned_->is_left;
}

void StepQueue::give_oldest(Group& group) {
    Step& step = *group.waiting.front();
    withdraw(group, group.waiting.begin());
    announce(step, group);
}

void StepQueue::want(int member, std::int64_t number) {
    Group& group = *member_of(member).group;
    group.wants = group.wants || number > group.announced;
    serve(group);
}

void StepQueue::hand_back(int member, std::int64_t number) {
    Member& reader = member_of(member);
    Group& group = *reader.group;
    const auto held = std::ranges::find(reader.held, number, &Step::number);
    if (group.places.size() > 1 || group.overflow.is_lossless() || held == reader.held.end()) {
        return;
    }
    Step& step = **held;
    reader.held.erase(held);
    group.announced = std::min(group.announced, number - 1);
    if (!group.waiting.empty() && group.waiting.back()->number > number) {
        count_drops(&group, 1);  // a later one has come since
    } else if (!group.paused && group.ready > 0) {
        withdraw_all(group, true);
        add_waiting(group, step);
    }
    let_go(step, group);
    settle(step);
    balance();
}

void StepQueue::follow_latest(int member) {
    Group& group = *member_of(member).group;
    const Overflow before = group.overflow;
    if (before.is_lossless()) {
        ++lossy_groups_;
        for (const Group::Place& place : group.places) {
            if (place.member != nobody) {
                std::ranges::for_each(member_of(place.member).held, [this](Step* step) { pin(*step); });
            }
        }
    }
    withdraw_all_but(1, group, true);
    for (Step* const step : group.waiting) {
        step->firm -= before.gives_way(step->number) ? 0 : 1;
    }
    group.overflow = {Overflow::Policy::latest, 1};
    balance();
}

// Room -------------------------------------------------------------------------------------------------------------

bool StepQueue::has_room() const { return leaves_room(queued_bytes_, complete_steps_ - steps_at_rest_, nullptr); }

/// Whether each writer rank could begin another step like the newest if so many steps of so many bytes, and one more if
/// there is `another`, were in the queue. `steps` counts that one.
bool StepQueue::leaves_room(const std::vector<std::int64_t>& bytes_of, std::int64_t steps, const Step* another) const {
    for (std::size_t rank = 0; rank < bytes_of.size(); ++rank) {
        const std::int64_t bytes = bytes_of[rank] + (another == nullptr ? 0 : another->bytes_of[rank]);
        if (!limits_of_rank_.admit(steps, bytes, newest_bytes_[rank])) {
            return false;
        }
    }
    return true;
}

void StepQueue::pin(Step& step) {
    if (step.pins++ == 0) {
        ++pinned_steps_;
        room_beside_pinned_.reset();
        std::ranges::transform(pinned_bytes_, step.bytes_of, pinned_bytes_.begin(), std::plus<>());
    }
}

void StepQueue::unpin(Step& step) {
    if (--step.pins == 0) {
        --pinned_steps_;
        room_beside_pinned_.reset();
        std::ranges::transform(pinned_bytes_, step.bytes_of, pinned_bytes_.begin(), std::minus<>());
    }
}

// Steps that wait, and steps that are lost. ------------------------------------------------------------------------

/// Whether nobody has been given the step, and everybody that it waits for can do without it; and it takes room.
bool StepQueue::may_drop(const Step& step) const {
    return !step.at_rest && step.holders == 0 && step.firm == 0 &&
           !(is_kept(step) && !settings_.overflow.gives_way(step.number));
}

bool StepQueue::could_have_been_missed(const Step& step) const {
    return !step.at_rest && step.holders == 0 && !(is_kept(step) && !settings_.overflow.may_miss(step.number)) &&
           std::ranges::all_of(groups_, [&](const Group& group) {
               return group.overflow.may_miss(step.number) ||
                      !std::ranges::binary_search(group.waiting, step.number, {}, &Step::number);
           });
}

void StepQueue::drop(Step& step) {
    for (Group& group : groups_) {
        const auto place = std::ranges::lower_bound(group.waiting, step.number, {}, &Step::number);
        if (place != group.waiting.end() && *place == &step) {
            withdraw(group, place);
            count_drops(&group, 1);
        }
    }
    if (is_kept(step)) {
        stop_keeping(step);
    }
}

void StepQueue::stop_keeping(Step& step) {
    step.kept = false;
    count_drops(nullptr, 1);
}

void StepQueue::add_waiting(Group& group, Step& step) {
    group.waiting.push_back(&step);
    ++step.waiting;
    step.firm += group.overflow.gives_way(step.number) ? 0 : 1;
}

void StepQueue::withdraw(Group& group, std::vector<Step*>::iterator place) {
    Step& step = **place;
    group.waiting.erase(place);
    --step.waiting;
    step.firm -= group.overflow.gives_way(step.number) ? 0 : 1;
}

/// But for so many of the newest.
void StepQueue::withdraw_all_but(std::size_t left, Group& group, bool as_dropped) {
    while (group.waiting.size() > left) {
        Step& step = *group.waiting.front();
        withdraw(group, group.waiting.begin());
        if (as_dropped) {
            count_drops(&group, 1);
        }
        settle(step);
    }
}

/// No group: one that is expected and has not joined.
void StepQueue::count_drops(Group* group, std::int64_t steps) {
    dropped_ += steps;
    (group != nullptr ? group->dropped : dropped_for_expected_) += steps;
    if (steps > 0 || (group != nullptr && group->dropped > 0)) {
        deliveries_.push_back({.kind = Kind::dropped, .count = steps, .group = group});
    }
}

}  // namespace staithe::stream
