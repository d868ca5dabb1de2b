#include "server/others.hpp"

#include <utility>

#include "base/deadline.hpp"
#include "space/server_search.hpp"
#include "transport/directory/directory.hpp"

namespace staithe::server {
namespace {

/// Of a server that lives.
constexpr base::Seconds time_to_be_found{5.0};

}  // namespace

std::shared_ptr<transport::Link> Others::link_to(int rank) const {
    const std::lock_guard lock(mutex_);
    const auto found = links_.find(rank);
    return found != links_.end() && found->second->is_open() ? found->second : nullptr;
}

base::Result<> Others::reach(int rank, const std::weak_ptr<transport::Endpoint>& endpoint, Then then) {
    return look(rank, endpoint, [then = std::move(then)](const auto& link) {
        const bool is_gone = !link && link.error().code == ErrorCode::not_found;
        then(is_gone ? base::fail(ErrorCode::peer_lost, "{}", link.error().message) : link);
    });
}

base::Result<> Others::look(int rank, const std::weak_ptr<transport::Endpoint>& endpoint, Then then) {
    return errands_.add([this, rank, endpoint, then = std::move(then)] {
        auto link = link_to(rank);
        then(link ? base::Result<std::shared_ptr<transport::Link>>(std::move(link)) : look_for(rank, endpoint));
    });
}

base::Result<std::shared_ptr<transport::Link>> Others::look_for(int rank,
                                                                const std::weak_ptr<transport::Endpoint>& from) {
    const std::string name = space::member_name(own_.servers, rank, own_.size);
    const base::Deadline soon(time_to_be_found);
    const auto endpoint = from.lock();
    base::Result<std::optional<transport::Entry>> entry;
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = entries_.extract(rank)) {  // it, or nobody: another one is looked for the next time
            entry = known.mapped();
        }
    }
    if (entry && !*entry) {
        entry = space::find_server(name, soon);
    }
    auto link = endpoint && entry && *entry ? transport::reach(*endpoint, **entry, soon)
                                            : base::fail(ErrorCode::not_found, "it is not to be found");
    const std::lock_guard lock(mutex_);
    if (!link) {
        const bool is_gone = entry && endpoint && link.error().code == ErrorCode::not_found;
        if (!is_gone && entry && *entry) {
            entries_.insert_or_assign(rank, **entry);
        }
        const std::string& why = entry ? link.error().message : entry.error().message;
        return base::fail(is_gone ? ErrorCode::not_found : ErrorCode::peer_lost,
                          "server '{}' cannot be reached from '{}': {}", name,
                          space::member_name(own_.servers, own_.rank, own_.size), why);
    }
    links_[rank] = *link;
    entries_.insert_or_assign(rank, **entry);
    return link;
}

}  // namespace staithe::server
