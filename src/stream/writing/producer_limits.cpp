// A producer waits for readers, its own and those of the process's other streams: at the limits of its process, and
// where its memory would be cold.
#include <algorithm>
#include <chrono>
#include <utility>

#include "base/interruption.hpp"
#include "stream/waiting/long_wait.hpp"
#include "stream/writing/producer.hpp"

namespace staithe::stream {
namespace {

// What another stream of the process gives back rings no bell of this one, so it looks again.
constexpr base::Seconds until_next_look{0.02};

}  // namespace

/// A stream of which at most one step is in flight may always begin another: else two of them could wait for each
/// other, or its reader, which holds a step until the next has come.
bool Producer::process_has_credit() const {
    const store::Held held = store_->held(store::Tier::memory);
    return held.versions < 2 || held.bytes == 0 || base::has_room(base::Resource::bytes_in_flight, last_step_bytes_);
}

/// Readers that may lose steps are not waited for where this process may hold no more.
bool Producer::relieved(base::FunctionRef<bool()> ready) {
    if (ready()) {
        return true;
    }
    director_->squeeze();
    return ready();
}

/// Waits at the bell, and looks again without being rung for as long as other streams of the process count.
base::Result<bool> Producer::wait_for_readers(std::optional<double> chosen_timeout,
                                              const std::function<bool()>& others_count,
                                              const std::function<bool()>& ready) {
    return wait_for_peers(
        director_->news(), base::Deadline(base::Seconds(chosen_timeout.value_or(base::forever))), patience_,
        [&] { return others_count() ? relieved(ready) : ready(); },
        [&] {
            return LongWait::Subject{stream_,   fmt::format("writer rank {}", group_.rank), "room in the queue of",
                                     endpoint_, [this] { return director_->awaited(); },    chosen_timeout.has_value()};
        },
        [&] { return others_count() ? until_next_look : LongWait::between_looks; });
}

bool Producer::could_begin() {
    collect_freed();
    return director_->trouble() || has_credit();
}

/// What wait_for_credit() does, by the watcher.
void Producer::sleep_until_it_could(const std::function<bool()>& stop) {
    const auto began = base::Clock::now();
    const auto over = [&] {
        return stop() || (process_has_credit() ? could_begin() : relieved([this] { return could_begin(); }));
    };
    while (!over()) {
        const base::Deadline turn(process_has_credit() ? base::Seconds(base::forever) : until_next_look);
        director_->news().wait(turn, patience_of_watcher_, over);
    }
    const auto waited = base::Clock::now() - began;
    stall_.add(waited);
    director_->add_stall(waited);
}

base::Result<int> Producer::descriptor() {
    if (closed_) {
        return base::fail(ErrorCode::closed, "stream '{}' is closed: open a new writer to write again", stream_);
    }
    if (step_open_) {
        return base::fail(ErrorCode::invalid_argument, "stream '{}': end or abandon step {} before the next one",
                          stream_, next_step_);
    }
    if (!watcher_) {
        auto watcher = Watcher::start({.ready = [this] { return could_begin(); },
                                       .sleep = [this](const auto& stop) { sleep_until_it_could(stop); },
                                       .wake = [this] { director_->news().wake(); }});
        if (!watcher) {
            return base::fail(std::move(watcher));
        }
        watcher_ = *std::move(watcher);
    }
    watcher_->begin();
    return watcher_->descriptor();
}

void Producer::stop_watching() {
    if (watcher_) {
        watcher_->stop();
    }
}

std::string Producer::why_queue_is_full() {
    const auto awaited = director_->awaited();
    return awaited ? awaited->reason : awaited.error().message;
}

base::Result<> Producer::wait_for_warm_memory(std::optional<double> chosen_timeout) {
    if (!run_ahead_ || !RunAhead::is_far(store_->held(store::Tier::memory).versions, last_step_bytes_)) {
        return {};
    }
    const base::Seconds longest =
        std::min(run_ahead_->worth_waiting(last_step_bytes_), base::Seconds(chosen_timeout.value_or(base::forever)));
    if (longest.count() == 0) {
        return {};
    }
    const monitor::Span span(tracer_, "wait for warm memory", next_step_);
    const std::int64_t steps_before = store_->held(store::Tier::memory).versions;
    const auto began = base::Clock::now();
    const base::Deadline deadline(longest);
    const bool came = director_->news().wait(deadline, patience_for_warm_memory_, [this] {
        collect_freed();
        return !RunAhead::is_far(store_->held(store::Tier::memory).versions, last_step_bytes_);
    });
    const auto waited = base::Clock::now() - began;
    stall_.add(waited);
    director_->add_stall(waited);
    run_ahead_->waited(store_->held(store::Tier::memory).versions < steps_before);
    if (!came && !deadline.passed()) {
        return base::fail(ErrorCode::timeout, "stream '{}': opening step {} was interrupted", stream_, next_step_);
    }
    return {};
}

/// There is none now; what kept steps have left by now is looked for first.
base::Result<store::BlockMemory> Producer::wait_for_memory(std::int64_t bytes) {
    base::Result<store::BlockMemory> memory = base::fail(ErrorCode::limit_reached, "no memory");
    const auto began = base::Clock::now();
    std::optional<base::Failure> trouble;
    const auto over = wait_for_readers(
        timeout_, [] { return true; },
        [&] {
            collect_freed();
            trouble = director_->trouble();
            memory = store_->allocate(store::Tier::memory, bytes);
            // As long as readers hold steps of this process, or others have memory of its server, waiting can help.
            return memory || memory.error().code != ErrorCode::limit_reached || trouble ||
                   (base::used(base::Resource::bytes_in_flight) == 0 && !director_->memory_may_come());
        });
    const auto waited = base::Clock::now() - began;
    stall_.add(waited);
    director_->add_stall(waited);
    if (trouble && !memory) {
        return tl::unexpected(*std::move(trouble));
    }
    if (!over) {
        return base::fail(over);
    }
    if (!*over) {
        return base::fail(memory.error().code, "stream '{}': {} (waited {:.3g} s: {})", stream_, memory.error().message,
                          timeout_.value_or(base::Seconds(waited).count()), why_queue_is_full());
    }
    return memory;
}

}  // namespace staithe::stream
