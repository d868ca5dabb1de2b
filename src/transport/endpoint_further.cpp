// Further connections between processes that have a link: for channels and blocks of other hosts.
//
// They are let in as links are, by a proof of the key, with a token beside it that only the two processes of the link
// know: what it is for.
#include <mutex>
#include <optional>
#include <utility>

#include "base/log.hpp"
#include "os/process_identity.hpp"
#include "transport/approach.hpp"
#include "transport/endpoint.hpp"

namespace staithe::transport {
namespace {

constexpr base::Seconds longest_errand{5.0};

}  // namespace

base::Result<std::shared_ptr<void>> Endpoint::take_connections(const Link& link, const std::string& purpose,
                                                               TakeConnection take) {
    const auto token = link.session_token(purpose);
    if (!token) {
        return base::fail(token);
    }
    auto taking = std::make_shared<TakeConnection>(std::move(take));
    const std::lock_guard lock(mutex_);
    std::erase_if(awaited_, [](const auto& entry) { return entry.second.expired(); });
    awaited_[*token] = taking;
    return taking;
}

base::Result<os::FileDescriptor> Endpoint::connect_further(Link& link, const std::string& purpose,
                                                           const base::Deadline& deadline) {
    if (!link.has_called()) {
        return have_peer_connect(link, purpose, deadline);
    }
    const auto token = link.session_token(purpose);
    return token ? connect_for(link, *token, deadline) : base::fail(token);
}

base::Result<os::FileDescriptor> Endpoint::connect_for(const Link& link, const std::string& token,
                                                       const base::Deadline& deadline) const {
    const auto place = link.peer_address();
    const auto key = place ? key_between_hosts(Key::IfMissing::leave) : base::fail(place);
    if (!key || !*key) {
        return key ? base::fail(ErrorCode::system, "the key for other hosts is gone") : base::fail(key);
    }
    bool takes_nobody = false;
    auto approached = approach({{*place}, to_string(os::this_process()), "", token}, *key, deadline, takes_nobody);
    if (!approached) {
        return base::fail(approached.error().code, "{}: {}", to_string(link.peer()), approached.error().message);
    }
    return std::move(approached->socket);
}

// Where the peer has made the link ------------------------------------------------------------------------------

base::Result<os::FileDescriptor> Endpoint::have_peer_connect(Link& link, const std::string& purpose,
                                                             const base::Deadline& deadline) {
    struct Arrival {
        std::mutex mutex;
        std::optional<os::FileDescriptor> socket;
    };
    const auto arrival = std::make_shared<Arrival>();
    const auto token = link.session_token(purpose);
    const auto taking = token ? take_connections(link, purpose,
                                                 [arrival](os::FileDescriptor socket) {
                                                     const std::lock_guard lock(arrival->mutex);
                                                     arrival->socket = std::move(socket);
                                                 })
                              : base::fail(token);
    if (!taking) {
        return base::fail(taking);
    }
    const auto connected = link.call({{"service", connections_service}, {"awaited_by", *token}}, {}, deadline);
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
    const std::string token = text_of(packet.body, "awaited_by");
    auto begun = !link->has_called() ? base::fail(ErrorCode::protocol, "has not made this link, and cannot connect")
                 : !taker_of(token)  ? base::fail(ErrorCode::not_found, "awaits no such connection any more")
                                     : answer_later(link, packet, token);
    if (!begun) {
        static_cast<void>(link->reply(packet.id(), base::fail(std::move(begun))));
    }
}

base::Result<> Endpoint::answer_later(const std::shared_ptr<Link>& link, const Packet& packet,
                                      const std::string& token) {
    return errands_.add([weak = weak_from_this(), link, id = packet.id(), token] {
        const auto self = weak.lock();
        if (!self) {
            return;
        }
        auto socket = self->connect_for(*link, token, base::Deadline(longest_errand));
        if (!socket) {
            static_cast<void>(link->reply(id, base::fail(std::move(socket))));
            return;
        }
        if (const auto taking = self->taker_of(token)) {
            (*taking)(*std::move(socket));
        }
        static_cast<void>(link->reply(id, Attributes{}));
    });
}

// Where this process listens ------------------------------------------------------------------------------------

std::shared_ptr<Endpoint::TakeConnection> Endpoint::taker_of(const std::string& token) const {
    const std::lock_guard lock(mutex_);
    const auto found = awaited_.find(token);
    return found == awaited_.end() ? nullptr : found->second.lock();
}

/// In the loop's thread, without the mutex.
void Endpoint::let_further_connection_in(const std::shared_ptr<Link>& link, const Packet& packet) {
    const auto taking = taker_of(text_of(packet.body, "awaited_by"));
    if (!taking) {
        link->refuse({ErrorCode::not_found, "awaits no such connection any more"});
        return;
    }
    static_cast<void>(link->reply(packet.id(), Attributes{}));
    auto socket = link->hand_over();
    if (!socket) {
        base::log(base::LogLevel::warn, "a connection was lost as it came: {}", socket.error().message);
        return;
    }
    (*taking)(*std::move(socket));
}

}  // namespace staithe::transport
