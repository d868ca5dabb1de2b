// Further connections between processes that have a link: for channels and blocks of other hosts.
//
// They are let in as links are, by a proof. Into that goes a token that only the two processes of the link know,
// another one for each purpose: so a proof is good for one connection, one purpose and one link.
#include <mutex>
#include <optional>
#include <utility>

#include "base/log.hpp"
#include "os/process_identity.hpp"
#include "os/tcp.hpp"
#include "transport/approach.hpp"
#include "transport/endpoint.hpp"
#include "transport/trying_again.hpp"

namespace staithe::transport {
namespace {

constexpr base::Seconds longest_errand{5.0};

}  // namespace

Endpoint::Awaiting::~Awaiting() {
    if (const auto self = endpoint.lock()) {
        const std::lock_guard lock(self->mutex_);
        self->close_unused_ports();
    }
}

base::Result<std::shared_ptr<void>> Endpoint::take_connections(const Link& link, const std::string& purpose,
                                                               TakeConnection take) {
    auto token = link.session_token(purpose);
    if (!token) {
        return base::fail(std::move(token));
    }
    auto awaiting =
        std::make_shared<Awaiting>(weak_from_this(), link.weak_from_this(), *std::move(token), std::move(take));
    const std::lock_guard lock(mutex_);
    std::erase_if(awaited_, [](const auto& entry) { return entry.second.expired(); });
    awaited_[{link.process(), purpose}] = awaiting;
    return awaiting;
}

std::shared_ptr<Endpoint::Awaiting> Endpoint::awaiting(const std::string& process, const std::string& purpose) const {
    std::shared_ptr<Awaiting> awaiting;
    {
        const std::lock_guard lock(mutex_);
        const auto found = awaited_.find({process, purpose});
        awaiting = found == awaited_.end() ? nullptr : found->second.lock();
    }
    const auto link = awaiting ? awaiting->link.lock() : nullptr;
    return link && link->is_open() ? awaiting : nullptr;
}

base::Result<os::FileDescriptor> Endpoint::connect_further(Link& link, const std::string& purpose,
                                                           const base::Deadline& deadline) {
    return link.has_called() ? connect_for(link, purpose, deadline) : have_peer_connect(link, purpose, deadline);
}

base::Result<os::FileDescriptor> Endpoint::connect_for(const Link& link, const std::string& purpose,
                                                       const base::Deadline& deadline) {
    auto token = link.session_token(purpose);
    const auto place = token ? link.peer_address() : base::fail(token);
    const auto key = place ? key_for(to_string(Address(*place)), Key::IfMissing::leave) : base::fail(place);
    if (!key) {
        return base::fail(key);
    }
    const Approaching approaching{{*place}, to_string(os::this_process()), "", {purpose, *std::move(token)}};
    auto connected = try_while_full(deadline, [&](bool& peer_is_full) -> base::Result<os::FileDescriptor> {
        auto connection =
            base::claim(base::Resource::connections, 1, "connect to " + to_string(Address(*place)), deadline);
        if (!connection) {
            return base::fail(std::move(connection));
        }
        auto approached = approach(approaching, *key, deadline, peer_is_full);
        const auto kept = approached ? os::keep_alive(approached->socket) : base::fail(approached);
        if (!kept) {
            return base::fail(kept);
        }
        approached->socket.hold(*std::move(connection));
        return std::move(approached->socket);
    });
    if (!connected) {
        const auto& [code, message] = connected.error();
        return base::fail(code == ErrorCode::not_found ? ErrorCode::peer_lost : code, "{}: {}", to_string(link.peer()),
                          message);
    }
    return connected;
}

// Where the peer has made the link ------------------------------------------------------------------------------

base::Result<os::FileDescriptor> Endpoint::have_peer_connect(Link& link, const std::string& purpose,
                                                             const base::Deadline& deadline) {
    struct Arrival {
        std::mutex mutex;
        std::optional<os::FileDescriptor> socket;
    };
    const auto arrival = std::make_shared<Arrival>();
    const auto taking = take_connections(link, purpose, [arrival](os::FileDescriptor socket) {
        const std::lock_guard lock(arrival->mutex);
        arrival->socket = std::move(socket);
    });
    if (!taking) {
        return base::fail(taking);
    }
    const auto connected = link.call({{"service", connections_service}, {"purpose", purpose}}, {}, deadline);
    if (!connected) {
        return base::fail(connected);
    }
    // It was handed over before the peer knew that it is connected.
    const std::lock_guard lock(arrival->mutex);
    return arrival->socket ? base::Result<os::FileDescriptor>(*std::move(arrival->socket))
                           : base::fail(ErrorCode::peer_lost, "{} has connected elsewhere", to_string(link.peer()));
}

/// In the loop's thread, which must not wait for what is asked for.
void Endpoint::connect_as_asked(const std::shared_ptr<Link>& link, const Packet& packet) {
    const std::string purpose = text_of(packet.body, "purpose");
    auto begun = !link->has_called() ? base::fail(ErrorCode::protocol, "has not made this link, and cannot connect")
                 : !awaiting(link->process(), purpose)
                     ? base::fail(ErrorCode::not_found, "awaits no such connection any more")
                     : answer_later(link, packet, purpose);
    if (!begun) {
        static_cast<void>(link->reply(packet.id(), base::fail(std::move(begun))));
    }
}

base::Result<> Endpoint::answer_later(const std::shared_ptr<Link>& link, const Packet& packet,
                                      const std::string& purpose) {
    return connecting_.add([weak = weak_from_this(), link, id = packet.id(), purpose] {
        const auto self = weak.lock();
        if (!self) {
            return;
        }
        auto socket = self->connect_for(*link, purpose, base::Deadline(longest_errand));
        if (!socket) {
            static_cast<void>(link->reply(id, base::fail(std::move(socket))));
            return;
        }
        if (const auto taking = self->awaiting(link->process(), purpose)) {
            taking->take(*std::move(socket));
        }
        static_cast<void>(link->reply(id, Attributes{}));
    });
}

// Where this process listens ------------------------------------------------------------------------------------

/// In the loop's thread, without the mutex. `limit_reached` if nothing has come of it.
base::Result<> Endpoint::let_further_connection_in(const std::shared_ptr<Link>& link, const Packet& packet,
                                                   const Awaiting& awaiting, base::Claim connection) {
    auto socket = link->hand_over(packet.id());
    if (!socket && socket.error().code == ErrorCode::limit_reached) {
        return base::fail(std::move(socket));
    }
    const auto kept = socket ? os::keep_alive(*socket) : base::fail(socket);
    if (!kept) {
        base::log(base::LogLevel::warn, "a connection was lost as it came: {}", kept.error().message);
        return {};
    }
    socket->hold(std::move(connection));
    awaiting.take(*std::move(socket));
    return {};
}

}  // namespace staithe::transport
