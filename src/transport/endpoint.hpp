// This process, as others reach it: one socket that it listens at, one link to each process that it talks to.
//
// All streams of a process share it; it ends with the last of them. Processes of other users are talked to only when
// both sides prove that they have the key of STAITHE_KEY_FILE. Thread-safe.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "transport/directory/address.hpp"
#include "transport/event_loop.hpp"
#include "transport/keyed_challenge.hpp"
#include "transport/link.hpp"

namespace staithe::transport {

/// Fails if STAITHE_LOG or STAITHE_RUN_DIR says what cannot be meant: where a process first looks at its environment.
base::Result<> check_environment();

class Endpoint : public std::enable_shared_from_this<Endpoint> {
  public:
    /// The endpoint of this process in that run directory.
    static base::Result<std::shared_ptr<Endpoint>> shared(const std::string& run_directory);
    ~Endpoint();

    /// Answers requests whose "service" is `name`, in the loop's thread, from now on.
    base::Result<> offer(const std::string& name, Link::RequestHandler handler);
    /// No handler of that name runs any more when this returns (unless it is called from one).
    void withdraw(const std::string& name);

    /// The link to the process that listens there: the one there is, or a new one. Waits while this process or the
    /// other may hold no more connections. `timeout` if the other does not answer; `system` if it is at a port of a
    /// host, which this version does not reach.
    base::Result<std::shared_ptr<Link>> connect(const Address& address, const base::Deadline& deadline);

    /// What a process calls its socket. With the time at which it started, since pids are used again: whoever looks
    /// knows a dead process's socket. `not_found` if there is no such process.
    static base::Result<std::string> name_of_socket(int pid);
    /// The name of the socket at which this process can be reached; it can while it offers something.
    [[nodiscard]] std::string socket_name() const;
    [[nodiscard]] Address address() const { return Address(Address::SocketFile{socket_name()}); }
    [[nodiscard]] const std::string& run_directory() const { return run_directory_; }
    /// This process, as others are told of it.
    [[nodiscard]] const Peer& self() const { return self_; }
    [[nodiscard]] EventLoop& loop() { return *loop_; }

  private:
    Endpoint(std::string run_directory, Peer self, std::shared_ptr<const Key> key, std::unique_ptr<EventLoop> loop);

    base::Result<> listen();
    void remove_socket();
    bool accepts();
    void accept();
    void turn_away(const os::FileDescriptor& listener, const base::Failure& reason);
    base::Result<> admit(os::FileDescriptor socket, base::Claim connection);
    void make_room_for_a_stranger(const std::shared_ptr<Link>& link, const std::shared_ptr<Gate>& gate);

    base::Result<std::shared_ptr<Link>> connect_once(const Address& address, const base::Deadline& deadline,
                                                     bool& peer_is_full);
    base::Result<> introduce(Link& link, Gate& gate, const Parties& parties, const base::Deadline& deadline);
    [[nodiscard]] std::shared_ptr<Link> link_to(const Address& address);

    base::Result<std::shared_ptr<Link>> start_link(os::FileDescriptor socket, base::Claim connection, int peer,
                                                   const std::shared_ptr<Gate>& gate);
    void handle(const std::shared_ptr<Link>& link, const std::shared_ptr<Gate>& gate, Packet packet);
    void hold_back(const std::shared_ptr<Link>& link, Gate& gate, const Packet& packet);
    void greet(const std::shared_ptr<Link>& link, const Packet& packet);
    void forget(const std::shared_ptr<Link>& link);
    [[nodiscard]] Attributes greeting() const;
    [[nodiscard]] os::PeerCredentials own_credentials() const;

    const std::string run_directory_;
    const Peer self_;
    const std::shared_ptr<const Key> key_;  // none: other users are refused

    mutable std::mutex mutex_;
    std::recursive_mutex handling_;  // held while a handler runs; a handler may withdraw itself
    std::map<std::string, Link::RequestHandler> services_;
    std::map<Address, std::weak_ptr<Link>> connected_;
    std::map<std::shared_ptr<Link>, std::shared_ptr<Link::CloseHandler>> accepted_;
    std::deque<std::pair<std::weak_ptr<Link>, std::weak_ptr<Gate>>> strangers_;  // accepted last, oldest first
    os::FileDescriptor spare_;  // given up for a moment to turn a connection away when no other descriptor is left
    base::Clock::time_point last_turned_away_;
    std::string socket_name_;
    std::shared_ptr<Watch> listener_;
    std::unique_ptr<EventLoop> loop_;  // last: its thread must be gone before what it uses
};

}  // namespace staithe::transport
