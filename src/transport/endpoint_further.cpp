// Further connections between processes that have a link: for channels and blocks of other hosts.
//
// They are let in as links are, by a proof of the key, with a token beside it that only the two processes of the link
// know: what it is for.
#include <utility>

#include "base/log.hpp"
#include "os/process_identity.hpp"
#include "transport/approach.hpp"
#include "transport/endpoint.hpp"

namespace staithe::transport {

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

base::Result<os::FileDescriptor> Endpoint::connect_further(const Link& link, const std::string& purpose,
                                                           const base::Deadline& deadline) {
    auto token = link.session_token(purpose);
    const auto place = token ? link.peer_address() : base::fail(token);
    const auto key = place ? key_between_hosts(Key::IfMissing::leave) : base::fail(place);
    if (!key || !*key) {
        return key ? base::fail(ErrorCode::system, "the key for other hosts is gone") : base::fail(key);
    }
    bool takes_nobody = false;
    auto approached =
        approach({{*place}, to_string(os::this_process()), "", *std::move(token)}, *key, deadline, takes_nobody);
    if (!approached) {
        return base::fail(approached.error().code, "{}: {}", to_string(link.peer()), approached.error().message);
    }
    return std::move(approached->socket);
}

/// In the loop's thread, without the mutex.
void Endpoint::let_further_connection_in(const std::shared_ptr<Link>& link, const Packet& packet) {
    std::shared_ptr<TakeConnection> taking;
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = awaited_.find(text_of(packet.body, "awaited_by")); found != awaited_.end()) {
            taking = found->second.lock();
        }
    }
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
