// Blocks that processes of other hosts hold, fetched over stream sockets, from all of them at once.
//
// What is selected is all that travels: whoever holds a block packs what is wanted of it, and it is received straight
// into the destination where its rows lie together there. The calling thread does it all; there is no other, so that
// nothing is written into a destination once a fetch has returned, whatever it returned: connections that still had to
// give something are closed first. Threads that fetch at the same time have connections of their own.
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
#include "os/file_descriptor.hpp"
#include "os/fork.hpp"
#include "store/block_source.hpp"
#include "store/remote/connection_count.hpp"
#include "store/remote/lane.hpp"

namespace staithe::store::remote {

/// A new connection to a process that holds blocks.
using Connect = std::function<base::Result<Connected>(const base::Deadline& deadline)>;

struct Owner {
    std::string name;  // for messages: program, host, pid
    std::vector<std::uint32_t> stores;
    Connect connect;
    /// Why it is gone, nothing while it is there: asked now and then while nothing comes. A host that lost its
    /// power says nothing, and who has a link to it knows sooner than who waits for bytes.
    std::function<std::optional<std::string>()> loss = [] { return std::nullopt; };
};

struct RemoteOptions {
    base::Seconds timeout{60.0};  // without a byte
    int connections = 1;          // to one owner share a fetch: so many at first,
    int most_connections = 1;     // and so many where that is found to be faster
};

class RemoteSource final : public BlockSource {
  public:
    RemoteSource(std::vector<Owner> owners, RemoteOptions options);

    base::Result<> fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                         const MutableArrayView& destination) override;

    void stop() override { stopped_.store(true, std::memory_order_relaxed); }

  private:
    base::Result<> fetch_once(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                              const MutableArrayView& destination);
    [[nodiscard]] static base::Result<> check(const Owner& owner);
    using Lanes = std::vector<std::unique_ptr<Lane>>;
    struct Busy {
        std::size_t owner = 0;
        std::unique_ptr<Lane> lane;
        base::Clock::time_point asked_since{};  // with the others to that owner, once all were connected
    };

    bool is_connected(std::size_t owner);
    base::Result<std::unique_ptr<Lane>> lane_to(std::size_t owner, const base::Deadline& deadline);
    base::Result<> ask(std::size_t owner, std::vector<Transfer> transfers, std::vector<Busy>& busy);
    /// So many; fewer, but one at least, if this process may have no more, or the other one is short of them.
    base::Result<Lanes> lanes_to(std::size_t owner, std::size_t count, const base::Deadline& deadline);
    void learn(std::span<const Busy> busy);
    /// Waits for all of them; their connections are others' then.
    base::Result<> finish(std::vector<Busy>& busy);
    base::Result<> await(std::vector<Busy>& busy) const;
    base::Result<> check_silence(const Busy& busy) const;

    const std::vector<Owner> owners_;
    const RemoteOptions options_;
    const os::Home home_;
    std::atomic<bool> stopped_{false};
    std::map<std::uint32_t, std::size_t> owner_of_store_;
    std::mutex mutex_;
    // Of each owner:
    std::vector<Lanes> idle_;  // the first first: those that were there before more were tried stay when these go
    std::vector<ConnectionCount> counts_;
};

}  // namespace staithe::store::remote
