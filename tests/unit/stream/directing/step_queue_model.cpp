#include "unit/stream/directing/step_queue_model.hpp"

namespace staithe::testing {
namespace {

Overflow policy_at_random(Choice& choice) {
    static const std::vector<const char*> names{"block",       "block",        "drop-oldest",
                                                "drop-newest", "keep-every-3", "latest"};
    return stream::parse_overflow(choice.among(names)).value();
}

}  // namespace

StepQueue::Settings settings_at_random(Choice& choice) {
    StepQueue::Settings settings;
    settings.writers = 1 + static_cast<int>(choice.below(3));
    settings.limits = {2 + static_cast<int>(choice.below(5)), choice.below(2) == 0 ? 1 << 20 : 60 * settings.writers,
                       choice.below(4) == 0 ? 1 : 0};
    settings.overflow = policy_at_random(choice);
    settings.expected_readers = static_cast<int>(choice.below(3));
    settings.first_step = choice.among(std::vector<std::int64_t>{0, 5, std::int64_t{1} << 40});
    return settings;
}

// Events ------------------------------------------------------------------------------------------------------------

std::string Model::happen(std::uint64_t number) {
    Choice choice(number);
    drops_are_free_ = false;
    withdrawn_.clear();
    lost_now_.clear();
    given_now_.clear();
    queue_.deliveries().clear();
    const auto kind = choice.below(100);
    if (kind < 45) {
        write(choice);
    } else if (kind < 50) {
        say_nonsense(choice);
    } else if (kind < 56 && members_.size() < 9) {
        join(choice);
    } else if (kind < 98 && !members_.empty()) {
        use(choice.among(members_).first, choice);
    } else if (kind == 98 && choice.below(4) == 0) {
        const int rank = static_cast<int>(choice.below(next_.size()));
        what_ = fmt::format("writer rank {} finishes or dies", rank);
        if (choice.below(2) == 0) {
            queue_.finished(rank);
            finished_[static_cast<std::size_t>(rank)] = true;
        } else {
            const bool is_loss = queue_.lose_writer(rank);
            check(is_loss == (!lost_ && !finished_[static_cast<std::size_t>(rank)]), "a loss is one");
            lost_ = lost_ || is_loss;
        }
    } else if (kind == 99 && choice.below(8) == 0 && !ended_) {
        what_ = "the stream ends";
        ended_ = true;
        queue_.end();
    } else {
        what_ = "nothing";
    }
    look_at_all();
    return broken_;
}

void Model::write(Choice& choice) {
    const auto rank = choice.below(next_.size());
    const std::int64_t number = next_[rank];
    const StepQueue::StepPart part{.data_bytes = static_cast<std::int64_t>(choice.below(25)),
                                   .abandoned = choice.below(20) == 0};
    what_ = fmt::format("writer rank {} {} step {} of {} bytes", rank, part.abandoned ? "abandons" : "ends", number,
                        part.data_bytes);
    const auto in_queue = std::ranges::count_if(
        steps_, [&](const auto& step) { return !step.second.freed && step.second.bytes[rank] >= 0; });
    const bool fits = static_cast<std::uint64_t>(in_queue) < settings_.limits.capacity() && !finished_[rank];
    const auto recorded = queue_.record(static_cast<int>(rank), number, part);
    check((recorded.refusal == StepQueue::Refusal::none) == fits, "a rank may write what fits, and nothing else");
    if (fits) {
        KnownStep& step =
            steps_.try_emplace(number, KnownStep{std::vector<std::int64_t>(next_.size(), -1)}).first->second;
        step.bytes[rank] = part.data_bytes;
        step.abandoned |= part.abandoned;
        ++next_[rank];
    }
}

void Model::say_nonsense(Choice& choice) {
    const std::vector<std::int64_t> numbers{INT64_MIN, -1, 0, 3, INT64_MAX - 1, INT64_MAX};
    const std::int64_t number = choice.among(numbers);
    const auto rank = choice.below(next_.size());
    what_ = fmt::format("somebody says {}", number);
    if (number != next_[rank]) {
        check(queue_.record(static_cast<int>(rank), number, {}).refusal != StepQueue::Refusal::none, "out of turn");
    }
    check(queue_.record(static_cast<int>(rank), next_[rank], {.data_bytes = choice.below(2) == 0 ? INT64_MAX : -1})
                  .refusal != StepQueue::Refusal::none,
          "sizes that cannot be");
    if (!members_.empty()) {
        const auto& [member, known] = choice.among(members_);
        const auto step = steps_.find(number);
        if (step == steps_.end() || !step->second.holders.contains(member)) {
            check(!queue_.release(member, number), "released without being held");
            queue_.hand_back(member, number);
        }
    }
}

void Model::join(Choice& choice) {
    int member = 0;
    while (members_.contains(member)) {
        ++member;
    }
    StepQueue::GroupWish wish;
    wish.size = 1 + static_cast<int>(choice.below(3));
    wish.program = fmt::format("program{}", wish.size);
    wish.overflow = policy_at_random(choice);
    wish.is_inline = choice.below(8) == 0;
    wish.id = wish.is_inline ? "inline" : "";
    wish.start = choice.among(std::vector<std::int64_t>{start_oldest, start_next, queue_.oldest_step(),
                                                        queue_.next_step() + 2, settings_.first_step, INT64_MAX});
    what_ = fmt::format("member {} comes, {} of {}, from {}", member, to_string(wish.overflow), wish.size, wish.start);
    const bool any_gone = std::ranges::any_of(steps_, [&](const auto& step) {
        return step.first >= wish.start && step.second.published && step.second.freed;
    });
    const bool is_gone = wish.start < queue_.oldest_step() && (any_gone || wish.start < settings_.first_step);
    check(queue_.is_too_late(wish) == (wish.overflow.is_lossless() && wish.start >= 0 && is_gone), "too late or not");
    if (queue_.is_too_late(wish)) {
        return;
    }
    int rank = static_cast<int>(choice.below(static_cast<std::uint64_t>(wish.size)));
    const StepQueue::Group& group = queue_.join(wish, rank, member);
    KnownGroup& known = groups_.try_emplace(group.number, KnownGroup{wish}).first->second;
    check(std::ranges::none_of(known.members, [&](int other) { return members_.at(other).rank == rank; }),
          "a place has one member");
    check(!known.active && known.wish.size == wish.size && known.wish.id == wish.id, "the group that it wished for");
    known.wish.start = group.start;
    known.members.insert(member);
    members_[member] = {group.number, rank};
}

void Model::use(int number, Choice& choice) {
    KnownMember& member = members_.at(number);
    KnownGroup& group = groups_.at(member.group);
    Numbers held;
    for (auto& [step_number, step] : steps_) {
        if (step.holders.contains(number)) {
            held.insert(step_number);
        }
    }
    const auto kind = choice.below(100);
    if (!member.ready && kind < 60) {
        what_ = fmt::format("member {} is ready", number);
        member.ready = true;
        group.came.insert(member.rank);
        const auto there = group.wish.is_inline ? group.came.size() : ready_ranks(group).size();
        queue_.ready(number);
        if (!group.active && there == static_cast<std::size_t>(group.wish.size)) {
            activate(group, member.group);
        }
    } else if (kind < 45 && !held.empty()) {
        const std::int64_t step = choice.below(3) > 0 ? *held.begin() : choice.among(held);
        what_ = fmt::format("member {} releases {}", number, step);
        steps_.at(step).holders.erase(number);
        check(queue_.release(number, step), "held, so it can be released");
    } else if (kind < 75) {
        const std::int64_t step =
            choice.below(8) == 0 ? INT64_MAX : member.last + static_cast<std::int64_t>(choice.below(2));
        what_ = fmt::format("member {} wants {}", number, step);
        group.wants = group.wants || step > group.announced;
        queue_.want(number, step);
    } else if (kind < 80 && !held.empty() && group.wish.size == 1 && !is_lossless(group)) {
        const std::int64_t step = choice.among(held);
        what_ = fmt::format("member {} hands {} back", number, step);
        group.announced = std::min(group.announced, step - 1);
        member.last = std::min(member.last, step - 1);
        steps_.at(step).holders.erase(number);
        drops_are_free_ = true;
        if (takes_steps(group)) {
            group.owed.insert(step);
        }
        member.reads_no_more = false;  // it asks for another
        queue_.hand_back(number, step);
    } else if (kind < 85) {
        what_ = fmt::format("member {} pauses", number);
        ++member.pauses;
        group.wants = false;
        withdrawn_[member.group] = static_cast<std::int64_t>(group.owed.size());
        group.owed.clear();
        queue_.pause(number);
    } else if (kind < 92) {
        what_ = fmt::format("member {} resumes", number);
        member.resumes = std::min(member.pauses, member.resumes + 1);
        queue_.resume(number);
    } else if (kind < 94) {
        what_ = fmt::format("member {} follows the latest", number);
        group.wish.overflow = stream::parse_overflow("latest").value();
        drops_are_free_ = true;
        queue_.follow_latest(number);
    } else if (kind < 96) {
        what_ = fmt::format("member {} detaches", number);
        member.ready = false;
        if (ready_ranks(group).empty()) {
            group.owed.clear();
        }
        queue_.detach(number);
    } else {
        leave(number);
    }
}

void Model::leave(int number) {
    what_ = fmt::format("member {} leaves", number);
    const std::int64_t of = members_.at(number).group;
    KnownGroup& group = groups_.at(of);
    group.members.erase(number);
    members_.erase(number);
    for (auto& [step_number, step] : steps_) {
        step.holders.erase(number);
    }
    if (ready_ranks(group).empty()) {
        group.owed.clear();
    }
    queue_.leave(number);
    if (group.members.empty() && (group.active || !group.wish.is_inline)) {
        groups_.erase(of);
    }
}

void Model::activate(KnownGroup& group, std::int64_t number) {
    group.active = true;
    drops_are_free_ = true;
    if (seen_++ < settings_.expected_readers && !is_lossless(group)) {
        group.dropped += expected_dropped_;
    }
    const auto seen = std::ranges::find(queue_.groups(), number, &StepQueue::Group::number);
    const std::int64_t wished = group.wish.start;
    const Numbers numbers = there();
    const bool is_latest = group.wish.overflow.policy == Overflow::Policy::latest;
    const auto starts_with = [&](std::int64_t step) { return seen->start == std::max(step, group.none_before); };
    if (wished == start_next || (wished == start_oldest && numbers.empty())) {
        check(starts_with(queue_.next_step()), "starts with the next step");
    } else if (wished == start_oldest) {
        check(starts_with(is_latest ? *numbers.rbegin() : *numbers.begin()), "starts with what is there");
        withdrawn_[number] -= is_latest ? static_cast<std::int64_t>(numbers.size()) - 1 : 0;
    } else {
        check(starts_with(wished), "starts where it wished");
        const std::int64_t oldest = numbers.empty() ? queue_.next_step() : *numbers.begin();
        const bool any_gone =
            wished < settings_.first_step ||
            std::ranges::any_of(
                steps_,
                [&](const auto& step) { return step.first >= wished && step.second.published && step.second.freed; });
        withdrawn_[number] -= any_gone ? std::max<std::int64_t>(0, oldest - wished) : 0;
    }
    if (takes_steps(group)) {
        group.owed.insert(numbers.lower_bound(seen->start), numbers.end());
    }
    group.wish.start = seen->start;
}

// Rules -------------------------------------------------------------------------------------------------------------

void Model::look_at(const StepQueue::Delivery& delivery) {
    using Kind = StepQueue::Delivery::Kind;
    if (delivery.kind == Kind::published || delivery.kind == Kind::skipped) {
        KnownStep& step = steps_.at(delivery.step);
        const bool is_whole = std::ranges::all_of(step.bytes, [](std::int64_t bytes) { return bytes >= 0; });
        check(is_whole && !lost_ && !ended_, "complete only with all parts, and in time");
        check(step.abandoned == (delivery.kind == Kind::skipped), "abandoned by one is abandoned");
        check(queue_.step_in(delivery.slot).number == delivery.step, "the slot is the step's");
        if (delivery.kind == Kind::published) {
            step.published = true;
            newest_ = step.bytes;
            for (auto& [number, group] : groups_) {
                if (takes_steps(group) && delivery.step >= group.wish.start) {
                    group.owed.insert(delivery.step);
                }
            }
        }
    } else if (delivery.kind == Kind::announce) {
        look_at_announcement(delivery.step, delivery.member);
    } else if (delivery.kind == Kind::freed) {
        KnownStep& step = steps_.at(delivery.step);
        check(!step.freed, "freed once");
        check(step.holders.empty(), "freed when nobody holds it");
        check(step.published || step.abandoned || lost_ || ended_, "freed when it is complete");
        step.freed = true;
        unkept_ += step.published && may_be_kept() ? 1 : 0;
    } else if (delivery.kind == Kind::dropped) {
        look_at_drop(delivery);
    } else if ((delivery.kind == Kind::lost || delivery.kind == Kind::ended) && delivery.member != StepQueue::nobody) {
        KnownMember& member = members_.at(delivery.member);
        KnownGroup& group = groups_.at(member.group);
        member.reads_no_more = member.reads_no_more || member.ready;
        if (!group.active && member.ready) {
            group.none_before = queue_.next_step();
        }
    }
}

void Model::look_at_announcement(std::int64_t number, int to) {
    KnownMember& member = members_.at(to);
    KnownGroup& group = groups_.at(member.group);
    KnownStep& step = steps_.at(number);
    check(step.published && !step.freed, "announced when it is complete, until it is freed");
    check(takes_steps(group) && member.ready, "announced to ready ranks of active groups");
    check(!member.reads_no_more, "announced before it is told that nothing comes");
    check(number > member.last && step.holders.insert(to).second, "announced once, and in order");
    check(group.owed.contains(number), "announced to a group that lacks it");
    std::set<int>& given = given_now_[{member.group, number}];
    if (!is_lossless(group) && !lost_ && !ended_) {
        check(group.wants || !given.empty(), "who may lose steps gets those that it asks for");
        check(leaves_room(pinned()), "who may lose steps leaves room");
    }
    given.insert(to);
    member.last = number;
    group.announced = number;
    group.wants = false;
}

void Model::look_at_drop(const StepQueue::Delivery& delivery) {
    dropped_ += delivery.count;
    const bool is_expected = delivery.group == nullptr;
    const Overflow overflow = is_expected ? settings_.overflow : delivery.group->overflow;
    (is_expected ? expected_dropped_ : groups_.at(delivery.group->number).dropped) += delivery.count;
    if (!is_expected) {
        lost_now_[delivery.group->number] += delivery.count;
    }
    check(delivery.count == 0 || drops_are_free_ || !overflow.is_lossless(), "a lossless group loses nothing");
    check(drops_are_free_ || (!is_expected && overflow.policy == Overflow::Policy::latest) || !leaves_room(there()),
          "dropped for want of room");
}

void Model::look_at_all() {
    for (const auto& delivery : queue_.deliveries()) {
        look_at(delivery);
    }
    for (const auto& [key, members] : given_now_) {
        KnownGroup& group = groups_.at(key.first);
        check(members == ready_ranks(group), "all ready ranks of a group get a step together");
        group.owed.erase(key.second);
    }
    check(unkept_ <= expected_dropped_, "kept for those who are expected");
    check(queue_.groups().size() == groups_.size(), "no other groups");
    Numbers firm;  // steps that somebody needs who does not lose them
    Numbers waiting;
    for (const StepQueue::Group& seen : queue_.groups()) {
        look_at(seen);
        for (const StepQueue::Step* step : seen.waiting) {
            waiting.insert(step->number);
            if (!seen.overflow.gives_way(step->number)) {
                firm.insert(step->number);
            }
        }
    }
    check(queue_.dropped() == dropped_, "all drops are counted");
    Numbers live;
    for (const StepQueue::Step* step = queue_.oldest(); step != nullptr; step = step->next) {
        const KnownStep& known = steps_.at(step->number);
        const bool is_kept = may_be_kept() && step->kept;
        live.insert(step->number);
        check(!known.freed, "freed, and still there");
        check(step->holders == static_cast<int>(known.holders.size()), "who holds it");
        check(step->missing > 0 || !known.holders.empty() || waiting.contains(step->number) || is_kept, "needed");
        if (!known.holders.empty() || (is_kept && !settings_.overflow.gives_way(step->number))) {
            firm.insert(step->number);
        }
    }
    check(live.size() == static_cast<std::size_t>(queue_.steps()), "how many steps there are");
    check(live.size() <= settings_.limits.capacity(), "no more than the queue holds");
    for (const auto& [number, step] : steps_) {
        check(step.freed || live.contains(number), "not freed, and not there");
    }
    // Who may lose steps is never alone the reason why a writer waits, and who wants one gets it if that stays so.
    const Numbers numbers = there();
    check(std::ranges::includes(firm, numbers) || leaves_room(numbers), "room, or nobody gives way");
    for (const StepQueue::Group& seen : queue_.groups()) {
        if (groups_.at(seen.number).wants && !seen.waiting.empty()) {
            Numbers with_one = pinned();
            with_one.insert(seen.waiting.front()->number);
            check(!leaves_room(with_one), "who wants gets");
        }
    }
}

void Model::look_at(const StepQueue::Group& seen) {
    KnownGroup& group = groups_.at(seen.number);
    check(seen.active == group.active, "active once all have come");
    check(seen.paused == is_paused(group), "paused from the first to the last");
    check(seen.dropped == group.dropped, "what the group has lost");
    check(seen.waiting.empty() || !(is_lossless(group) || lost_ || ended_), "nothing waits for long");
    Numbers waiting;
    for (const StepQueue::Step* step : seen.waiting) {
        waiting.insert(step->number);
    }
    check(std::ranges::includes(group.owed, waiting), "only what it lacks waits for it");
    // What it lacks and does not wait for any more was counted; so was what it passed by when it began.
    const std::int64_t gone = static_cast<std::int64_t>(group.owed.size() - waiting.size());
    const std::int64_t passed_by = std::max<std::int64_t>(0, -withdrawn_[seen.number]);
    check(lost_now_[seen.number] == gone + passed_by, "each step is given or counted as lost");
    group.owed = waiting;
}

}  // namespace staithe::testing
