#include "stream/directing/report.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "os/process.hpp"
#include "stream/describing/layout.hpp"
#include "stream/directing/protocol.hpp"
#include "stream/observing/sendings.hpp"

namespace staithe::stream {
namespace {

double seconds_since(std::int64_t since) {
    // The coarse clock runs behind the one that sleepers look at. A member may say any number.
    return std::max(0.0, (static_cast<double>(os::coarse_monotonic_nanoseconds()) - static_cast<double>(since)) * 1e-9);
}

/// Null for one who is awake.
Value seconds_asleep(std::int64_t since) { return since == 0 ? Value() : Value(seconds_since(since)); }

Value seconds_asleep(const Member& member) {
    return seconds_asleep(member.channel->shown(shown_by_member::asleep_since));
}

/// Of one on another host that says nothing any more; null as long as it is heard.
Value seconds_silent(const transport::Link& link) {
    const auto silent = link.stalled_for();
    return silent ? Value(silent->count()) : Value();
}

Attributes describe_peer(const transport::Peer& peer, int rank) {
    return {
        {"rank", rank}, {"program", peer.program}, {"pid", peer.pid}, {"host", peer.host}, {"version", peer.version}};
}

List report_writers(const StreamState& state) {
    List writers;
    for (int rank = 0; rank < state.settings.writers; ++rank) {
        const WriterRank& writer = state.members.writer(rank);
        Attributes entry = describe_peer(writer.peer, rank);
        entry["joined"] = writer.has_joined;
        entry["finished"] = state.queue->writer(rank).finished;
        entry["waiting_seconds"] = writer.member != nullptr ? seconds_asleep(*writer.member)
                                   : rank > 0
                                       ? Value()
                                       : seconds_asleep(state.rank_0_asleep_since.load(std::memory_order_relaxed));
        entry["silent_seconds"] = writer.member == nullptr ? Value() : seconds_silent(*writer.member->link);
        entry["network"] = writer.sends;
        writers.emplace_back(std::move(entry));
    }
    return writers;
}

/// How long it has held its oldest step: at most since it joined, though the step may be older.
double seconds_held(const StreamState& state, const StepQueue::Member& reader, double joined_at) {
    const auto oldest = std::min_element(reader.held.begin(), reader.held.end(),
                                         [](const auto* a, const auto* b) { return a->number < b->number; });
    const double since_joined = os::wall_clock_seconds() - joined_at;
    return std::clamp(since_joined, 0.0, seconds_since(state.since[static_cast<std::size_t>((*oldest)->slot)]));
}

/// How it gets blocks of other hosts, by the writer ranks that it asks for them. What goes over the connections to
/// another process than this one is known there alone.
List report_network(const StreamState& state, const Member& member) {
    auto ways = member.ways;
    if (member.traffic) {
        ways.try_emplace(0);  // nothing was fetched yet
    }
    List network;
    for (const auto& [rank, way] : ways) {
        Attributes entry = describe_peer(state.members.writer(rank).peer, rank);
        entry["way"] = way.empty() ? Value() : way;
        const bool is_known = rank == 0 && member.traffic;
        const auto figures = is_known ? member.traffic->figures() : store::remote::Traffic::Figures{};
        entry["connections"] = is_known ? Value(figures.connections) : Value();
        entry["congestion_control"] = is_known ? Value(figures.congestion_control) : Value();
        entry["bytes"] = is_known ? Value(figures.bytes) : Value();
        entry["bytes_per_second"] = is_known ? Value(figures.bytes_a_second()) : Value();
        entry["link_bytes_per_second"] = figures.link ? Value(figures.link->bytes_a_second()) : Value();
        entry["coded"] = report_coded(figures);
        network.emplace_back(std::move(entry));
    }
    return network;
}

List report_members(const StreamState& state, const StepQueue::Group& group, double joined_at) {
    List members;
    for (const StepQueue::Group::Place& place : group.places) {
        if (place.member == StepQueue::nobody) {
            continue;
        }
        const Member& member = state.members.reader(place.member);
        const StepQueue::Member& reader = state.queue->member(place.member);
        Attributes entry = describe_peer(member.link->peer(), member.rank);
        entry["program"] = group.program;
        entry["waiting_seconds"] = seconds_asleep(member);
        entry["silent_seconds"] = seconds_silent(*member.link);
        entry["held"] = reader.held.size();
        entry["network"] = report_network(state, member);
        entry["holding_seconds"] = reader.held.empty() ? Value() : Value(seconds_held(state, reader, joined_at));
        members.emplace_back(std::move(entry));
    }
    return members;
}

List report_readers(const StreamState& state) {
    List readers;
    for (const StepQueue::Group& group : state.queue->groups()) {
        std::int64_t released = group.active ? state.published_steps.value() : 0;
        std::size_t lag = 0;
        for (const StepQueue::Group::Place& place : group.places) {
            if (place.member != StepQueue::nobody) {
                const StepQueue::Member& reader = state.queue->member(place.member);
                released = std::min(released, reader.released);
                lag = std::max(lag, reader.held.size());
            }
        }
        const auto note = state.groups.find(group.number);
        const auto& [joined_at, pid] = note == state.groups.end() ? StreamState::GroupNote{} : note->second;
        readers.push_back(Attributes{{"program", group.program},
                                     {"pid", pid},
                                     {"ranks", group.places.size()},
                                     {"joined", joined_at},
                                     {"steps", released},
                                     {"lag", lag + group.waiting.size()},
                                     {"overflow", to_string(group.overflow)},
                                     {"dropped", group.dropped},
                                     {"paused", group.paused},
                                     {"members", report_members(state, group, joined_at)}});
    }
    return readers;
}

List report_joining(const StreamState& state) {
    List joining;
    for (const DeferredJoin& join : state.members.deferred) {
        const auto rank = integer_field(join.request, "rank", 0, INT32_MAX).value_or(0);
        Attributes entry = describe_peer(join.link->peer(), static_cast<int>(rank));
        entry["program"] = text_field(join.request, "program").value_or("");
        entry["seconds"] = seconds_since(join.since);
        joining.emplace_back(std::move(entry));
    }
    return joining;
}

Value report_incomplete_step(const StreamState& state) {
    const StepQueue::Step* const step = state.queue->oldest_incomplete();
    if (step == nullptr) {
        return nullptr;
    }
    List missing;
    for (int rank = 0; rank < state.settings.writers; ++rank) {
        if (!state.queue->has_ended_step(rank, step->number)) {
            missing.emplace_back(rank);
        }
    }
    return Attributes{{"step", step->number},
                      {"missing", std::move(missing)},
                      {"seconds", seconds_since(state.since[static_cast<std::size_t>(step->slot)])}};
}

List as_list(const Extents& extents) { return {extents.begin(), extents.end()}; }

}  // namespace

const char* state_of(const StreamState& state) {
    if (state.queue->lost_writer() && !state.settings.server.empty()) {
        return "failed";
    }
    return state.queue->ended() ? "closed" : "open";
}

Attributes report_of(const StreamState& state) {
    std::int64_t queued_bytes = 0;
    std::int64_t bytes_at_rest = 0;
    for (const StepQueue::Step* step = state.queue->oldest(); step != nullptr; step = step->next) {
        (step->at_rest ? bytes_at_rest : queued_bytes) += step->data_bytes;
    }
    const Value asleep = seconds_asleep(state.rank_0_asleep_since.load(std::memory_order_relaxed));
    const bool ended = state.queue->ended();
    const transport::Peer& writer = state.settings.server.empty() ? state.self : state.members.writer(0).peer;
    return {{"name", state.settings.stream},
            {"placement", state.settings.placement},
            {"program", writer.program},
            {"pid", writer.pid},
            {"host", writer.host},
            {"version", writer.version},
            {"ranks", state.settings.writers},
            {"started", state.started},
            {"now", os::wall_clock_seconds()},  // by the same clock: that of who asks may be another
            {"ended", ended ? Value(state.ended_at) : Value()},
            {"steps", state.published_steps.value()},
            {"bytes", state.published_bytes.value()},
            {"queue", Attributes{{"steps", state.queue->complete_steps() - state.queue->steps_at_rest()},
                                 {"limit_steps", state.settings.queue.steps},
                                 {"bytes", queued_bytes},
                                 {"limit_bytes", state.settings.queue.bytes}}},
            {"overflow", to_string(state.settings.overflow)},
            {"dropped", state.queue->dropped()},
            {"spilled_steps", state.spilled_steps.value()},
            {"spilled_bytes", state.spilled_bytes.value()},
            // A wait that still lasts included.
            {"stall_seconds", state.stall.seconds() + asleep.as_double().value_or(0.0)},
            {"readers", report_readers(state)},
            {"state", state_of(state)},
            {"server", state.settings.server.empty() ? Value() : Value(state.settings.server)},
            {"kept", Attributes{{"steps", state.queue->steps_at_rest()},
                                {"limit_steps", state.settings.queue.keep.steps},
                                {"bytes", bytes_at_rest},
                                {"limit_bytes", state.settings.queue.keep.bytes}}},
            {"writers", report_writers(state)},
            {"joining", report_joining(state)},
            {"incomplete", report_incomplete_step(state)},
            {"closing_seconds", seconds_asleep(state.closing_since.load(std::memory_order_relaxed))},
            {"expected_readers", state.settings.expected_readers},
            {"readers_seen", state.queue->groups_seen()}};
}

bool DescribedVariables::are_of(std::uint64_t layout) const {
    const std::lock_guard lock(mutex_);
    return layout_ == layout;
}

List DescribedVariables::list(std::uint64_t layout, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    if (layout == layout_) {
        return variables_;
    }
    layout_ = layout;
    const auto understood = Layout::decode(bytes, layout);
    if (!understood) {
        return variables_;
    }
    variables_.clear();
    for (const VariableLayout& variable : (*understood)->variables()) {
        const store::BlockDescription& first = *variable.description;
        variables_.push_back(Attributes{{"name", first.variable},
                                        {"dtype", name_of(first.dtype)},
                                        {"shape", first.local ? Value() : Value(as_list(first.shape))},
                                        {"unit", first.unit},
                                        {"blocks", variable.blocks.size()}});
    }
    return variables_;
}

}  // namespace staithe::stream
