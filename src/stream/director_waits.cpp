// What the director says of who waits in its stream, since when, and for whom: `staithe doctor`.
//
// Times leave the process as seconds until now, so that whoever asks needs no clock in common with it.
#include <algorithm>

#include "os/process.hpp"
#include "stream/director.hpp"

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

Value Director::report_incomplete_step() const {
    const auto step = std::find_if(steps_.begin(), steps_.end(), [](const Step& s) { return s.missing > 0; });
    if (step == steps_.end()) {
        return nullptr;
    }
    List missing;
    for (std::size_t rank = 0; rank < step->records.size(); ++rank) {
        if (step->records[rank].kind == 0) {
            missing.emplace_back(rank);
        }
    }
    return Attributes{{"step", step->number}, {"missing", std::move(missing)}, {"seconds", seconds_since(step->since)}};
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
