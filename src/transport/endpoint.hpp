// This process, as others reach it: one socket that it listens at, one link to each process that it talks to.
//
// All streams of a process share it; it ends with the last of them. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "transport/event_loop.hpp"
#include "transport/link.hpp"

namespace staithe::transport {

class Endpoint : public std::enable_shared_from_this<Endpoint> {
  public:
    /// The endpoint of this process in that run directory.
    static base::Result<std::shared_ptr<Endpoint>> shared(const std::string& run_directory);
    ~Endpoint();

    /// Answers requests whose "service" is `name`, in the loop's thread, from now on.
    base::Result<> offer(const std::string& name, Link::RequestHandler handler);
    /// No handler of that name runs any more when this returns (unless it is called from one).
    void withdraw(const std::string& name);

    /// The link to the process that listens at `socket_name`: the one there is, or a new one.
    base::Result<std::shared_ptr<Link>> connect(const std::string& socket_name, const base::Deadline& deadline);

    /// The name of the socket that this process listens at; it does from the first `offer` on.
    [[nodiscard]] std::string socket_name() const;
    [[nodiscard]] const std::string& run_directory() const { return run_directory_; }
    /// This process, as others are told of it.
    [[nodiscard]] const Peer& self() const { return self_; }

  private:
    Endpoint(std::string run_directory, Peer self, std::unique_ptr<EventLoop> loop);

    base::Result<> listen();
    bool accept();
    void handle(const std::shared_ptr<Link>& link, Packet packet);
    void greet(const std::shared_ptr<Link>& link, const Packet& packet);
    void forget(const std::shared_ptr<Link>& link);
    [[nodiscard]] Attributes greeting() const;

    const std::string run_directory_;
    const Peer self_;

    mutable std::mutex mutex_;
    std::recursive_mutex handling_;  // held while a handler runs; a handler may withdraw itself
    std::map<std::string, Link::RequestHandler> services_;
    std::map<std::string, std::weak_ptr<Link>> connected_;  // by socket name
    std::map<std::shared_ptr<Link>, std::shared_ptr<Link::CloseHandler>> accepted_;
    os::FileDescriptor spare_;  // given up to turn a connection away when no other descriptor is left
    std::string socket_name_;
    std::shared_ptr<Watch> listener_;
    std::unique_ptr<EventLoop> loop_;  // last: its thread must be gone before what it uses
};

}  // namespace staithe::transport
