// A reader rank's place in a live stream: the way to the director, and to the data of the writer ranks. Outlives the
// reader while a step is pinned.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "monitor/counter.hpp"
#include "monitor/span.hpp"
#include "os/fork.hpp"
#include "store/block_source.hpp"
#include "stream/directing/membership.hpp"
#include "stream/reading/step.hpp"

namespace staithe::stream::live {

struct Connection {
    monitor::Tracer tracer;
    std::shared_ptr<Membership> membership;
    std::shared_ptr<store::BlockSource> source;  // of the pools of all writer ranks
    std::mutex send_mutex;                       // steps may be released from any thread
    monitor::Counter taken, released;            // steps

    /// Steps that were taken and not released.
    [[nodiscard]] std::int64_t pinned() const { return taken.value() - released.value(); }
    void release(std::int64_t step);
    void want(std::int64_t step);
    void hand_back(std::int64_t step);
};

/// A step that is released when nobody uses it any more.
struct PinnedStep final : Step {
    PinnedStep(std::shared_ptr<Connection> pinned_by, std::int64_t number);
    ~PinnedStep() override;

    [[nodiscard]] base::Result<Attributes> attributes() const override;

    const os::Home home;
    std::shared_ptr<Connection> connection;
    std::vector<std::byte> encoded_attributes;  // of all ranks that gave some
};

}  // namespace staithe::stream::live
