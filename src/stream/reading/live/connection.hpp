// A reader rank's place in a live stream: the way to the director, and to the data of the writer ranks. Outlives the
// reader while a step is pinned.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "monitor/span.hpp"
#include "os/fork.hpp"
#include "store/block_source.hpp"
#include "stream/directing/membership.hpp"
#include "stream/reading/step.hpp"
#include "transport/mapped_pool.hpp"

namespace staithe::stream::live {

struct Connection {
    monitor::Tracer tracer;
    std::shared_ptr<Membership> membership;
    std::vector<std::shared_ptr<transport::MappedPool>> pools;  // by writer rank
    std::shared_ptr<store::BlockSource> source;                 // of them, and of those on disk
    std::mutex send_mutex;                                      // steps may be released from any thread
    std::atomic<std::int64_t> pinned{0};

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
    std::vector<std::vector<std::byte>> attributes_of_ranks;  // as CBOR, of those that said any; lower ranks first
};

}  // namespace staithe::stream::live
