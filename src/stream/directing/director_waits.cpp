// What the director says of who waits in its stream, since when, and for whom: `staithe doctor`.
//
// Times leave the process as seconds until now, so that whoever asks needs no clock in common with it.
#include <algorithm>

#include "os/process.hpp"
#include "stream/directing/director.hpp"

namespace staithe::stream {
namespace {

double seconds_since(std::int64_t since) {
    // The coarse clock runs behind the one that sleepers look at.
    return std::max(0.0, static_cast<double>(os::coarse_monotonic_nanoseconds() - since) * 1e-9);
}

/// Null for one who is awake.
Value seconds_asleep(const std::atomic<std::int64_t>& since) {
    const std::int64_t at = since.load(std::memory_order_relaxed);
    return at == 0 ? Value() : Value(seconds_since(at));
}

/// "rank 1, lammps (pid 7 on node3), and rank 2, …": the first few of them.
std::string list_of(const std::vector<std::string>& names) {
    constexpr std::size_t most_named = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), most_named); ++i) {
        text += (i == 0 ? "" : "; ") + names[i];
    }
    return names.size() > most_named ? fmt::format("{}; and {} more", text, names.size() - most_named) : text;
}

Attributes describe_peer(const transport::Peer& peer, int rank) {
    return {
        {"rank", rank}, {"program", peer.program}, {"pid", peer.pid}, {"host", peer.host}, {"version", peer.version}};
}

}  // namespace

List Director::report_writers() const {
    List writers;
    for (std::size_t rank = 0; rank < writers_.size(); ++rank) {
        const WriterRank& writer = writers_[rank];
        Attributes entry = describe_peer(writer.peer, static_cast<int>(rank));
        entry["joined"] = bool(writer.pool);
        entry["finished"] = writer.finished;
        entry["waiting_seconds"] = rank == 0                  ? seconds_asleep(rank_0_asleep_since_)
                                   : writer.member == nullptr ? Value()
                                                              : seconds_asleep(writer.member->head->asleep_since);
        writers.emplace_back(std::move(entry));
    }
    return writers;
}

/// How long rank 0 has waited for room, a wait that still lasts included.
double Director::stall_seconds() const {
    const Value asleep = seconds_asleep(rank_0_asleep_since_);
    return stall_.seconds() + asleep.as_double().value_or(0.0);
}

/// How long it has held its oldest step: at most since it joined, though the step may be older.
double Director::seconds_held(const Member& member) const {
    const auto oldest = std::min_element(member.held.begin(), member.held.end());
    const auto step = std::find_if(steps_.begin(), steps_.end(), [&](const Step& s) { return s.number == *oldest; });
    const double since_joined = os::wall_clock_seconds() - member.group->joined_at;
    return step == steps_.end() ? 0.0 : std::clamp(since_joined, 0.0, seconds_since(step->since));
}

List Director::report_members(const ReaderGroup& group) const {
    List members;
    for (const Member* const rank : group.members) {
        if (rank == nullptr) {
            continue;
        }
        const Member& member = *rank;
        Attributes entry = describe_peer(member.link->peer(), member.rank);
        entry["program"] = group.program;
        entry["waiting_seconds"] = seconds_asleep(member.head->asleep_since);
        entry["held"] = member.held.size();
        entry["holding_seconds"] = member.held.empty() ? Value() : Value(seconds_held(member));
        members.emplace_back(std::move(entry));
    }
    return members;
}

/// The writer ranks whose part of the oldest unfinished step is not there.
Director::MissingRecords Director::ranks_without_oldest_step() const {
    MissingRecords missing;
    const auto step = std::find_if(steps_.begin(), steps_.end(), [](const Step& s) { return s.missing > 0; });
    for (std::size_t rank = 0; step != steps_.end() && rank < writers_.size(); ++rank) {
        if (step->records[rank].kind == 0) {
            missing.number = step->number;
            missing.ranks.push_back(static_cast<int>(rank));
        }
    }
    return missing;
}

Awaited Director::awaited_readers() const {
    Awaited awaited{
        fmt::format("{} of {} expected reader groups have joined: start the readers, or open the writer with "
                    "fewer `readers`",
                    groups_seen_, settings_.expected_readers),
        {},
        Awaited::Absent::readers,
        settings_.expected_readers - groups_seen_};
    for (const ReaderGroup& group : groups_) {
        awaited.present.push_back(group.program);
    }
    return awaited;
}

/// Whether the process keeps a step in the queue: it has not ended its part of it, or not released it.
bool Director::keeps(int pid, const Step& step) const {
    for (std::size_t rank = 0; rank < writers_.size(); ++rank) {
        if (step.records[rank].kind == 0 && writers_[rank].peer.pid == pid) {
            return true;
        }
    }
    return std::any_of(members_.begin(), members_.end(), [&](const auto& entry) {
        const Member& member = entry.second;
        return member.link->peer().pid == pid &&
               std::find(member.held.begin(), member.held.end(), step.number) != member.held.end();
    });
}

