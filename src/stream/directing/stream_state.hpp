// All that a director knows of its stream, for those who report it: they change nothing, and the director's mutex is
// held.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "monitor/counter.hpp"
#include "monitor/span.hpp"
#include "stream/directing/director_settings.hpp"
#include "stream/directing/members.hpp"
#include "stream/directing/step_book.hpp"
#include "stream/directing/step_queue.hpp"
#include "transport/link.hpp"

namespace staithe::stream {

struct StreamState {
    StreamState(DirectorSettings given, transport::Peer own);

    /// Why the stream has no further steps, if a writer rank was lost or failed, or its ranks went through different
    /// numbers of steps.
    [[nodiscard]] std::optional<base::Failure> trouble() const;
    /// Whether writer ranks are there, or to come.
    [[nodiscard]] bool is_written() const { return !queue->all_finished() && !queue->lost_writer(); }
    [[nodiscard]] base::Failure loss() const;
    [[nodiscard]] std::optional<base::Failure> disagreement() const;

    const DirectorSettings settings;
    const transport::Peer self;
    const monitor::Tracer tracer;
    const double started;  // wall clock

    Members members;
    std::optional<StepQueue> queue;  // from the moment on that the first step's number is known
    std::optional<StepBook> book;
    std::int64_t first_step = 0;

    /// Beside the queue's slots: when a step's first part came, and once it is complete, when that was. In nanoseconds
    /// of the coarse clock.
    std::vector<std::int64_t> since;
    /// Beside the queue's groups, by their numbers: when they joined (wall clock), and their first rank's process.
    struct GroupNote {
        double joined_at = 0.0;
        int pid = 0;
    };
    std::map<std::int64_t, GroupNote> groups;

    std::string failure;  // who failed and why; empty if the lost writer rank died
    Written loss_text;    // the same, or who died: for members
    double ended_at = 0.0;
    bool lacks_memory = false;  // of its server, which other streams or spaces have, for what was written elsewhere

    monitor::Counter published_steps, published_bytes, spilled_steps, spilled_bytes;
    monitor::TimeCounter stall;
    std::atomic<std::int64_t> rank_0_asleep_since{0};
    std::atomic<std::int64_t> closing_since{0};  // rank 0 waits to end the stream
};

}  // namespace staithe::stream
