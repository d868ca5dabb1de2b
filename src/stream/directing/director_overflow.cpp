// The director's queue when reader groups do not keep up: who may lose which step, and who gets one when it asks.
//
// A group that may lose steps is never the reason why the writer waits. Whenever the queue has no room for one more
// step, steps that only wait for such groups are dropped, by their policies; and such groups are not given so many
// steps that the views which hold them could fill the queue.
#include <algorithm>

#include "base/log.hpp"
#include "stream/directing/director.hpp"

namespace staithe::stream {
namespace {

bool is_waiting(const std::deque<std::int64_t>& waiting, std::int64_t step) {
    return std::binary_search(waiting.begin(), waiting.end(), step);
}

}  // namespace

bool Director::any_group_may_lose_steps() const {
    return !settings_.overflow.is_lossless() ||
           std::any_of(groups_.begin(), groups_.end(), [](const auto& group) { return !group.overflow.is_lossless(); });
}

void Director::offer(Step& step, ReaderGroup& group) {
    const std::int64_t number = step.number;
    if (!group.active || number < group.start || is_paused(group) || !any_is_ready(group)) {
        return;
    }
    if (group.overflow.is_lossless()) {
        announce(step, group);
        return;
    }
    if (must_miss(group.overflow, number)) {
        count_drops(&group, 1);
        return;
    }
    if (group.overflow.policy == Overflow::Policy::latest) {
        withdraw_all(group, true);
    }
    group.waiting.push_back(number);
    ++find_step(number)->waiting;
}

/// Whether the new step finds no room with those who keep what they have: older steps do not give way to it.
bool Director::must_miss(const Overflow& overflow, std::int64_t number) const {
    return overflow.may_miss(number) && !overflow.gives_way(number) && !has_room();
}

void Director::make_room() {
    while (!has_room()) {
        const auto oldest =
            std::find_if(steps_.begin(), steps_.end(), [this](const Step& step) { return may_drop(step); });
        if (oldest == steps_.end()) {
            return;
        }
        drop(*oldest);
        static_cast<void>(settle(oldest));
    }
}

/// Keeps the promise of this file after whatever changed the queue.
void Director::balance() {
    if (any_group_may_lose_steps()) {
        make_room();
        for (ReaderGroup& group : groups_) {
            serve(group);
        }
    }
}

void Director::serve(ReaderGroup& group) {
    if (!group.wants || group.waiting.empty()) {
        return;
    }
    const std::int64_t number = group.waiting.front();
    // Held by a view it could not be dropped any more: the writer must be able to go on beside it.
    if (!ended_ && !leaves_room([number](const Step& step) { return step.pins > 0 || step.number == number; })) {
        return;
    }
    group.wants = false;
    give_oldest(group);
}

void Director::serve_rest(ReaderGroup& group) {
    while (!group.waiting.empty()) {
        give_oldest(group);
    }
}

void Director::give_oldest(ReaderGroup& group) {
    const auto step = find_step(group.waiting.front());
    withdraw(group, *step);
    announce(*step, group);
    static_cast<void>(settle(step));  // should no rank of the group be there
}

/// A step that was announced to a reader before it followed the latest one.
void Director::take_back(Member& member, std::int64_t number) {
    ReaderGroup& group = *member.group;
    if (group.size > 1 || std::find(member.held.begin(), member.held.end(), number) == member.held.end()) {
        return;
    }
    withdraw_all(group, true);
    group.waiting.push_back(number);
    group.announced = std::min(group.announced, number - 1);
    ++find_step(number)->waiting;
    release(member, number);
}

bool Director::has_room() const {
    return leaves_room([](const Step& step) { return step.missing == 0; });
}

/// Whether each writer rank could begin another step like the newest if these were in the queue.
bool Director::leaves_room(const std::function<bool(const Step&)>& is_there) const {
    const auto there = std::count_if(steps_.begin(), steps_.end(), is_there);
    const QueueLimits limits = settings_.queue.part_of_rank(settings_.writers);
    for (std::size_t rank = 0; rank < writers_.size(); ++rank) {
        std::int64_t bytes = 0;
        std::int64_t newest = 0;
        for (const Step& step : steps_) {
            newest = step.missing == 0 ? step.records[rank].data_bytes : newest;
            bytes += is_there(step) ? step.records[rank].data_bytes : 0;
        }
        if (!limits.admit(there, bytes, newest)) {
            return false;
        }
    }
    return true;
}

bool Director::is_kept(const Step& step) const { return step.kept && groups_seen_ < settings_.expected_readers; }

/// Whether nobody has been given the step, and everybody that it waits for can do without it.
bool Director::may_drop(const Step& step) const {
    if (step.missing > 0 || step.holders > 0 || (is_kept(step) && !settings_.overflow.gives_way(step.number))) {
        return false;
    }
    return std::all_of(groups_.begin(), groups_.end(), [&](const auto& group) {
        return !is_waiting(group.waiting, step.number) || group.overflow.gives_way(step.number);
    });
}

void Director::drop(Step& step) {
    for (ReaderGroup& group : groups_) {
        if (is_waiting(group.waiting, step.number)) {
            withdraw(group, step);
            count_drops(&group, 1);
        }
    }
    if (is_kept(step)) {
        stop_keeping(step);
    }
}

void Director::stop_keeping(Step& step) {
    step.kept = false;
    count_drops(nullptr, 1);
}

void Director::withdraw(ReaderGroup& group, Step& step) {
    group.waiting.erase(std::lower_bound(group.waiting.begin(), group.waiting.end(), step.number));
    --step.waiting;
}

void Director::withdraw_all(ReaderGroup& group, bool as_dropped) {
    while (!group.waiting.empty()) {
        const auto step = find_step(group.waiting.front());
        withdraw(group, *step);
        if (as_dropped) {
            count_drops(&group, 1);
        }
        static_cast<void>(settle(step));
    }
}

/// No group: one that is expected and has not joined.
void Director::count_drops(ReaderGroup* group, std::int64_t steps) {
    dropped_.add(steps);
    if (steps > 0) {
        base::log(
            base::LogLevel::debug, "stream '{}': {} lost {} steps by its policy {}, {} in all", settings_.stream,
            group == nullptr ? "a reader group that is expected" : fmt::format("reader group '{}'", group->program),
            steps, to_string(group == nullptr ? settings_.overflow : group->overflow), dropped_.value());
    }
    (group != nullptr ? group->dropped : dropped_for_expected_) += steps;
    for (auto& [id, member] : members_) {
        if (member.group == nullptr) {
            member.head->dropped.store(dropped_.value(), std::memory_order_relaxed);
        } else if (member.group == group) {
            member.head->dropped.store(group->dropped, std::memory_order_relaxed);
        }
    }
}

bool Director::any_is_ready(const ReaderGroup& group) {
    return std::any_of(group.members.begin(), group.members.end(),
                       [](const Member* member) { return member != nullptr && member->ready; });
}

// Pausing ------------------------------------------------------------------------------------------------------

/// From the first of its ranks that pauses to the last that resumes: so all ranks miss the same steps.
bool Director::is_paused(const ReaderGroup& group) {
    std::int64_t pauses = 0;
    std::int64_t resumes = INT64_MAX;
    for (const Member* const member : group.members) {
        if (member != nullptr) {
            pauses = std::max(pauses, member->pauses);
            resumes = std::min(resumes, member->resumes);
        }
    }
    return resumes < pauses;
}

base::Result<Attributes> Director::pause(const Attributes& request) {
    const std::lock_guard lock(mutex_);
    drain();  // what it asked for before
    const auto member = find_reader(request);
    if (!member) {
        return base::fail(member);
    }
    ReaderGroup& group = *(*member)->group;
    ++(*member)->pauses;
    group.wants = false;
    withdraw_all(group, false);
    return Attributes{};
}

base::Result<Attributes> Director::resume(const Attributes& request) {
    const std::lock_guard lock(mutex_);
    const auto member = find_reader(request);
    if (!member) {
        return base::fail(member);
    }
    if ((*member)->resumes < (*member)->pauses) {
        ++(*member)->resumes;
    }
    return Attributes{};
}

base::Result<Attributes> Director::follow(const Attributes& request) {
    const std::lock_guard lock(mutex_);
    const auto member = find_reader(request);
    if (!member) {
        return base::fail(member);
    }
    const Overflow latest{Overflow::Policy::latest, 1};
    if (auto checked = check_overflow(latest, settings_.queue.steps); !checked) {
        return base::fail(std::move(checked));
    }
    ReaderGroup& group = *(*member)->group;
    if (group.overflow.is_lossless()) {
        if (auto started = start_service(); !started) {
            return base::fail(std::move(started));
        }
        for (const Member* const rank : group.members) {
            if (rank != nullptr) {
                for (const std::int64_t number : rank->held) {
                    ++find_step(number)->pins;
                }
            }
        }
    }
    group.overflow = latest;
    return Attributes{};
}

}  // namespace staithe::stream
