// This process, as others reach it: a socket that it listens at, ports of this host where it was told to, and one link
// to each process that it talks to.
//
// It is told to by whoever opens a stream, by STAITHE_LISTEN, or by a run directory that was chosen for it and that
// other hosts may see. All streams of a process share it; it ends with the last of them. Processes of other users are
// talked to only when both sides prove that they have the key of STAITHE_KEY_FILE; at ports everybody proves it, or
// that of the run directory. Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "os/process_identity.hpp"
#include "transport/admission.hpp"
#include "transport/directory/address.hpp"
#include "transport/directory/heard.hpp"
#include "transport/errands.hpp"
#include "transport/event_loop.hpp"
#include "transport/keyed_challenge.hpp"
#include "transport/link.hpp"

namespace staithe::transport {

/// What a request names as its service that asks for a further connection.
inline constexpr const char* connections_service = "/connections";

/// Fails if STAITHE_LOG or STAITHE_RUN_DIR says what cannot be meant: where a process first looks at its environment.
base::Result<> check_environment();

class Endpoint : public std::enable_shared_from_this<Endpoint> {
  public:
    /// The endpoint of this process in that run directory.
    static base::Result<std::shared_ptr<Endpoint>> shared(const std::string& run_directory);
    ~Endpoint();

    /// Answers requests whose "service" is `name`, in the loop's thread, from now on. Listens at ports meanwhile:
    /// where `listen` says, "host:port" or "off" for nowhere; else where STAITHE_LISTEN does; else at all addresses, if
    /// other hosts may see the run directory that was chosen.
    base::Result<> offer(const std::string& name, Link::RequestHandler handler,
                         const std::optional<std::string>& listen = std::nullopt);
    [[nodiscard]] bool offers(const std::string& name) const;
    /// No handler of that name runs any more when this returns (unless it is called from one).
    void withdraw(const std::string& name);

    /// Listens at "host:port", too, until nothing is offered any more. The host is a number of this one's, or 0.0.0.0,
    /// [::] or nothing for all; port 0: any that is free. `already_exists` if the port is taken, `system` without a
    /// key.
    base::Result<> listen_at(const std::string& place);
    /// Where it does so: nowhere if there is none. `chosen` is what was said for what is to be offered.
    [[nodiscard]] std::optional<std::string> place_to_listen(const std::optional<std::string>& chosen) const;
    /// Listens at a port without offering anything, as long as what this returns lives: where `listen` says, else where
    /// STAITHE_LISTEN does. That variable is for all programs, of which one gets the port: who does not goes on.
    base::Result<std::shared_ptr<void>> keep_listening(const std::optional<std::string>& listen);

    /// The same for the other ranks of a group on several hosts, which are told where: at any port that is free if
    /// nothing else is said. nullptr if STAITHE_LISTEN is "off".
    base::Result<std::shared_ptr<void>> keep_listening_for_group();
    /// The key that they are told: made if there is none.
    [[nodiscard]] base::Result<std::shared_ptr<const Key>> key_for_group() const;

    /// Calls back in the thread in which requests are answered: see EventLoop.
    std::shared_ptr<void> call_after(base::Seconds time, EventLoop::Again callback) {
        return loop_->call_after(time, std::move(callback));
    }

    /// The link to the process that listens there: the one there is, or a new one. Waits while this process or the
    /// other may hold no more connections. `timeout` if the other does not answer, `not_found` if nobody listens.
    base::Result<std::shared_ptr<Link>> connect(const Address& address, const base::Deadline& deadline);
    /// The same for one of another host that has all these addresses, of which some may lead elsewhere.
    base::Result<std::shared_ptr<Link>> connect(const os::ProcessIdentity& process,
                                                const std::vector<Address::HostPort>& addresses,
                                                const base::Deadline& deadline);

    /// The link that there is to that process of another host, whichever of the two has connected; nullptr if none.
    [[nodiscard]] std::shared_ptr<Link> link_to(const os::ProcessIdentity& process);
    /// What other processes have told this one that they have.
    [[nodiscard]] Heard& heard() const { return *heard_; }

    /// Whether one more member of another host could have its connections: `limit_reached` if these had to be others'.
    [[nodiscard]] base::Result<> check_room_for_member();

    /// How far the monotonic clock of the link's peer is ahead of this host's, to half the time that asking takes.
    base::Result<std::chrono::nanoseconds> clock_ahead(Link& link, const base::Deadline& deadline) const;

    /// Further connections between the two processes of a link between hosts, for bytes that are no messages. Whoever
    /// takes them has this called in a thread of the endpoint for each one of that peer that comes for the purpose,
    /// which nobody else has who takes any of that peer, as long as the link is open and what is returned lives. They
    /// count as connections.
    using TakeConnection = std::function<void(os::FileDescriptor socket)>;
    base::Result<std::shared_ptr<void>> take_connections(const Link& link, const std::string& purpose,
                                                         TakeConnection take);
    /// One to the link's peer, which takes those for that purpose. The side that has made the link connects again, and
    /// is asked to where that is the peer: it may be the only one that can. Waits while one of the two may hold no
    /// more; `peer_lost` if the peer takes none any more.
    base::Result<os::FileDescriptor> connect_further(Link& link, const std::string& purpose,
                                                     const base::Deadline& deadline);

    /// What a process calls its socket. With the time at which it started, since pids are used again: whoever looks
    /// knows a dead process's socket. `not_found` if there is no such process.
    static base::Result<std::string> name_of_socket(int pid);
    /// The name of the socket at which this process can be reached; it can while it offers something.
    [[nodiscard]] std::string socket_name() const;
    [[nodiscard]] Address address() const { return Address(Address::SocketFile{socket_name()}); }
    /// That socket, then a port of each of this host's addresses at which it listens.
    [[nodiscard]] std::vector<Address> addresses() const;
    [[nodiscard]] const std::string& run_directory() const { return run_directory_; }
    /// This process, as others are told of it.
    [[nodiscard]] const Peer& self() const { return self_; }
    [[nodiscard]] EventLoop& loop() { return *loop_; }

