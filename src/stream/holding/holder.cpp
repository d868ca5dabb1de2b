#include "stream/holding/holder.hpp"

#include <utility>

#include <fmt/format.h>

namespace staithe::stream {

base::Result<std::shared_ptr<transport::Link>> Holder::reach(const base::Deadline& deadline) {
    const std::lock_guard lock(mutex_);
    if (link_) {
        return link_->is_open() ? base::Result<std::shared_ptr<transport::Link>>(link_)
                                : base::fail(ErrorCode::peer_lost, "{}, which has the {}, is gone",
                                             transport::to_string(link_->peer()), service_);
    }
    const auto ports = entry_->ports();
    base::Result<std::shared_ptr<transport::Link>> link = nullptr;
    if (entry_->is_here()) {
        link = endpoint_->connect(entry_->addresses.front(), deadline);
    }
    // Where it looks like this host, and its socket is not to be seen, a port may help: of another container.
    if (!entry_->is_here() || (!link && link.error().code == ErrorCode::not_found && !ports.empty())) {
        link = ports.empty() ? base::fail(ErrorCode::system,
                                          "it does not listen for processes of other hosts: start it with "
                                          "STAITHE_LISTEN=0.0.0.0:0")
                             : endpoint_->connect(entry_->process, ports, deadline);
    }
    if (!link) {
        return base::fail(link.error().code, "{} has the {}, and cannot be reached: {}",
                          transport::to_string(entry_->peer), service_, link.error().message);
    }
    return link_ = *std::move(link);
}

base::Result<transport::Packet> Holder::ask(const base::Deadline& deadline) {
    auto link = reach(deadline);
    return link ? (*link)->call({{"service", service_}}, {}, deadline) : base::fail(std::move(link));
}

base::Result<os::FileDescriptor> Holder::connect(const base::Deadline& deadline) {
    const auto answer = ask(deadline);
    if (!answer) {
        return base::fail(answer);
    }
    const auto link = reach(deadline);
    return link ? endpoint_->connect_further(**link, transport::text_of(answer->body, "purpose"), deadline)
                : base::fail(link);
}

bool Holder::is_gone() const {
    const std::lock_guard lock(mutex_);
    return link_ && !link_->is_open();
}

}  // namespace staithe::stream
