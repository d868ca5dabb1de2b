// Reader groups: how ranks find each other, when a group gets steps, and from which one on.
#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "os/process.hpp"
#include "stream/directing/director.hpp"

namespace staithe::stream {

/// Whether a reader rank asks that has read the stream before its writer died.
bool Director::goes_on(const Attributes& request) {
    const Value* value = find(request, "goes_on");
    return value != nullptr && value->as_bool().value_or(false);
}

/// The group that a reader rank asks to join, as if it were the first of its ranks.
base::Result<Director::ReaderGroup> Director::read_group(const Attributes& request) const {
    const auto size = integer_field(request, "size", 1, most_ranks);
    const auto program = text_field(request, "program");
    const auto group_id = text_field(request, "group");
    const auto overflow = text_field(request, "overflow");
    auto start = integer_field(request, "start", start_next, INT64_MAX);
    if (!size || !program || !group_id || !overflow || !start) {
        return base::fail(ErrorCode::protocol, "a reader rank's request is garbled");
    }
    ReaderGroup group;
    group.overflow = settings_.overflow;
    if (!overflow->empty()) {
        const auto own = parse_overflow(*overflow);
        if (!own) {
            return base::fail(own);
        }
        if (auto checked = check_overflow(*own, settings_.queue.steps); !checked) {
            return base::fail(std::move(checked));
        }
        group.overflow = *own;
    }
    group.program = *program;
    group.id = *group_id;
    group.size = static_cast<int>(*size);
    if (goes_on(request)) {
        start = std::max(*start, first_step_);  // what lies between was abandoned
    }
    if (group.overflow.is_lossless() && *start >= 0 && is_gone(*start)) {
        // Not `not_found`, which a reader takes for a stream that may still appear.
        return base::fail(ErrorCode::invalid_argument,
                          "stream '{}': step {} is gone, the oldest that is left is {}: start there, or begin to read "
                          "earlier (the writer's `readers` says how many groups it keeps steps for)",
                          settings_.stream, *start, oldest_step());
    }
    group.start = *start;
    group.members.assign(static_cast<std::size_t>(*size), nullptr);
    group.came.assign(static_cast<std::size_t>(*size), false);
    group.is_inline = *group_id == settings_.group_id + inline_group;
    group.joined_at = os::wall_clock_seconds();
    return group;
}

// Ranks of one group find each other by program, id and size; a place that is taken means another group of the same
// program.
Director::ReaderGroup& Director::find_forming_group(ReaderGroup&& wanted, int rank) {
    for (ReaderGroup& group : groups_) {
        if (!group.active && group.program == wanted.program && group.id == wanted.id && group.size == wanted.size &&
            group.members[static_cast<std::size_t>(rank)] == nullptr) {
            // The director may have died when it had announced a step to some of the ranks only.
            group.start = wanted.start >= 0 ? std::min(group.start, wanted.start) : group.start;
            return group;
        }
    }
    return groups_.emplace_back(std::move(wanted));
}

/// The reader rank that sends the request.
base::Result<Director::Member*> Director::find_reader(const Attributes& request) {
    const auto id = integer_field(request, "member", 0, INT64_MAX);
    const auto member = id ? members_.find(*id) : members_.end();
    if (member == members_.end() || member->second.group == nullptr) {
        return base::fail(ErrorCode::protocol, "stream '{}' knows no such reader rank", settings_.stream);
    }
    return &member->second;
}

base::Result<Attributes> Director::set_ready(const Attributes& request) {
    const std::lock_guard lock(mutex_);
    const auto member = find_reader(request);
    if (!member) {
        return base::fail(member);
    }
    (*member)->ready = true;
    ReaderGroup& group = *(*member)->group;
    group.came[static_cast<std::size_t>((*member)->rank)] = true;
    activate_if_ready(group);
    return Attributes{};
}

void Director::activate_if_ready(ReaderGroup& group) {
    // A rank that left may come again, and its group waits for it. But a writer rank that has closed does not, and who
    // writes no step does not wait for the other ranks before.
    const bool all_ready = group.is_inline
                               ? std::all_of(group.came.begin(), group.came.end(), [](bool came) { return came; })
                               : std::all_of(group.members.begin(), group.members.end(),
                                             [](const Member* member) { return member != nullptr && member->ready; });
    if (group.active || !all_ready) {
        return;
    }
    group.active = true;
    if (groups_seen_++ < settings_.expected_readers && !group.overflow.is_lossless()) {
        group.dropped += dropped_for_expected_;  // counted when it happened, but for nobody
    }
    std::vector<std::int64_t> there;
    for (const Step& step : steps_) {
        if (step.missing == 0 && !step.abandoned) {
            there.push_back(step.number);
        }
    }
    std::int64_t passed_by = 0;
    if (group.start == start_next || (group.start == start_oldest && there.empty())) {
        group.start = next_step_;
    } else if (group.start == start_oldest) {
        const bool wants_the_latest = group.overflow.policy == Overflow::Policy::latest;
        group.start = wants_the_latest ? there.back() : there.front();
        passed_by = wants_the_latest ? static_cast<std::int64_t>(there.size()) - 1 : 0;
    } else if (is_gone(group.start)) {
        passed_by = oldest_step() - group.start;
    }
    count_drops(&group, passed_by);
    base::log(base::LogLevel::debug, "stream '{}': reader group '{}' is complete and starts with step {}, overflow {}",
              settings_.stream, group.program, group.start, to_string(group.overflow));
    for (const std::int64_t number : there) {
        offer(*find_step(number), group);
    }
    if (lost_writer_ >= 0) {
        serve_rest(group);
        for (Member* const member : group.members) {
            if (member != nullptr) {
                tell_loss(*member);
            }
        }
    }
    settle_all();  // the steps may have waited for this group alone
    balance();
    transport::ring(*bell_);
}

base::Result<Attributes> Director::detach(const Attributes& request) {
    const std::lock_guard lock(mutex_);
    const auto member = find_reader(request);
    if (!member) {
        return base::fail(member);
    }
    (*member)->ready = false;
    if (ReaderGroup& group = *(*member)->group; !any_is_ready(group)) {
        withdraw_all(group, false);
    }
    return Attributes{};
}

}  // namespace staithe::stream