/// For room in the queue.
Awaited Director::awaited_by_writer(int rank) const {
    for (std::size_t other = 0; other < writers_.size(); ++other) {
        if (!writers_[other].pool) {
            return {
                fmt::format("writer rank {} has not joined: start all {} ranks of the group", other, settings_.writers),
                {},
                Awaited::Absent::writers,
                1};
        }
    }
    if (groups_seen_ < settings_.expected_readers) {
        return awaited_readers();
    }
    Awaited awaited;
    std::vector<std::string> names;
    const auto oldest = ranks_without_oldest_step();
    for (const int missing : oldest.ranks) {
        if (missing != rank) {
            awaited.on.push_back(writers_[static_cast<std::size_t>(missing)].peer);
            names.push_back(fmt::format("writer rank {}, {}, has not ended step {}", missing,
                                        transport::to_string(awaited.on.back()), oldest.number));
        }
    }
    for (const ReaderGroup& group : groups_) {
        for (const Member* const member : group.members) {
            if (member != nullptr && !member->held.empty()) {
                awaited.on.push_back(member->link->peer());
                names.push_back(fmt::format("reader '{}' rank {}, {}, has not released {} steps", group.program,
                                            member->rank, transport::to_string(awaited.on.back()),
                                            member->held.size()));
            }
        }
    }
    awaited.reason = names.empty() ? "they have just been released" : list_of(names);
    // Any step of its own that goes makes room: only who keeps them all must act.
    std::erase_if(awaited.on, [&](const transport::Peer& peer) {
        return std::any_of(steps_.begin(), steps_.end(), [&](const Step& step) {
            return step.records[static_cast<std::size_t>(rank)].kind != 0 && !keeps(peer.pid, step);
        });
    });
    return awaited;
}

Awaited Director::awaited_by_closing() const {
    Awaited awaited;
    std::vector<std::string> names;
    for (std::size_t rank = 0; rank < writers_.size(); ++rank) {
        if (!writers_[rank].finished) {
            awaited.on.push_back(writers_[rank].peer);
            names.push_back(
                fmt::format("writer rank {}, {}, has not closed it", rank, transport::to_string(awaited.on.back())));
        }
    }
    awaited.reason = list_of(names);
    return names.empty() ? awaited_readers() : awaited;
}

Awaited Director::awaited_by_rank_0() const {
    const std::lock_guard lock(mutex_);
    return writers_[0].finished ? awaited_by_closing() : awaited_by_writer(0);
}

/// For the next step.
Awaited Director::awaited_by_reader(const Member& member) const {
    const ReaderGroup& group = *member.group;
    for (std::size_t rank = 0; !group.active && rank < group.members.size(); ++rank) {
        if (group.members[rank] == nullptr || !group.members[rank]->ready) {
            return {fmt::format("rank {} of its own group has not joined: all {} ranks must open the stream", rank,
                                group.size),
                    {},
                    Awaited::Absent::readers,
                    1};
        }
    }
    Awaited awaited;
    std::vector<std::string> names;
    const auto add = [&](std::size_t rank) {
        awaited.on.push_back(writers_[rank].peer);
        names.push_back(
            fmt::format("writer rank {}, {}, has not ended it", rank, transport::to_string(awaited.on.back())));
    };
    for (const int rank : ranks_without_oldest_step().ranks) {
        add(static_cast<std::size_t>(rank));
    }
    for (std::size_t rank = 0; awaited.on.empty() && rank < writers_.size(); ++rank) {
        if (!writers_[rank].finished) {
            add(rank);
        }
    }
    awaited.reason = names.empty() ? "it is about to come" : list_of(names);
    return awaited;
}

base::Result<Attributes> Director::awaits(const Attributes& request) {
    const auto id = integer_field(request, "member", 0, INT64_MAX);
    const std::lock_guard lock(mutex_);
    const auto member = id ? members_.find(*id) : members_.end();
    if (member == members_.end()) {
        return base::fail(ErrorCode::protocol, "stream '{}' knows no such member", settings_.stream);
    }
    return encode(member->second.group == nullptr ? awaited_by_writer(member->second.rank)
                                                  : awaited_by_reader(member->second));
}

Value Director::report_incomplete_step() const {
    const auto step = std::find_if(steps_.begin(), steps_.end(), [](const Step& s) { return s.missing > 0; });
    if (step == steps_.end()) {
        return nullptr;
    }
    const auto missing = ranks_without_oldest_step().ranks;
    return Attributes{{"step", step->number},
                      {"missing", List(missing.begin(), missing.end())},
                      {"seconds", seconds_since(step->since)}};
}

void Director::report_waits(Attributes& report) const {
    List joining;
    for (const DeferredJoin& join : deferred_) {
        const auto rank = integer_field(join.request, "rank", 0, INT32_MAX).value_or(0);
        Attributes entry = describe_peer(join.link->peer(), static_cast<int>(rank));
        entry["program"] = text_field(join.request, "program").value_or("");
        entry["seconds"] = seconds_since(join.since);
        joining.emplace_back(std::move(entry));
    }
    report["version"] = endpoint_->self().version;
    report["writers"] = report_writers();
    report["joining"] = std::move(joining);
    report["incomplete"] = report_incomplete_step();
    report["closing_seconds"] = seconds_asleep(closing_since_);
    report["expected_readers"] = settings_.expected_readers;
    report["readers_seen"] = groups_seen_;
}

}  // namespace staithe::stream
