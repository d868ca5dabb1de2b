// A process's place in a stream that another process directs: the link, the channel, and what the director writes down.
//
// Used by writer ranks above 0 and by reader ranks. Leaves when it is destroyed.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "stream/directing/protocol.hpp"
#include "stream/opening.hpp"
#include "stream/waiting/awaited.hpp"
#include "transport/channel/channel.hpp"
#include "transport/channel/loss.hpp"
#include "transport/directory/search.hpp"
#include "transport/endpoint.hpp"
#include "transport/mapped_pool.hpp"

namespace staithe::stream {

/// Whether joining may succeed a little later: the writer may be in the middle of coming, or of going.
[[nodiscard]] bool may_appear_later(const base::Failure& failure);

class Membership {
  public:
    /// Adds to a request what the director at the other end of the link is to know, and returns what goes with it.
    using Introduce =
        std::function<base::Result<std::vector<int>>(const transport::Link& director, Attributes& request)>;

    /// Waits for the stream's writer to appear, in the run directory or at one of the places, and sends it `request`
    /// (which names the stream by `service`).
    static base::Result<std::shared_ptr<Membership>> join(std::shared_ptr<transport::Endpoint> endpoint,
                                                          const std::string& stream, Attributes request,
                                                          const Introduce& introduce, const OpeningTime& time,
                                                          const transport::Places& places);
    ~Membership();
    Membership(const Membership&) = delete;
    Membership& operator=(const Membership&) = delete;

    /// A further call to the director, as this member.
    base::Result<transport::Packet> call(const char* type, Attributes fields, const base::Deadline& deadline);

    /// To the director, which does not answer.
    void tell(const char* type, Attributes fields);
    /// What the director says of the writer that failed or died, in a message that it sent of it.
    [[nodiscard]] std::string text_in(const transport::Message& message) const;

    /// Whether this member and the director see what they write down for each other; else their messages enclose it.
    [[nodiscard]] bool shares_memory() const { return segment_ != nullptr; }
    [[nodiscard]] const std::shared_ptr<transport::Link>& link() const { return link_; }

    /// Whom this member waits for, as the director says. `timeout` if it does not answer.
    base::Result<Awaited> awaited();

    [[nodiscard]] const Joined& joined() const { return joined_; }
    [[nodiscard]] const std::string& stream() const { return stream_; }
    [[nodiscard]] const std::shared_ptr<transport::Endpoint>& endpoint() const { return endpoint_; }
    /// The memory that a server has given this writer rank; once.
    [[nodiscard]] os::FileDescriptor take_memory() { return std::move(memory_); }
    /// Hot messages from and to the director. Those to it are sent by one thread at a time.
    [[nodiscard]] transport::Channel& channel() const { return *lost_->channel; }
    /// Since when it sleeps, in nanoseconds of this host's monotonic clock; 0: it is awake. The director is shown it
    /// in those of its own.
    void show_asleep(std::int64_t since) const;
    /// Every step below it that was not announced before was abandoned.
    [[nodiscard]] std::int64_t passed() const { return channel().shown(shown_by_director::passed); }
    [[nodiscard]] std::int64_t dropped() const { return channel().shown(shown_by_director::dropped); }
    [[nodiscard]] std::int64_t memory_wanted() const { return channel().shown(shown_by_director::memory_wanted); }
    [[nodiscard]] bool memory_may_come() const { return channel().shown(shown_by_director::memory_may_come) != 0; }
    /// What the director has written down for all, a table, a layout or a text, and names in the message that was
    /// received last: a copy, which it cannot change any more.
    [[nodiscard]] base::Result<std::vector<std::byte>> named_in(const transport::Message& message) const;
    /// The same of an announcement: its table, which is empty if it has none, and blocks, if those are enclosed.
    struct Announced {
        std::vector<std::byte> table;
        std::vector<std::byte> blocks;
    };
    [[nodiscard]] base::Result<Announced> announced_in(const transport::Message& message) const;
    [[nodiscard]] transport::Peer director() const { return link_->peer(); }
    /// The same with its place in the stream: "server 'staithe', staithe (pid 7 on node3)".
    [[nodiscard]] std::string director_title() const {
        return fmt::format("{}, {}", joined_.director(), transport::to_string(link_->peer()));
    }
    /// The director's process is gone. What lies in the channel is still good.
    [[nodiscard]] bool lost() const { return lost_->gone.load(std::memory_order_acquire); }
    /// "died", or "is lost: …" if more is known.
    [[nodiscard]] std::string how_lost() const { return lost() ? lost_->how : transport::how_lost(*link_); }

  private:
    Membership() = default;
    base::Result<> enter(const transport::Entry& entry, Attributes request, const Introduce& introduce,
                         const OpeningTime& time, const std::function<base::Result<>()>& go_on);
    base::Result<> take_place(transport::Packet answer, bool is_writer, const base::Deadline& deadline);
    void give_up(const Value& ticket) const;

    // Outlives the membership in the link's handler.
    struct Loss {
        std::string how;  // before it is gone
        std::atomic<bool> gone{false};
        std::shared_ptr<transport::Channel> channel;
    };

    std::shared_ptr<transport::Endpoint> endpoint_;
    std::shared_ptr<transport::Link> link_;
    std::shared_ptr<void> when_lost_;
    std::string stream_;
    Joined joined_;
    std::chrono::nanoseconds clock_ahead_{};  // of the director's host
    std::shared_ptr<Loss> lost_;
    os::FileDescriptor memory_;
    std::shared_ptr<transport::MappedPool> segment_;  // the director's; null where its messages enclose what they name
};

}  // namespace staithe::stream
