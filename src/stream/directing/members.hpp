// Who takes part in a stream beside rank 0: writer ranks above it, and reader ranks; what reaches them, and their
// pools. Of a stream that a server directs rank 0 is among them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"
#include "store/remote/traffic.hpp"
#include "stream/directing/leased_memory.hpp"
#include "transport/channel/switchboard.hpp"
#include "transport/directory/entry.hpp"
#include "transport/link.hpp"
#include "transport/peer_pool.hpp"

namespace staithe::stream {

/// Takes the connection that the channel of a member of another host goes by.
using AttachChannel = std::function<base::Result<>(os::FileDescriptor socket)>;

struct Member {
    std::int64_t id = 0;
    int rank = 0;
    bool reads = false;  // a reader rank
    int number = -1;     // of a reader rank, in the queue
    std::shared_ptr<transport::Link> link;
    std::int64_t ticket = 0;  // the request that it joined by
    std::shared_ptr<transport::Channel> channel;
    std::shared_ptr<void> when_lost;
    std::size_t most_messages = 0;  // that it may have sent since the last look
    std::uint64_t layout = 0;       // that it was told of
    bool has_left = false;          // it says so, and its channel ends
    bool distrusted = false;        // it has sent what makes no sense, and the log says so
    // Of another host:
    std::shared_ptr<void> awaited_channel;                  // its process may connect for it
    std::shared_ptr<const store::remote::Traffic> traffic;  // of the blocks that it gets from this process
    std::map<int, std::string> ways;                        // by which it gets blocks, by the writer rank that it asks
};

/// What is known of a writer rank, whether it is there or not.
struct WriterRank {
    Member* member = nullptr;  // null: it is this process itself, or not there
    bool has_joined = false;
    transport::Peer peer;
    std::optional<transport::PeerPool> pool;  // none: it is on another host
    os::FileDescriptor spill_pool;            // likewise, and if nothing is spilled
    std::unique_ptr<LeasedMemory> lease;      // what the pool lies in, if this process has made it for the rank
    std::optional<transport::Entry> entry;    // where others ask it for its blocks; always, if it has no pool here
    int unheard = 0;                          // steps that were freed since it was last woken
    List sends{};                             // over links to servers, as it says itself

    /// Of the pool in memory, or of that on disk; null if this process has none.
    [[nodiscard]] const os::FileDescriptor* file(bool on_disk) const;
};

/// A process that has asked to read, and will be answered once all writer ranks are there.
struct DeferredJoin {
    std::shared_ptr<transport::Link> link;
    Attributes request;
    std::int64_t since = 0;  // in nanoseconds of the coarse clock
};

class Members {
  public:
    explicit Members(int writers) : writers_(static_cast<std::size_t>(writers)) {}

    /// Adds one, and returns what it needs to open its end of the channel.
    struct Admission {
        Member* member = nullptr;
        Attributes channel;
        std::vector<os::FileDescriptor> descriptors;
        AttachChannel attach{};  // if it is of another host
    };
    /// `steps` are those of a full queue.
    base::Result<Admission> admit(transport::Switchboard& switchboard, Member member, std::uint64_t steps);
    /// An id that no other member of this process has, or had.
    static std::int64_t next_id();

    [[nodiscard]] Member* find(std::int64_t id);
    [[nodiscard]] const Member* find(std::int64_t id) const;
    /// The one that joined by that request; null if there is none.
    [[nodiscard]] Member* find(const std::shared_ptr<transport::Link>& link, std::int64_t ticket);
    /// Takes it out, with its place as a writer rank.
    std::unique_ptr<Member> remove(std::int64_t id);

    /// By its number in the queue.
    [[nodiscard]] Member& reader(int place) const { return *readers_[static_cast<std::size_t>(place)]; }
    [[nodiscard]] WriterRank& writer(int rank) { return writers_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const WriterRank& writer(int rank) const { return writers_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const std::vector<WriterRank>& writers() const { return writers_; }
    [[nodiscard]] bool all_writers_joined() const;
    /// Whether some are on another host than rank 0.
    [[nodiscard]] bool writers_are_apart() const;
    /// What that store of this process is read by, if it is in memory here; else null.
    [[nodiscard]] const transport::PeerPool* pool_of_store(std::uint32_t store) const;
    /// Of what came from writer ranks elsewhere.
    std::optional<transport::PeerPool> depot;

    /// By id.
    [[nodiscard]] const std::map<std::int64_t, std::unique_ptr<Member>>& all() const { return members_; }

    /// Reader ranks that one process may have.
    static constexpr std::int64_t most_of_a_process = 1 << 12;
    /// More than that do not wait for writer ranks.
    static constexpr std::size_t most_deferred = 1 << 16;
    std::vector<DeferredJoin> deferred;

  private:
    std::map<std::int64_t, std::unique_ptr<Member>> members_;
    std::vector<WriterRank> writers_;
    std::vector<Member*> readers_;  // by place; null: free
};

}  // namespace staithe::stream
