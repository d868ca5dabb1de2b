// How an endpoint gets a link to another process.
#include <utility>

#include "base/budget.hpp"
#include "os/process_identity.hpp"
#include "os/socket.hpp"
#include "transport/approach.hpp"
#include "transport/endpoint.hpp"
#include "transport/trying_again.hpp"

namespace staithe::transport {

/// A socket file of this host, or ports to be tried side by side.
struct Endpoint::Destination {
    std::string name;  // of a link that there may be already
    std::string socket_file;
    std::vector<Address::HostPort> ports;
    std::string process;  // that must be there; empty: whichever it is
};

std::shared_ptr<Link> Endpoint::link_to(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = connected_.find(name);
    auto link = found == connected_.end() ? nullptr : found->second.lock();
    return link && link->is_open() ? link : nullptr;
}

std::shared_ptr<Link> Endpoint::link_to(const os::ProcessIdentity& process) {
    const std::string name = to_string(process);
    if (auto made = link_to(name)) {
        return made;
    }
    const std::lock_guard lock(mutex_);
    for (auto [caller, end] = callers_.equal_range(name); caller != end; ++caller) {
        if (auto link = caller->second.lock(); link && link->is_open()) {
            return link;
        }
    }
    return nullptr;
}

base::Result<std::shared_ptr<Link>> Endpoint::connect(const Address& address, const base::Deadline& deadline) {
    if (const auto* file = address.socket_file()) {
        return connect(Destination{file->name, file->name, {}, ""}, deadline);
    }
    return connect(Destination{to_string(address), "", {*address.host_port()}, ""}, deadline);
}

base::Result<std::shared_ptr<Link>> Endpoint::connect(const os::ProcessIdentity& process,
                                                      const std::vector<Address::HostPort>& addresses,
                                                      const base::Deadline& deadline) {
    const std::string name = to_string(process);
    return connect(Destination{name, "", addresses, name}, deadline);
}

base::Result<std::shared_ptr<Link>> Endpoint::connect(const Destination& destination, const base::Deadline& deadline) {
    return try_while_full(deadline, [&](bool& peer_is_full) -> base::Result<std::shared_ptr<Link>> {
        auto link = link_to(destination.name);
        return link ? link : connect_once(destination, deadline, peer_is_full);
    });
}

base::Result<std::shared_ptr<Link>> Endpoint::connect_once(const Destination& destination,
                                                           const base::Deadline& deadline, bool& peer_is_full) {
    auto connection = base::claim(
        base::Resource::connections, 1,
        fmt::format("connect to {}{}", destination.ports.empty() ? run_directory_ + "/" : "", destination.name),
        deadline);
    if (!connection) {
        return base::fail(std::move(connection));
    }
    auto link = destination.ports.empty()
                    ? connect_here(destination, *std::move(connection), deadline, peer_is_full)
                    : connect_to_host(destination, *std::move(connection), deadline, peer_is_full);
    if (!link) {
        return link;
    }
    if (auto introduced = introduce(**link, deadline); !introduced) {
        peer_is_full = introduced.error().code == ErrorCode::limit_reached;
        return base::fail(std::move(introduced));
    }
    const std::lock_guard lock(mutex_);
    std::erase_if(connected_, [](const auto& entry) { return entry.second.expired(); });
    // Two threads may have connected at once; the later one takes the first one's link.
    const std::string process = (*link)->process();
    const std::string& last_name = process.empty() ? destination.name : process;
    for (const std::string& name : {destination.name, last_name}) {
        if (auto earlier = connected_[name].lock(); earlier && earlier->is_open()) {
            connected_[destination.name] = earlier;
            return earlier;
        }
    }
    connected_[destination.name] = *link;
    connected_[last_name] = *link;
    return link;
}

base::Result<std::shared_ptr<Link>> Endpoint::connect_here(const Destination& destination, base::Claim connection,
                                                           const base::Deadline& deadline, bool& takes_nobody) {
    auto socket = os::connect_to(run_directory_, destination.socket_file);
    if (!socket) {
        takes_nobody = socket.error().code == ErrorCode::timeout;
        return base::fail(std::move(socket));
    }
    const auto listener = os::credentials_of(*socket);
    const auto proves = listener ? must_prove(own_credentials(), *listener, key_) : base::fail(listener);
    if (!proves) {
        return base::fail(proves);
    }
    std::optional<Link::Proved> proved;
    if (*proves) {
        Visitor visitor(key_, {party(own_credentials()), party(*listener)});
        if (auto proof = prove(*socket, visitor, deadline); !proof) {
            takes_nobody = proof.error().code == ErrorCode::limit_reached;
            return base::fail(proof.error().code, "{} {}", party(*listener), proof.error().message);
        }
        proved = {*visitor.session(), ""};
    }
    return start_link(*std::move(socket), {"", self_.host, listener->pid}, nullptr, std::move(connection), proved);
}

base::Result<std::shared_ptr<Link>> Endpoint::connect_to_host(const Destination& destination, base::Claim connection,
                                                              const base::Deadline& deadline, bool& takes_nobody) {
    const auto key = key_for("connect to " + destination.name, Key::IfMissing::leave);
    if (!key) {
        return base::fail(key);
    }
    auto approached =
        approach({destination.ports, to_string(os::this_process()), destination.process}, *key, deadline, takes_nobody);
    if (!approached) {
        return base::fail(std::move(approached));
    }
    const Visitor& visitor = approached->visitor;
    auto link = start_link(std::move(approached->socket), {"", approached->at, 0}, nullptr, std::move(connection),
                           Link::Proved{*visitor.session(), visitor.listener()});
    if (link) {
        (*link)->keep_up(*loop_);
    }
    return link;
}

/// The quickest of a few answers: the way of a slow one took who knows how long, there or back.
base::Result<std::chrono::nanoseconds> Endpoint::clock_ahead(Link& link, const base::Deadline& deadline) const {
    constexpr int questions = 3;
    auto quickest = std::chrono::nanoseconds::max();
    std::chrono::nanoseconds ahead{};
    for (int i = 0; i < questions; ++i) {
        const auto asked = base::Clock::now().time_since_epoch();
        const auto answer = link.call(greeting(), {}, deadline);
        const auto answered = base::Clock::now().time_since_epoch();
        const Value* clock = answer ? find(answer->body, "clock") : nullptr;
        if (clock == nullptr || !clock->as_int()) {
            return answer
                       ? base::fail(ErrorCode::protocol, "{} does not say what its clock shows", to_string(link.peer()))
                       : base::fail(answer);
        }
        if (answered - asked < quickest) {
            quickest = answered - asked;
            ahead = std::chrono::nanoseconds(*clock->as_int()) - (asked + (answered - asked) / 2);
        }
    }
    return ahead;
}

// After proofs, where there are any, greetings go before all else on a connection.
base::Result<> Endpoint::introduce(Link& link, const base::Deadline& deadline) {
    const auto answer = link.call(greeting(), {}, deadline);
    return answer ? take_greeting(link, answer->body) : base::fail(answer);
}

}  // namespace staithe::transport