  private:
    using SharedKey = std::shared_ptr<const Key>;
    struct Listening;
    Endpoint(std::string run_directory, Peer self, SharedKey key, std::unique_ptr<EventLoop> loop);

    base::Result<> listen_at_socket();
    base::Result<> listen_for_other_hosts(const std::optional<std::string>& chosen);
    base::Result<> open_port(const std::string& place);
    void stop_listening();
    void close_unused_ports();
    using Listener = std::shared_ptr<Watch>;
    base::Result<Listener> watch(os::FileDescriptor listening);
    bool accepts(const os::FileDescriptor& listener);
    void accept(const os::FileDescriptor& listener);
    bool make_room(const base::Failure& reason);
    base::Result<base::Claim> claim_link();
    void turn_away(const os::FileDescriptor& listener, const base::Failure& reason);
    base::Result<> admit(os::FileDescriptor socket);
    base::Result<std::shared_ptr<Gate>> gate_for(const os::FileDescriptor& socket) const;
    void let_go(const std::shared_ptr<Link>& stranger, const base::Failure& reason);

    struct Destination;
    base::Result<std::shared_ptr<Link>> connect(const Destination& destination, const base::Deadline& deadline);
    base::Result<std::shared_ptr<Link>> connect_once(const Destination& destination, const base::Deadline& deadline,
                                                     bool& peer_is_full);
    base::Result<std::shared_ptr<Link>> connect_here(const Destination& destination, base::Claim connection,
                                                     const base::Deadline& deadline, bool& takes_nobody);
    base::Result<std::shared_ptr<Link>> connect_to_host(const Destination& destination, base::Claim connection,
                                                        const base::Deadline& deadline, bool& takes_nobody);
    base::Result<> introduce(Link& link, const base::Deadline& deadline);
    [[nodiscard]] std::shared_ptr<Link> link_to(const std::string& name);
    /// That for processes of other hosts; a failure if there is none, since the action takes one.
    base::Result<SharedKey> key_for(const std::string& action, Key::IfMissing then) const;

    base::Result<std::shared_ptr<Link>> start_link(os::FileDescriptor socket, Peer peer,
                                                   const std::shared_ptr<Gate>& gate, base::Claim connection,
                                                   const std::optional<Link::Proved>& proved);
    void handle(const std::shared_ptr<Link>& link, Packet packet);
    static base::Result<> take_greeting(Link& link, const Attributes& body);
    void hold_back(const std::shared_ptr<Link>& link, Gate& gate, const Packet& packet);
    /// Somebody who takes further connections.
    struct Awaiting {
        std::weak_ptr<Endpoint> endpoint;
        std::weak_ptr<const Link> link;
        std::string token;
        TakeConnection take;
        ~Awaiting();
    };
    [[nodiscard]] std::shared_ptr<Awaiting> awaiting(const std::string& process, const std::string& purpose) const;
    static base::Result<> let_further_connection_in(const std::shared_ptr<Link>& link, const Packet& packet,
                                                    const Awaiting& awaiting, base::Claim connection);
    base::Result<os::FileDescriptor> connect_for(const Link& link, const std::string& purpose,
                                                 const base::Deadline& deadline);
    base::Result<os::FileDescriptor> have_peer_connect(Link& link, const std::string& purpose,
                                                       const base::Deadline& deadline);
    void connect_as_asked(const std::shared_ptr<Link>& link, const Packet& packet);
    base::Result<> answer_later(const std::shared_ptr<Link>& link, const Packet& packet, const std::string& purpose);
    void greet(const std::shared_ptr<Link>& link, const Packet& packet);
    void answer_inquiry_later(const std::shared_ptr<Link>& link, Packet packet);
    void forget(const std::shared_ptr<Link>& link);
    [[nodiscard]] Attributes greeting() const;
    [[nodiscard]] os::PeerCredentials own_credentials() const;

    const std::string run_directory_;
    const Peer self_;
    const SharedKey key_;  // of the environment. None: other users are refused

    mutable std::mutex mutex_;
    std::recursive_mutex handling_;  // held while a handler runs; a handler may withdraw itself
    std::map<std::string, Link::RequestHandler> services_;
    std::map<std::string, std::weak_ptr<Link>> connected_;  // by address, and by process
    // Of other hosts that have connected here, by process: the first is kept of two that come at once.
    std::multimap<std::string, std::weak_ptr<Link>> callers_;
    std::map<std::shared_ptr<Link>, std::shared_ptr<Link::CloseHandler>> accepted_;
    std::map<std::pair<std::string, std::string>, std::weak_ptr<Awaiting>> awaited_;  // by process and purpose
    const std::unique_ptr<Heard> heard_ = std::make_unique<Heard>();
    Strangers strangers_;
    LevelOfStrangers level_of_strangers_;
    os::FileDescriptor spare_;  // given up for a moment to turn a connection away when no other descriptor is left
    std::string socket_name_;
    Listener listener_;
    struct Port {
        std::string host;  // empty: all
        std::uint16_t number = 0;
        Listener listener;
    };
    std::map<std::string, Port> ports_;  // by what was asked for
    std::weak_ptr<void> listening_;      // while somebody wants ports that offers nothing
    SharedKey key_of_ports_;
    // Last: their threads must be gone before what they use, and no errand is added without the loop.
    Errands connecting_;
    Errands looking_;
    std::unique_ptr<EventLoop> loop_;
};

}  // namespace staithe::transport
