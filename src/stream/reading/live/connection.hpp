// A reader rank's place in a live stream: the way to the director, and to the data of the writer ranks. Outlives the
// reader while a step is pinned.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "monitor/counter.hpp"
#include "monitor/span.hpp"
#include "os/fork.hpp"
#include "store/block_source.hpp"
#include "store/enclosed_source.hpp"
#include "store/store_set.hpp"
#include "stream/directing/membership.hpp"
#include "stream/reading/live/prefetcher.hpp"
#include "stream/reading/live/stores.hpp"
#include "stream/reading/step.hpp"

namespace staithe::stream::live {

struct PinnedStep;

struct Connection {
    monitor::Tracer tracer;
    std::shared_ptr<Membership> membership;
    std::shared_ptr<store::StoreSet> stores;     // the pools of all writer ranks, and what servers have
    std::shared_ptr<store::BlockSource> source;  // the same, decoded if writers encode
    Needs needs;                                 // as to what comes from other hosts
    base::Seconds patience{};                    // with the director, where it is asked for more of these
    std::shared_ptr<void> listening;             // at a port, for a writer that connects to this process; or null
    const std::shared_ptr<FetchedMemory> memory = std::make_shared<FetchedMemory>();
    std::unique_ptr<Prefetcher> own_prefetcher;
    std::atomic<Prefetcher*> prefetcher{nullptr};  // of blocks on another host; null: there is nothing to wait for
    std::mutex send_mutex;                         // steps may be released from any thread
    monitor::Counter taken, released;              // steps
    std::atomic<void*> spare{nullptr};             // a PinnedStep that nobody uses; this, once none is kept any more

    /// Steps that were taken and not released.
    [[nodiscard]] std::int64_t pinned() const { return taken.value() - released.value(); }
    void release(std::int64_t step);
    void want(std::int64_t step);
    void hand_back(std::int64_t step);
    /// Some of the blocks to come are on another host.
    void fetch_ahead();
};

/// The blocks of one step, some of which may have been fetched ahead.
class AwaitedBlocks final : public store::BlockSource {
  public:
    AwaitedBlocks(Connection& connection, const std::int64_t& step) : connection_(connection), step_(step) {}
    base::Result<> fetch(std::span<const store::BlockRef> refs, std::span<const store::Piece> pieces,
                         const MutableArrayView& destination) override {
        return connection_.prefetcher.load()->fetch(step_, refs, pieces, destination);
    }
    base::Result<std::optional<ArrayView>> view(const store::BlockRef& ref,
                                                const store::BlockDescription& block) override {
        return connection_.source->view(ref, block);  // of a rank of this host
    }
    base::Result<> reduce(std::span<const store::BlockRef> refs, std::span<const store::Piece> pieces,
                          store::reducing::Reduction& into) override {
        return connection_.source->reduce(refs, pieces, into);
    }
    store::Evaluator* evaluator(const store::BlockRef& ref) override { return connection_.source->evaluator(ref); }
    [[nodiscard]] bool is_far() const override { return true; }

  private:
    Connection& connection_;
    const std::int64_t& step_;
};

/// A step that is released when nobody uses it any more.
///
/// It and the count of its users are then kept for the next one, with all that this will refer to as well: at the pace
/// of small steps heap and reference counts would cost a third of what reading a step costs.
struct PinnedStep final : Step {
    explicit PinnedStep(std::shared_ptr<Connection> pinned_by);

    [[nodiscard]] base::Result<Attributes> attributes() const override;
    [[nodiscard]] base::Result<std::optional<View>> kept(const store::Piece& piece) const override;
    /// Its blocks are got from there, as long as it lives.
    void get_from(store::BlockSource& blocks) { source = {std::shared_ptr<void>(), &blocks}; }
    /// Nobody counts its users any more.
    void retire();

    const os::Home home;
    const std::shared_ptr<Connection> connection;  // makes a circle while the step is spare: see keep_no_spare
    std::vector<std::byte> encoded_attributes;     // of all ranks that gave some
    store::EnclosedSource enclosed;                // the blocks, if they came along;
    AwaitedBlocks awaited;                         // else, those of another host
    alignas(std::max_align_t) std::array<std::byte, 64> count_of_users{};
};

/// An empty step of that number.
std::shared_ptr<PinnedStep> pin(const std::shared_ptr<Connection>& connection, std::int64_t number);

/// No more steps will be taken: those that are released end.
void keep_no_spare(Connection& connection);

}  // namespace staithe::stream::live
