// The links to the other servers that keep spaces together with this one. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "base/result.hpp"
#include "space/member_name.hpp"
#include "transport/directory/entry.hpp"
#include "transport/endpoint.hpp"
#include "transport/errands.hpp"
#include "transport/link.hpp"

namespace staithe::server {

class Others {
  public:
    /// Of those that this one belongs to.
    explicit Others(const space::Member& own) : own_(own) {}

    /// nullptr: it has to be reached first.
    [[nodiscard]] std::shared_ptr<transport::Link> link_to(int rank) const;
    /// Calls back in a thread of its own, one call after the other, with the link that there is by then, or with
    /// `peer_lost`.
    using Then = std::function<void(const base::Result<std::shared_ptr<transport::Link>>&)>;
    base::Result<> reach(int rank, const std::weak_ptr<transport::Endpoint>& endpoint, Then then);
    /// The same, with `not_found` where it is certain that the process is gone that was last reached, or none is there.
    base::Result<> look(int rank, const std::weak_ptr<transport::Endpoint>& endpoint, Then then);

  private:
    base::Result<std::shared_ptr<transport::Link>> look_for(int rank, const std::weak_ptr<transport::Endpoint>& from);

    const space::Member own_;
    mutable std::mutex mutex_;
    std::map<int, std::shared_ptr<transport::Link>> links_;  // by rank
    std::map<int, transport::Entry> entries_;                // where they were reached
    transport::Errands errands_;                             // last: its thread uses the rest
};

}  // namespace staithe::server
