// How the blocks of writer ranks elsewhere come to the servers of their stream: what such a rank says counts once the
// blocks that it speaks of have come, so that no step is announced which would go with its writer.
//
// The oldest step that is not complete has its turn: room is its parts' first. Those of a few later steps may come
// meanwhile; but they do not count yet, their rank still has them, and they go again where they are in the way. So a
// rank that is ahead of others cannot fill the servers with steps that these find no room to complete.
//
// Knows the depots and what is on its way to them, and not who reads. Not thread-safe: the director locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.hpp"
#include "store/block_ref.hpp"
#include "stream/staging/depot.hpp"
#include "transport/directory/entry.hpp"

namespace staithe::stream {

/// What a writer rank has said, in messages that it has sent.
struct Said {
    enum class Kind : std::uint8_t { record, abandoned, finished, failed };
    Kind kind = Kind::record;
    std::int64_t step = 0;
    // Of a record:
    std::uint64_t schema = 0;
    std::vector<std::byte> schema_bytes{};
    std::vector<store::BlockRef> blocks{};  // once it has come, in the stores of depots
    std::vector<std::byte> attributes{};
    std::int64_t data_bytes = 0;
    // Why it failed:
    std::string reason{};
};

class Staging {
  public:
    /// What has come, or not, is to be told by `note`.
    struct Arrival {
        int rank = 0;
        std::int64_t number = 0;  // of what the rank said
        std::size_t depot = 0;
        std::int64_t bytes = 0;     // of its elements, for which it was asked
        std::int64_t expected = 0;  // that it was taken to keep of them
        base::Result<Stowed> stowed;
    };
    using Tell = std::function<void(const Arrival& arrival)>;

    /// The blocks in depot k are in store `first_store` + k.
    Staging(Tell tell, std::uint32_t first_store) : tell_(std::move(tell)), first_store_(first_store) {}

    /// One on the host of that boot. Its server's contact is for readers. The first one's server lends memory to ranks
    /// of its own host, too. One that comes later gets as much of what is written from then on as the others.
    void add(std::shared_ptr<Depot> depot, std::string boot, std::string contact);
    [[nodiscard]] std::size_t depots() const { return depots_.size(); }
    [[nodiscard]] const std::string& contact(std::size_t depot) const { return depots_[depot].contact; }
    /// That rank's blocks are to be fetched from its process.
    void expect(int rank, const transport::Entry& entry);
    [[nodiscard]] bool has(int rank) const { return ranks_.contains(rank); }

    /// A rank has written so many bytes of a step to memory that the first depot's server has lent it: they are with
    /// that server, and so will be those of its next steps.
    void lend(int rank, std::int64_t step, std::int64_t bytes);

    base::Result<> say(int rank, Said said);
    /// Of what it said, so much does not count yet.
    [[nodiscard]] std::size_t waiting(int rank) const { return ranks_.at(rank).said.size(); }
    /// That step has its turn: all before it are complete. True if more may count by that.
    bool advance(std::int64_t turn);
    /// False if there is nothing to be done: nobody waits for it any more, or it is, or will be, fetched again.
    bool note(const Arrival& arrival);
    /// What counts from now on, one after the other.
    std::optional<Said> take_next(int rank);
    /// There may be room again: those that found none are fetched.
    base::Result<> try_again();
    /// Of the step that has its turn, that rank's part finds no room.
    [[nodiscard]] bool lacks_room(int rank) const;
    /// Nothing that the rank said and that does not count yet ever does.
    void lose(int rank);

    /// That the first depot's server has of the stream's blocks, or will have.
    [[nodiscard]] std::int64_t bytes_here() const { return all_lent_ + (depots_.empty() ? 0 : depots_[0].bytes); }

    /// Nobody needs the blocks of a step.
    void forget(std::int64_t step);
    /// No rank writes any more.
    void shrink();
    void stop();

  private:
    struct Berth {
        std::shared_ptr<Depot> depot;
        std::string boot;
        std::string contact;
        std::int64_t bytes = 0;    // that lie there, or are on their way
        std::int64_t earlier = 0;  // of these, from before the last one was added
    };
    /// Of a rank whose blocks go to one server whatever the others have.
    struct Settled {
        std::size_t depot = 0;
        std::int64_t step = 0;  // the last that it has spoken of
        std::int64_t bytes = 0;
    };
    struct Cargo {
        std::size_t depot = 0;
        Stowed stowed;
    };
    struct Waiting {
        std::int64_t number = 0;
        enum class State : std::uint8_t { is_wanted, is_on_its_way, is_there } state = State::is_there;
        std::int64_t bytes = 0;         // that are to be fetched
        bool lacks_room = false;        // it has found none, and has not come since
        std::int64_t frees = 0;         // that there had been when it was asked for
        std::set<std::size_t> refused;  // by these depots, since then
        std::optional<Cargo> cargo;     // once it is there, if it has bytes
        Said said;
        std::shared_ptr<const std::vector<BlockDescription>> descriptions;  // of its blocks
    };
    struct Rank {
        std::string contact;
        std::string boot;
        std::int64_t last_number = 0;
        double kept = 1.0;                      // bytes in memory for one of the elements, of what came last
        std::optional<std::uint64_t> schema{};  // the last that it spoke of
        std::shared_ptr<const std::vector<BlockDescription>> descriptions{};  // of that
        std::deque<Waiting> said;
    };
    using Wanted = std::tuple<std::int64_t, int, std::int64_t>;  // step, rank, number of what it said

    static base::Result<> describe(Rank& rank, const Said& said);
    [[nodiscard]] Consignment consignment_of(int rank, const Waiting& waiting) const;
    [[nodiscard]] Waiting* find(int rank, std::int64_t number);
    void want(int rank, Waiting& waiting);
    void set_lacking(Waiting& waiting, bool lacks_room);
    base::Result<> fetch_what_may_come();
    [[nodiscard]] bool may_come(std::int64_t step) const;
    [[nodiscard]] bool is_in_the_way(std::int64_t step) const { return !lacking_.empty() && *lacking_.begin() < step; }
    bool finds_no_room(const Arrival& arrival, Waiting& waiting);
    bool clear_the_way(std::int64_t step);
    base::Result<> begin(int rank, Waiting& waiting);
    [[nodiscard]] std::vector<std::size_t> depots_for(const Rank& rank, const std::set<std::size_t>& refused) const;
    [[nodiscard]] double load_of(std::size_t depot, std::int64_t step) const;
    void give_back(const Cargo& cargo);
    void take_off(std::size_t depot, std::int64_t bytes);

    const Tell tell_;
    const std::uint32_t first_store_;
    std::vector<Berth> depots_;
    std::map<int, Rank> ranks_;
    std::int64_t turn_ = 0;
    std::set<Wanted> wanted_;                           // oldest steps first
    std::multiset<std::int64_t> lacking_;               // steps of what lacks room
    std::map<int, Settled> settled_;                    // by rank
    std::map<std::int64_t, std::vector<Cargo>> cargo_;  // by step
    std::map<std::int64_t, std::int64_t> lent_;         // bytes, by step
    std::int64_t all_lent_ = 0;
    std::int64_t lent_earlier_ = 0;  // of that, before the last depot was added
    std::size_t last_used_ = 0;
    std::int64_t frees_ = 0;  // of places, so far
};

}  // namespace staithe::stream
