// Reader groups: how ranks find each other, when a group gets steps, and from which one on.
#include <algorithm>

#include "stream/directing/step_queue.hpp"

namespace staithe::stream {

/// Whether a step that was published, from that number on, is gone. Nobody misses those that were abandoned.
bool StepQueue::is_gone(std::int64_t step) const { return step < oldest_step() && step <= newest_gone_; }

std::int64_t StepQueue::start_of(const GroupWish& wish) const {
    return wish.goes_on ? std::max(wish.start, settings_.first_step) : wish.start;  // what lies between was abandoned
}

bool StepQueue::is_too_late(const GroupWish& wish) const {
    const std::int64_t start = start_of(wish);
    return wish.overflow.is_lossless() && start >= 0 && is_gone(start);
}

// Ranks of one group find each other by program, id and size; a place that is taken means another group of the same
// program.
StepQueue::Group& StepQueue::find_forming_group(const GroupWish& wish, int rank) {
    const auto size = static_cast<std::size_t>(wish.size);
    const std::int64_t start = start_of(wish);
    for (Group& group : groups_) {
        if (!group.active && group.program == wish.program && group.id == wish.id && group.places.size() == size &&
            group.places[static_cast<std::size_t>(rank)].member == nobody) {
            // The director may have died when it had announced a step to some of the ranks only.
            group.start = start >= 0 ? std::min(group.start, start) : group.start;
            return group;
        }
    }
    Group& group = groups_.emplace_back();
    group.number = groups_founded_++;
    group.program = wish.program;
    group.id = wish.id;
    group.overflow = wish.overflow;
    group.is_inline = wish.is_inline;
    group.places.resize(size);
    group.start = start;
    lossy_groups_ += group.overflow.is_lossless() ? 0 : 1;
    return group;
}

const StepQueue::Group& StepQueue::join(const GroupWish& wish, int rank, int member) {
    if (static_cast<std::size_t>(member) >= members_.size()) {
        members_.resize(static_cast<std::size_t>(member) + 1);
    }
    Group& group = find_forming_group(wish, rank);
    Member& reader = member_of(member);
    reader.group = &group;
    reader.rank = rank;
    group.places[static_cast<std::size_t>(rank)].member = member;
    ++group.present;
    find_whether_paused(group);
    return group;
}

void StepQueue::set_ready(Member& member, bool ready) {
    member.group->ready += static_cast<int>(ready) - static_cast<int>(member.ready);
    member.ready = ready;
}

void StepQueue::ready(int member) {
    Member& reader = member_of(member);
    Group& group = *reader.group;
    set_ready(reader, true);
    Group::Place& place = group.places[static_cast<std::size_t>(reader.rank)];
    group.came += place.came ? 0 : 1;
    place.came = true;
    activate_if_ready(group);
}

void StepQueue::activate_if_ready(Group& group) {
    // A rank that left may come again, and its group waits for it. But a writer rank that has closed does not, and who
    // writes no step does not wait for the other ranks before.
    const int there = group.is_inline ? group.came : group.ready;
    if (group.active || static_cast<std::size_t>(there) < group.places.size()) {
        return;
    }
    group.active = true;
    if (groups_seen_++ < settings_.expected_readers && !group.overflow.is_lossless()) {
        group.dropped += dropped_for_expected_;  // counted when it happened, but for nobody
    }
    std::int64_t passed_by = 0;
    if (group.start == start_next || (group.start == start_oldest && complete_steps_ == 0)) {
        group.start = next_step_;
    } else if (group.start == start_oldest && group.overflow.policy == Overflow::Policy::latest) {
        const Step* const newest = first_incomplete_ == nullptr ? last_ : first_incomplete_->previous;
        group.start = newest->number;
        passed_by = complete_steps_ - 1;
    } else if (group.start == start_oldest) {
        group.start = first_->number;
    } else if (is_gone(group.start)) {
        passed_by = oldest_step() - group.start;
    }
    group.start = std::max(group.start, group.none_before);
    count_drops(&group, passed_by);
    deliveries_.push_back({.kind = Kind::activated, .group = &group});
    for (Step* step = first_; step != first_incomplete_; step = step->next) {
        offer(*step, group);  // frees none but older ones
    }
    if (is_over()) {
        serve(group);
        tell_of_end(group);
    }
    settle_all();  // the steps may have waited for this group alone
    balance();
}

void StepQueue::tell_of_end(Group& group) {
    if (!group.active && group.ready > 0) {
        group.none_before = next_step_;  // what its ranks that read do not get those who are to come do not get, either
    }
    for (const Group::Place& place : group.places) {
        if (place.member != nobody && lost_writer_) {
            deliveries_.push_back({.kind = Kind::lost, .member = place.member});
        }
        if (place.member != nobody && ended_) {
            deliveries_.push_back({.kind = Kind::ended, .member = place.member});
        }
    }
}

void StepQueue::detach(int member) {
    Member& reader = member_of(member);
    set_ready(reader, false);
    if (reader.group->ready == 0) {
        withdraw_all(*reader.group, false);
        balance();
    }
}

void StepQueue::leave(int member) {
    Member& reader = member_of(member);
    Group& group = *reader.group;
    set_ready(reader, false);
    for (Step* const step : reader.held) {
        let_go(*step, group);
    }
    reader.held.clear();
    group.places[static_cast<std::size_t>(reader.rank)].member = nobody;
    --group.present;
    reader.group = nullptr;
    reader.released = reader.pauses = reader.resumes = 0;
    if (group.ready == 0) {
        withdraw_all(group, false);
    }
    if (group.present == 0 && (group.active || !group.is_inline)) {
        lossy_groups_ -= group.overflow.is_lossless() ? 0 : 1;
        groups_.remove_if([&](const Group& each) { return &each == &group; });
    } else {
        find_whether_paused(group);
    }
    settle_all();
    balance();
}

// Pausing ----------------------------------------------------------------------------------------------------------

/// From the first of its ranks that pauses to the last that resumes: so all ranks miss the same steps.
void StepQueue::find_whether_paused(Group& group) const {
    std::int64_t pauses = 0;
    std::int64_t resumes = INT64_MAX;
    for (const Group::Place& place : group.places) {
        if (place.member != nobody) {
            pauses = std::max(pauses, member(place.member).pauses);
            resumes = std::min(resumes, member(place.member).resumes);
        }
    }
    group.paused = resumes < pauses;
}

void StepQueue::pause(int member) {
    Member& reader = member_of(member);
    Group& group = *reader.group;
    ++reader.pauses;
    find_whether_paused(group);
    group.wants = false;
    withdraw_all(group, false);
    balance();
}

void StepQueue::resume(int member) {
    Member& reader = member_of(member);
    if (reader.resumes < reader.pauses) {
        ++reader.resumes;
        find_whether_paused(*reader.group);
    }
}

}  // namespace staithe::stream
