// Blocks that processes of other hosts hold, fetched over stream sockets, from all of them at once.
//
// What is selected is all that travels: whoever holds a block packs what is wanted of it, and it is received straight
// into the destination where its rows lie together there. The calling thread does it all; there is no other, so that
// nothing is written into a destination once a fetch has returned, whatever it returned: connections that still had to
// give something are closed first. Threads that fetch at the same time have connections of their own. What is ordered
// is asked for on the connections on which the orders before it still come.
//
// Failures besides those of every source, with the process's name: `peer_lost` if it is gone, `timeout` if it gives
// nothing for so long, or the program interrupts; and those of connecting. A connection that ends is made anew once.
// One that others wait for is closed after each fetch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/function_ref.hpp"
#include "os/file_descriptor.hpp"
#include "os/fork.hpp"
#include "store/block_source.hpp"
#include "store/evaluator.hpp"
#include "store/reducing/reduction.hpp"
#include "store/remote/connection_count.hpp"
#include "store/remote/lane.hpp"

namespace staithe::store::remote {

/// A new connection to a process that holds blocks.
using Connect = std::function<base::Result<Connected>(const base::Deadline& deadline)>;

struct Owner {
    std::string name;                   // for messages: program, host, pid
    std::vector<std::uint32_t> stores;  // none: all that no other has
    Connect connect;
    /// Why it is gone, nothing while it is there: asked now and then while nothing comes. A host that lost its
    /// power says nothing, and who has a link to it knows sooner than who waits for bytes.
    std::function<std::optional<std::string>()> loss = [] { return std::nullopt; };
};

/// How far off values may be, and which codec is wanted; none: any, or none.
struct Allowed {
    codecs::Bound bound{};
    std::string codec{};
};

struct RemoteOptions {
    base::Seconds timeout{60.0};  // without a byte
    int connections = 1;          // to one owner share a fetch: so many at first,
    int most_connections = 1;     // and so many where that is found to be faster
    /// How the values of a block may come, where that has them here sooner; nothing: as they are. Null: all of them so.
    std::function<std::optional<Allowed>(const BlockDescription& block)> allowed{};
    /// Shorter pieces are there as soon as anything could be done about them.
    std::int64_t least_coded = 64 << 10;
};

class RemoteSource final : public BlockSource, public Evaluator {
  public:
    RemoteSource(std::vector<Owner> owners, RemoteOptions options);

    base::Result<> fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                         const MutableArrayView& destination) override;

    /// Whole blocks, each to where its elements would lie dense, as their owners send them: what comes encoded stays
    /// so. Tells of all parts, in any order.
    base::Result<> fetch_as_sent(std::span<const BlockRef> refs, std::span<const BlockDescription> blocks,
                                 std::span<std::byte* const> places, std::vector<Sent>& sent);

    /// By their owners.
    base::Result<> reduce(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                          reducing::Reduction& into) override;

    Evaluator* evaluator(const BlockRef& /*ref*/) override { return this; }
    [[nodiscard]] bool is_worth(std::span<const BlockRef> refs, const Evaluated& piece,
                                const reducing::Recipe* recipe) const override;
    base::Result<> evaluate(std::span<const BlockRef> refs, std::span<const Evaluated> pieces) override;
    base::Result<> reduce_evaluated(std::span<const BlockRef> refs, std::span<const Evaluated> pieces,
                                    reducing::Reduction& into) override;

    std::unique_ptr<Order> order(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                 const MutableArrayView& destination) override;
    [[nodiscard]] base::Seconds delay() const override { return delay_.load(std::memory_order_relaxed); }

    void stop() override { stopped_.store(true, std::memory_order_relaxed); }

  private:
    class Ordered;
    class FormulaOffers;
    using WantedOf = std::vector<std::vector<Transfer>>;  // of each owner
    /// What `once` gives; and, if it finds a connection closed, a second time over others.
    base::Result<> again_if_closed(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                   base::FunctionRef<base::Result<>()> once);
    base::Result<> reduce_by_owners(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                    reducing::Reduction& into,
                                    base::FunctionRef<base::Result<WantedOf>(reducing::Reduction& made)> wanted);
    [[nodiscard]] static base::Result<> check(const Owner& owner);
    [[nodiscard]] bool can_be_coded(const Transfer& transfer) const;
    [[nodiscard]] std::shared_ptr<const Offer> offer_for(const Transfer& transfer) const;
    [[nodiscard]] std::shared_ptr<const Offer> offer_of(const Formula& formula, const Transfer& transfer) const;
    [[nodiscard]] std::optional<std::size_t> owner_of(std::uint32_t store) const;
    /// `protocol` if the ref is of no use, or nobody is known to hold it.
    base::Result<std::size_t> owner_holding(const BlockRef& ref, const BlockDescription& block) const;
    void append(std::vector<Transfer>& wanted, Transfer transfer) const;
    using Lanes = std::vector<std::shared_ptr<Lane>>;
    struct Busy {
        std::size_t owner = 0;
        std::shared_ptr<Lane> lane;
        std::int64_t until = 0;                 // of what the lane is asked for
        std::int64_t bytes = 0;                 // that come; 0 where they are reduced
        base::Clock::time_point asked_since{};  // with the others to that owner, once all were connected
        base::Clock::time_point came{};

        [[nodiscard]] bool has_come() const { return lane->come() >= until; }
    };
    /// Reduced by them, or as they are.
    base::Result<WantedOf> find_owners(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                       const MutableArrayView& destination,
                                       std::optional<reducing::Recipe> recipe = {}) const;
    base::Result<> get(base::Result<WantedOf> wanted);
    bool is_connected(std::size_t owner);
    base::Result<std::shared_ptr<Lane>> lane_to(std::size_t owner, const base::Deadline& deadline);
    /// Over these lanes and, where they are too few, others that are added to them.
    base::Result<> ask(std::size_t owner, std::vector<Transfer> transfers, Lanes& lanes, std::vector<Busy>& busy);
    /// Adds what is missing to so many; they stay fewer, but one at least, if no more can be made, or the other process
    /// is short of them.
    base::Result<> fill_up(Lanes& lanes, std::size_t owner, std::size_t count, const base::Deadline& deadline);
    void learn(std::span<const Busy> busy);
    /// Waits for all of them; their connections are others' then.
    base::Result<> finish(std::vector<Busy>& busy);
    base::Result<> await(std::vector<Busy>& busy, base::FunctionRef<void()> meanwhile) const;
    base::Result<> await_ordered(std::vector<Busy>& busy, base::FunctionRef<void()> meanwhile);
    [[nodiscard]] bool may_order() const;
    base::Result<> check_silence(const Busy& busy) const;
    void give_back(std::size_t owner, std::shared_ptr<Lane> lane);
    void give_surplus_back();

    const std::vector<Owner> owners_;
    const RemoteOptions options_;
    const os::Home home_;
    std::atomic<bool> stopped_{false};
    std::atomic<base::Seconds> delay_{};
    std::map<std::uint32_t, std::size_t> owner_of_store_;
    std::optional<std::size_t> owner_of_others_;
    std::mutex mutex_;
    // Of each owner:
    std::vector<Lanes> idle_;  // the first first: those that were there before more were tried stay when these go
    std::vector<ConnectionCount> counts_;
    // And of the thread that orders:
    std::vector<Lanes> ordering_;                   // on which orders come
    std::vector<base::Clock::time_point> ordered_;  // when the last one had come
};

}  // namespace staithe::store::remote
