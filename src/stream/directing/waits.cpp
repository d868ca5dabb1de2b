#include "stream/directing/waits.hpp"

#include <algorithm>

namespace staithe::stream {
namespace {

/// "rank 1, lammps (pid 7 on node3), and rank 2, …": the first few of them.
std::string list_of(const std::vector<std::string>& names) {
    constexpr std::size_t most_named = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), most_named); ++i) {
        text += (i == 0 ? "" : "; ") + names[i];
    }
    return names.size() > most_named ? fmt::format("{}; and {} more", text, names.size() - most_named) : text;
}

Awaited awaited_readers(const StreamState& state) {
    const int expected = state.settings.expected_readers;
    const int seen = state.queue->groups_seen();
    Awaited awaited{
        fmt::format("{} of {} expected reader groups have joined: start the readers, or open the writer with "
                    "fewer `readers`",
                    seen, expected),
        {},
        Awaited::Absent::readers,
        expected - seen};
    for (const StepQueue::Group& group : state.queue->groups()) {
        awaited.present.push_back(group.program);
    }
    return awaited;
}

/// Whether the process keeps a step in the queue: it has not ended its part of it, or not released it.
bool keeps(const StreamState& state, const transport::Peer& peer, const StepQueue::Step& step) {
    const auto is_it = [&](const transport::Peer& other) { return other.pid == peer.pid && other.host == peer.host; };
    for (int rank = 0; rank < state.settings.writers; ++rank) {
        if (!state.queue->has_ended_step(rank, step.number) && is_it(state.members.writer(rank).peer)) {
            return true;
        }
    }
    return std::any_of(state.members.all().begin(), state.members.all().end(), [&](const auto& entry) {
        const Member& member = *entry.second;
        if (!member.reads || !is_it(member.link->peer())) {
            return false;
        }
        const auto& held = state.queue->member(member.number).held;
        return std::find(held.begin(), held.end(), &step) != held.end();
    });
}

}  // namespace

Awaited awaited_by_writer(const StreamState& state, int rank) {
    const StepQueue& queue = *state.queue;
    for (int other = 0; other < state.settings.writers; ++other) {
        if (!state.members.writer(other).has_joined) {
            return {fmt::format("writer rank {} has not joined: start all {} ranks of the group", other,
                                state.settings.writers),
                    {},
                    Awaited::Absent::writers,
                    1};
        }
    }
    if (!queue.all_expected_came()) {
        return awaited_readers(state);
    }
    Awaited awaited;
    std::vector<std::string> names;
    const StepQueue::Step* const incomplete = queue.oldest_incomplete();
    for (int other = 0; incomplete != nullptr && other < state.settings.writers; ++other) {
        if (other != rank && !queue.has_ended_step(other, incomplete->number)) {
            awaited.on.push_back(state.members.writer(other).peer);
            names.push_back(fmt::format("writer rank {}, {}, has not ended step {}", other,
                                        transport::to_string(awaited.on.back()), incomplete->number));
        }
    }
    for (const StepQueue::Group& group : queue.groups()) {
        for (const StepQueue::Group::Place& place : group.places) {
            if (place.member != StepQueue::nobody && !queue.member(place.member).held.empty()) {
                const Member& member = state.members.reader(place.member);
                awaited.on.push_back(member.link->peer());
                names.push_back(fmt::format("reader '{}' rank {}, {}, has not released {} steps", group.program,
                                            member.rank, transport::to_string(awaited.on.back()),
                                            queue.member(place.member).held.size()));
            }
        }
    }
    if (state.lacks_memory) {
        names.push_back(
            fmt::format("server '{}' has no memory left: other streams and spaces have it", state.settings.server));
    }
    awaited.reason = names.empty() ? "they have just been released" : list_of(names);
    // Any step of its own that goes makes room: only who keeps them all must act.
    std::erase_if(awaited.on, [&](const transport::Peer& peer) {
        for (const StepQueue::Step* step = queue.oldest(); step != nullptr; step = step->next) {
            if (queue.has_ended_step(rank, step->number) && !keeps(state, peer, *step)) {
                return true;
            }
        }
        return false;
    });
    return awaited;
}

Awaited awaited_by_closing(const StreamState& state) {
    Awaited awaited;
    std::vector<std::string> names;
    for (int rank = 0; rank < state.settings.writers; ++rank) {
        if (!state.queue->writer(rank).finished) {
            awaited.on.push_back(state.members.writer(rank).peer);
            names.push_back(
                fmt::format("writer rank {}, {}, has not closed it", rank, transport::to_string(awaited.on.back())));
        }
    }
    for (const Member* const member : names.empty() ? far_readers_with_steps(state) : std::vector<const Member*>()) {
        awaited.on.push_back(member->link->peer());
        names.push_back(fmt::format("reader rank {}, {}, still has steps that are here alone", member->rank,
                                    transport::to_string(awaited.on.back())));
    }
    awaited.reason = list_of(names);
    return names.empty() ? awaited_readers(state) : awaited;
}

std::vector<const Member*> far_readers_with_steps(const StreamState& state) {
    std::vector<const Member*> readers;
    const bool writers_are_apart = state.members.writers_are_apart();
    for (const auto& [id, member] : state.members.all()) {
        if (member->reads && (writers_are_apart || member->link->is_between_hosts())) {
            const StepQueue::Member& reader = state.queue->member(member->number);
            if (!reader.held.empty() || !reader.group->waiting.empty()) {
                readers.push_back(member.get());
            }
        }
    }
    return readers;
}

Awaited awaited_by_reader(const StreamState& state, const Member& member) {
    const StepQueue& queue = *state.queue;
    const StepQueue::Group& group = *queue.member(member.number).group;
    for (std::size_t rank = 0; !group.active && rank < group.places.size(); ++rank) {
        const int place = group.places[rank].member;
        if (place == StepQueue::nobody || !queue.member(place).ready) {
            return {fmt::format("rank {} of its own group has not joined: all {} ranks must open the stream", rank,
                                group.places.size()),
                    {},
                    Awaited::Absent::readers,
                    1};
        }
    }
    Awaited awaited;
    std::vector<std::string> names;
    const StepQueue::Step* const incomplete = queue.oldest_incomplete();
    const auto add_those = [&](auto&& must_act) {
        for (int rank = 0; rank < state.settings.writers; ++rank) {
            if (must_act(rank)) {
                awaited.on.push_back(state.members.writer(rank).peer);
                names.push_back(
                    fmt::format("writer rank {}, {}, has not ended it", rank, transport::to_string(awaited.on.back())));
            }
        }
    };
    add_those([&](int rank) { return incomplete != nullptr && !queue.has_ended_step(rank, incomplete->number); });
    if (awaited.on.empty()) {
        add_those([&](int rank) { return !queue.writer(rank).finished; });
    }
    awaited.reason = names.empty() ? "it is about to come" : list_of(names);
    return awaited;
}

}  // namespace staithe::stream
