// A link: the one connection between two processes, shared by all the streams that they have in common.
//
// Either side may call the other; replies may come late and in any order. Who waits for one on this host reads the
// socket itself for a moment, which saves a hand-over from the loop's thread. When the other process dies the kernel
// closes its end, and everyone who listens is told at once. A link to another host also notices that it hears nothing
// more (transport/heartbeat.hpp). Thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.hpp"
#include "base/deadline.hpp"
#include "base/result.hpp"
#include "transport/directory/address.hpp"
#include "transport/event_loop.hpp"
#include "transport/frame.hpp"
#include "transport/heartbeat.hpp"
#include "transport/outbox.hpp"
#include "transport/patience.hpp"
#include "transport/session.hpp"

namespace staithe::transport {

/// Who is at the other end, for messages to people.
struct Peer {
    std::string program;
    std::string host;          // or the address of one that has not said more yet
    int pid = 0;               // 0: not known yet
    std::string version = {};  // of Staithe; empty if it did not say
};
std::string to_string(const Peer& peer);
/// Of one of this host that somebody has stopped what to do, as it goes on behind another sentence; else nothing.
std::string advice_if_stopped(const Peer& peer);

class Link : public std::enable_shared_from_this<Link> {
  public:
    /// Gets what the peer asks: the packet's body, with "id" unless no answer is expected. Runs in the loop's thread.
    using RequestHandler = std::function<void(const std::shared_ptr<Link>&, Packet)>;
    using CloseHandler = std::function<void()>;

    /// What two processes have proved to each other.
    struct Proved {
        Session session;
        std::string process;  // the peer, among those of all hosts; empty if both are of one
    };
    /// Takes a connected socket whose peer the kernel named as `pid`; 0 if it is another host's. Of a `stranger` only
    /// short messages without descriptors are taken, until `trust`. If something is proved, this process is the caller.
    enum class Trust { friendly, stranger };
    static base::Result<std::shared_ptr<Link>> start(EventLoop& loop, os::FileDescriptor socket, int pid,
                                                     RequestHandler on_request, Trust trust = Trust::friendly,
                                                     base::Claim connection = {},
                                                     const std::optional<Proved>& proved = std::nullopt);

    /// Sends a request and waits for the answer. A failure that the peer reports comes back as this call's. While it
    /// waits it asks `go_on` about once a second, if there is one, and fails with what that says.
    base::Result<Packet> call(Attributes request, const Beside& beside, const base::Deadline& deadline,
                              const std::function<base::Result<>()>& go_on = nullptr);

    /// Sends a message that has no answer. Does not wait for the peer; nor does `reply`.
    base::Result<> notify(const Attributes& message, const Beside& beside = {});

    /// Answers the request that came with `id`.
    base::Result<> reply(std::int64_t id, base::Result<Attributes> answer, const Beside& beside = {});

    /// Tells the peer why it is not talked to, and ends the link. Calls of the peer then fail with this.
    void refuse(const base::Failure& reason);

    /// The peer is no stranger any more: it has proved itself as the caller. In the loop's thread.
    void trust(Proved proved, base::Claim connection);

    /// From now on the peer hears from this process every other second, and is given up if nothing is heard from it.
    void keep_up(EventLoop& loop);
    /// Whether no descriptors travel, since the peer may be on another host.
    [[nodiscard]] bool is_between_hosts() const { return is_between_hosts_; }
    /// Whether this process has proved itself to the peer as its caller. If not, the peer connected, and may be where
    /// nobody can connect to.
    [[nodiscard]] bool has_called() const { return has_called_; }

    /// Who the peer is among the processes of all hosts, as it has proved; empty if it had nothing to prove.
    [[nodiscard]] std::string process() const;

    /// Where a caller has found its peer; `closed` if the link is.
    [[nodiscard]] base::Result<Address::HostPort> peer_address() const;
    /// Answers that request, and ends the link, but not its connection, which is the caller's; `limit_reached`, and it
    /// does neither, if there is no descriptor left. In the loop's thread.
    base::Result<os::FileDescriptor> hand_over(std::int64_t id);

    /// What only this process and the peer know, another text for each purpose. `closed` if the peer had nothing to
    /// prove, as one of the same user on this host.
    [[nodiscard]] base::Result<std::string> session_token(std::string_view purpose) const;

    /// Called once when the link is lost, in the loop's thread, as long as the listener keeps what this returns.
    /// nullptr, and never called, if the link is lost already.
    [[nodiscard]] std::shared_ptr<CloseHandler> on_close(CloseHandler handler);

    [[nodiscard]] bool is_open() const;
    /// How it ended, and why; nothing while it is open.
    struct Ending {
        enum class By {
            peer,     // or its kernel, since it is gone
            silence,  // of the peer, which this side has given up
            words,    // that one side has said, or should not have said
        };
        By by = By::words;
        base::Failure why;
    };
    [[nodiscard]] std::optional<Ending> ending() const;
    /// For how long a peer on another host has said nothing, once that is so long that it is taken for stalled.
    [[nodiscard]] std::optional<base::Seconds> stalled_for() const;
    [[nodiscard]] Peer peer() const;
    void set_peer(Peer peer);

  private:
    Link() = default;
    struct Pending {
        std::optional<base::Result<Packet>> answer;
    };

    bool survives(const std::function<bool()>& call);
    bool read();
    bool take_in();
    bool handle_packets();
    bool write_more();
    void dispatch(Packet packet);
    bool answer(Packet& packet);
    enum class Taken { nothing, something, what_the_loop_handles };
    Taken take_answers();
    void read_for_itself(std::int64_t id, const base::Deadline& deadline);
    enum class Connection { ends, goes_on };
    void close(base::Failure reason, Ending::By by = Ending::By::words, Connection then = Connection::ends);
    base::Result<> send(const Attributes& body, const Beside& beside);
    void flush_later();
    void begin_session(const Session& session, Role own);
    std::optional<base::Seconds> beat();
    void give_up(base::Failure reason);

    bool is_between_hosts_ = false;
    bool has_called_ = false;
    base::Claim connection_;
    std::shared_ptr<Watch> watch_;
    RequestHandler on_request_;
    std::mutex reading_;  // whoever holds it takes bytes from the socket
    FrameDecoder decoder_;
    std::optional<Packet> left_;         // by a caller, for the loop: no answer
    std::optional<base::Failure> torn_;  // likewise: what it read makes no sense
    Patience patience_;                  // of callers that read
    Heartbeat heartbeat_;                // of the loop's thread
    std::shared_ptr<void> heartbeats_;

    std::mutex send_mutex_;
    Outbox outbox_;
    std::optional<Seal> seal_;
    std::atomic<bool> has_spoken_{false};  // since the last heartbeat
    bool flushing_ = false;                // the loop calls when the socket takes more
    mutable std::mutex mutex_;
    std::condition_variable answered_;
    std::map<std::int64_t, Pending> pending_;
    std::int64_t next_id_ = 1;
    std::vector<std::weak_ptr<CloseHandler>> close_handlers_;
    Peer peer_;
    std::string process_;
    std::optional<Session> session_;
    std::optional<base::Failure> closed_;  // and why
    Ending::By closed_by_ = Ending::By::words;
};

}  // namespace staithe::transport
