#include "stream/waiting/long_wait.hpp"

#include <atomic>
#include <utility>

#include "base/log.hpp"
#include "os/process.hpp"
#include "stream/finding/ended_note.hpp"
#include "stream/finding/roster.hpp"
#include "stream/opening.hpp"
#include "stream/waiting/wait_circles.hpp"

namespace staithe::stream {
namespace {

constexpr base::Seconds patience_with_the_silent{default_timeout};
// A process that uses more than this part of a processor does something, though the threads that we know of wait.
constexpr double idle_part = 0.03;

constexpr double until_absence_is_told = 10.0;

/// Processor time that threads of this process have used while they waited for long. To wait is no work, however much
/// there is to look at.
std::atomic<double> used_by_waits{0.0};

double used_by_work() { return os::processor_seconds() - used_by_waits.load(std::memory_order_relaxed); }

double now_in_seconds() { return base::Seconds(base::Clock::now().time_since_epoch()).count(); }

}  // namespace

LongWait::LongWait(Subject subject, base::Clock::time_point began)
    : subject_(std::move(subject)),
      began_(began),
      note_(subject_.endpoint->run_directory(), subject_.stream),
      used_by_thread_(os::thread_processor_seconds()),
      used_by_work_(used_by_work()) {}

base::Result<> LongWait::look() {
    if (base::Clock::now() - last_look_ < between_looks) {
        return {};
    }
    const double thread_before = std::exchange(used_by_thread_, os::thread_processor_seconds());
    used_by_waits.fetch_add(used_by_thread_ - thread_before, std::memory_order_relaxed);
    const auto awaited = subject_.whom();
    if (!awaited && awaited.error().code != ErrorCode::timeout) {
        return {};  // the director is gone, or about to be: whoever waits learns of it by itself
    }
    if (auto checked = check_answers(awaited); !checked || !awaited) {
        last_look_ = base::Clock::now();
        return checked;
    }
    if (auto checked = check_presence(*awaited); !checked) {
        return checked;
    }
    auto checked = check_circles(*awaited);
    tell(*awaited);
    return checked;
}

/// On another host its pid is somebody else's here.
bool LongWait::is_here(const transport::Peer& peer) const { return peer.host == subject_.endpoint->self().host; }

base::Result<> LongWait::check_answers(const base::Result<Awaited>& awaited) {
    const auto silent = [&]() -> std::string {
        if (!awaited) {
            return awaited.error().message;
        }
        for (const transport::Peer& peer : awaited->on) {
            if (const auto advice = is_here(peer) ? transport::advice_if_stopped(peer) : std::string();
                !advice.empty()) {
                return transport::to_string(peer) + advice;
            }
        }
        return "";
    }();
    const auto now = base::Clock::now();
    silent_since_ = silent.empty() ? std::nullopt : std::optional(silent_since_.value_or(now));
    if (subject_.has_chosen_timeout || !silent_since_ || now - *silent_since_ < patience_with_the_silent) {
        return {};
    }
    return base::fail(ErrorCode::timeout, "stream '{}': {} has waited {:.0f} s for {} it: {}", subject_.stream,
                      subject_.role, seconds(), subject_.wants, silent);
}

base::Result<> LongWait::check_presence(const Awaited& awaited) {
    if (awaited.absent == Awaited::Absent::nobody) {
        return {};
    }
    const bool readers = awaited.absent == Awaited::Absent::readers;
    auto programs =
        programs_to_come(subject_.endpoint->run_directory(), subject_.stream, readers ? Side::reads : Side::writes);
    // Those that have come are no longer to come.
    std::erase_if(programs, [&](const ProgramToCome& program) {
        return std::find(awaited.present.begin(), awaited.present.end(), program.name) != awaited.present.end();
    });
    const auto living =
        std::count_if(programs.begin(), programs.end(), [](const ProgramToCome& program) { return program.lives; });
    const auto ended =
        std::find_if(programs.begin(), programs.end(), [](const ProgramToCome& program) { return !program.lives; });
    all_must_come_ = living <= awaited.absent_count;
    if (ended != programs.end() && (living == 0 || (readers && living < awaited.absent_count))) {
        const auto note = readers ? std::nullopt : find_ended_note(subject_.endpoint->run_directory(), subject_.stream);
        return base::fail(ErrorCode::peer_lost,
                          "stream '{}': {} waited for {} it, but {}, which was to {} it, has ended{}", subject_.stream,
                          subject_.role, subject_.wants, ended->name, readers ? "read" : "write",
                          note ? "; the stream " + to_string(*note) : "");
    }
    if (!subject_.has_chosen_timeout && living == 0 && seconds() >= default_timeout) {
        return base::fail(ErrorCode::timeout,
                          "stream '{}': {} has waited {:.0f} s for {} it: {}; a larger timeout waits longer",
                          subject_.stream, subject_.role, seconds(), subject_.wants, awaited.reason);
    }
    return {};
}

NotedWait LongWait::note_of(const Awaited& awaited) {
    NotedWait note{.id = note_.id(),
                   .stream = subject_.stream,
                   .who = subject_.endpoint->self(),
                   .role = subject_.role,
                   .wants = subject_.wants,
                   .reason = awaited.reason,
                   .since = base::Seconds(began_.time_since_epoch()).count(),
                   .looked = now_in_seconds(),
                   .absent = all_must_come_ ? awaited.absent : Awaited::Absent::nobody};
    for (const transport::Peer& peer : awaited.on) {
        if (is_here(peer)) {
            note.on.push_back(peer.pid);
        }
    }
    const double work_before = std::exchange(used_by_work_, used_by_work());
    const base::Seconds elapsed = base::Clock::now() - std::exchange(last_look_, base::Clock::now());
    if (used_by_work_ - work_before < idle_part * elapsed.count()) {
        note.held_up = held_up_streams();
        note.to_write = unopened_streams("writes");
        note.to_read = unopened_streams("reads");
    }
    return note;
}

/// A circle counts once it has been found twice, and everybody in it has looked in between: what was read the first
/// time may have been over by then.
base::Result<> LongWait::check_circles(const Awaited& awaited) {
    if (!waiting_) {
        waiting_.emplace();
    }
    const NotedWait own = note_of(awaited);
    note_.write(own);
    WaitingNotes notes(subject_.endpoint->run_directory());
    const auto circle = find_circle(notes, own);
    std::string ids;
    for (const NotedWait* wait : circle) {
        ids += fmt::format("{}@{} ", wait->id, wait->since);
    }
    if (std::exchange(circle_, ids) != ids) {
        circle_found_ = now_in_seconds();
        return {};
    }
    const bool all_have_looked =
        std::all_of(circle.begin(), circle.end(), [&](const NotedWait* wait) { return wait->looked > circle_found_; });
    if (circle.empty() || !all_have_looked) {
        return {};
    }
    return base::fail(ErrorCode::deadlock, "stream '{}': {}", subject_.stream, describe_circle(circle));
}

void LongWait::tell(const Awaited& awaited) {
    const int minutes = static_cast<int>(seconds() / 60.0);
    // That somebody has not come is most often a slip, and told sooner.
    const bool is_missed = awaited.absent != Awaited::Absent::nobody && seconds() >= until_absence_is_told;
    if (minutes > std::exchange(minutes_told_, minutes) || is_missed > std::exchange(absence_told_, is_missed)) {
        base::log(base::LogLevel::warn, "stream '{}': {} has waited {:.0f} s for {} it: {}", subject_.stream,
                  subject_.role, seconds(), subject_.wants, awaited.reason);
    }
}

}  // namespace staithe::stream
