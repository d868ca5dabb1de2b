// Programs of other hosts: connections for the bytes of their blocks.
#include <atomic>
#include <utility>

#include "base/fields.hpp"
#include "os/shared_memory.hpp"
#include "server/reception.hpp"
#include "space/served/messages.hpp"
#include "transport/connection_room.hpp"
#include "transport/endpoint.hpp"

namespace staithe::server {

base::Result<FarClient> FarBlocks::new_client() {
    const std::size_t next = next_ % threads_.size();
    Threads& threads = threads_[next];
    for (auto* const server : {&threads.giving, &threads.taking}) {
        if (*server == nullptr) {
            auto started = store::remote::BlockServer::start();
            if (!started) {
                return base::fail(std::move(started));
            }
            *server = *std::move(started);
        }
    }
    ++next_;
    return FarClient{next, threads.giving->new_client(), threads.taking->new_client()};
}

void FarBlocks::give(os::FileDescriptor socket, const FarClient& client) {
    threads_[client.threads].giving->serve(
        std::make_unique<store::remote::Serving>(std::move(socket), find_store_,
                                                 std::make_shared<store::remote::Traffic>(),
                                                 std::make_shared<store::remote::EncodedParts>(), devices_),
        client.reads);
}

void FarBlocks::take(os::FileDescriptor socket, const FarClient& client, Receiving::FindRoom find_room) {
    threads_[client.threads].taking->serve(std::make_unique<Receiving>(std::move(socket), std::move(find_room)),
                                           client.writes);
}

/// One connection, which the program makes next.
Reception::Answer Reception::connect(const Request& request) {
    const auto& link = request.client.link;
    const auto way = base::text_field(request.body, "way");
    const auto endpoint = endpoint_.lock();
    if (!way || (*way != space::far_way::read && *way != space::far_way::write) || !link->is_between_hosts() ||
        endpoint == nullptr) {
        return base::fail(ErrorCode::protocol, "server '{}' has no such connection for a program to make", server_);
    }
    FarClient& far = request.client.far;
    if (far.reads == nullptr) {
        auto client = far_.new_client();
        if (!client) {
            return base::fail(std::move(client));
        }
        far = *std::move(client);
    }
    static std::atomic<std::int64_t> connections{0};  // of the process: so are purposes
    const std::string purpose = fmt::format("connection {} to {} blocks of server {}", ++connections, *way, server_);
    auto awaited = endpoint->take_connections(
        *link, purpose,
        [reception = weak_from_this(), key = link.get(), purpose, reads = *way == space::far_way::read](auto socket) {
            if (const auto self = reception.lock()) {
                self->take_connection(key, purpose, reads, std::move(socket));
            }
        });
    if (!awaited) {
        return base::fail(std::move(awaited));
    }
    request.client.awaited[purpose] = *std::move(awaited);
    return Reply{{{"purpose", purpose}, {"scarce", transport::are_connections_scarce()}}};
}

void Reception::take_connection(transport::Link* link, const std::string& purpose, bool reads,
                                os::FileDescriptor socket) {
    const std::lock_guard lock(mutex_);
    const auto client = clients_.find(link);
    if (client == clients_.end() || client->second.awaited.erase(purpose) == 0) {
        return;
    }
    if (reads) {
        far_.give(std::move(socket), client->second.far);
    } else {
        far_.take(std::move(socket), client->second.far,
                  [this, link](std::int64_t ticket) { return far_room(link, ticket); });
    }
}

/// In the thread of those who put.
std::shared_ptr<FarRoom::Memory> Reception::far_room(transport::Link* link, std::int64_t ticket) {
    const std::lock_guard lock(mutex_);
    const auto client = clients_.find(link);
    if (client == clients_.end() || !client->second.reserved.contains(ticket)) {
        return nullptr;
    }
    auto& room = client->second.far_rooms[ticket];
    if (room == nullptr) {
        const store::BlockRef& ref = client->second.reserved.at(ticket);
        room = std::make_unique<FarRoom>(client->second.own->address_of(ref), ref.bytes);
    }
    return room->memory();
}

/// Of a program of this host nobody knows; the other programs see what there is.
bool Reception::is_filled(const Client& client, std::int64_t ticket) {
    const store::BlockRef& ref = client.reserved.at(ticket);
    const auto room = client.far_rooms.find(ticket);
    return !client.link->is_between_hosts() || ref.bytes == 0 ||
           (room != client.far_rooms.end() && room->second->memory()->is_full());
}

/// In the thread of those who get.
std::optional<transport::PeerPool> Reception::far_store(std::uint32_t store) {
    const std::lock_guard lock(mutex_);
    return stores_.for_peers(store);
}

}  // namespace staithe::server
