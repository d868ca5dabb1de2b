#include "stream/holding/block_offer.hpp"

#include <atomic>
#include <utility>

#include "stream/holding/fabric_messages.hpp"
#include "transport/connection_room.hpp"
#include "transport/peer_pool.hpp"

namespace staithe::stream {

std::string service_of_blocks(const std::string& stream, int rank) {
    return fmt::format("blocks of {}, rank {}", stream, rank);  // no stream is called so
}

base::Result<std::shared_ptr<BlockOffer>> BlockOffer::make(std::shared_ptr<transport::Endpoint> endpoint,
                                                           std::string service, Find find,
                                                           const std::optional<std::string>& listen,
                                                           const monitor::Tracer& tracer) {
    std::shared_ptr<BlockOffer> offer(new BlockOffer(endpoint, std::move(service), std::move(find), tracer));
    offer->self_ = offer;
    auto offered = endpoint->offer(
        offer->service_,
        [weak = offer->self_](const auto& link, const auto& request) {
            if (const auto self = weak.lock()) {
                self->answer(link, request);
            }
        },
        listen);
    if (!offered) {
        return base::fail(std::move(offered));
    }
    offer->is_offered_ = true;
    BlockOffer* const made = offer.get();
    // A request that is being answered may keep the offer for a moment, but not the name, which may be wanted again.
    return std::shared_ptr<BlockOffer>(made, [offer = std::move(offer)](BlockOffer* withdrawn) mutable {
        withdrawn->withdraw();
        offer = nullptr;
    });
}

void BlockOffer::withdraw() {
    if (is_offered_.exchange(false)) {  // else the name may be another's
        endpoint_->withdraw(service_);
    }
}

void BlockOffer::answer(const Link& link, const transport::Packet& request) {
    const std::lock_guard lock(mutex_);
    if (files_.empty()) {
        auto found = find_();
        if (!found) {
            static_cast<void>(link->reply(request.id(), base::fail(std::move(found))));
            return;
        }
        files_ = *std::move(found);
    }
    if (link->is_between_hosts() && find(request.body, fabric::question) != nullptr) {
        answer_later_by_fabric(link, request);
        return;
    }
    if (link->is_between_hosts()) {
        static_cast<void>(link->reply(request.id(), await_connection(link)));
        return;
    }
    List stores;
    std::vector<int> descriptors;
    for (const auto& [store, file] : files_) {
        stores.emplace_back(static_cast<std::int64_t>(store));
        descriptors.push_back(file.get());
    }
    static_cast<void>(link->reply(request.id(), Attributes{{"stores", std::move(stores)}}, descriptors));
}

/// One connection, which the process at the other end of the link makes next.
base::Result<Attributes> BlockOffer::await_connection(const Link& link) {
    if (auto opened = open_stores(); !opened) {
        return base::fail(std::move(opened));
    }
    static std::atomic<std::int64_t> connections{0};  // of the process: so are purposes
    const std::string purpose = fmt::format("connection {} for {}", ++connections, service_);
    auto awaited = endpoint_->take_connections(*link, purpose, [weak = self_, link, purpose](auto socket) {
        if (const auto self = weak.lock()) {
            self->take_connection(link, purpose, std::move(socket));
        }
    });
    if (!awaited) {
        return base::fail(std::move(awaited));
    }
    Visitor* const visitor = visitor_at(link);
    if (visitor == nullptr) {
        return base::fail(ErrorCode::peer_lost, "{} is gone", transport::to_string(link->peer()));
    }
    if (!visitor->client) {
        visitor->client = server_->new_client();
    }
    visitor->awaited[purpose] = *std::move(awaited);
    return Attributes{{"purpose", purpose}, {"scarce", transport::are_connections_scarce()}};
}

/// To load libfabric and to register much memory takes seconds.
void BlockOffer::answer_later_by_fabric(const Link& link, const transport::Packet& request) {
    auto begun = errands_.add([this, link, id = request.id(), body = request.body] {
        static_cast<void>(link->reply(id, answer_by_fabric(link, body)));
    });
    if (!begun) {
        static_cast<void>(link->reply(request.id(), base::fail(std::move(begun))));
    }
}

/// In the errands' thread, without the mutex.
base::Result<Attributes> BlockOffer::answer_by_fabric(const Link& link, const Attributes& request) {
    FabricOffer::Agreed agreed;
    {
        const std::lock_guard lock(mutex_);
        const Visitor* const visitor = visitor_at(link);
        agreed = visitor == nullptr ? nullptr : visitor->agreed;
    }
    auto answer = fabric_.answer(request, files_, agreed);
    const std::lock_guard lock(mutex_);
    if (const auto visitor = visitors_.find(link); visitor != visitors_.end()) {
        visitor->second.agreed = std::move(agreed);
    }
    return answer;
}

/// nullptr if the link has ended.
BlockOffer::Visitor* BlockOffer::visitor_at(const Link& link) {
    if (const auto known = visitors_.find(link); known != visitors_.end()) {
        return &known->second;
    }
    auto on_close = link->on_close([weak = self_, link] {
        if (const auto self = weak.lock()) {
            const std::lock_guard lock(self->mutex_);
            self->visitors_.erase(link);
        }
    });
    if (!on_close) {
        return nullptr;
    }
    Visitor& visitor = visitors_[link];
    visitor.on_close = std::move(on_close);
    visitor.traffic = std::make_shared<store::remote::Traffic>(tracer_);
    return &visitor;
}

std::shared_ptr<const store::remote::Traffic> BlockOffer::traffic_to(const Link& link) {
    const std::lock_guard lock(mutex_);
    const Visitor* const visitor = visitor_at(link);
    return visitor == nullptr ? nullptr : visitor->traffic;
}

std::vector<std::pair<transport::Peer, std::shared_ptr<const store::remote::Traffic>>> BlockOffer::all_traffic() {
    const std::lock_guard lock(mutex_);
    std::vector<std::pair<transport::Peer, std::shared_ptr<const store::remote::Traffic>>> all;
    for (const auto& [link, visitor] : visitors_) {
        all.emplace_back(link->peer(), visitor.traffic);
    }
    return all;
}

void BlockOffer::take_connection(const Link& link, const std::string& purpose, os::FileDescriptor socket) {
    const std::lock_guard lock(mutex_);
    const auto visitor = visitors_.find(link);
    if (visitor != visitors_.end() && visitor->second.awaited.erase(purpose) > 0) {
        server_->serve(std::move(socket), stores_, visitor->second.client, visitor->second.traffic);
    }
}

base::Result<> BlockOffer::open_stores() {
    if (server_) {
        return {};
    }
    auto stores = std::make_shared<store::remote::Stores>();
    for (const auto& [number, file] : files_) {
        auto copy = file.duplicate();
        auto pool = copy ? transport::open_peer_pool(*std::move(copy), os::Populate::no) : base::fail(std::move(copy));
        if (!pool) {
            return base::fail(std::move(pool));
        }
        (*stores)[number] = *std::move(pool);
    }
    auto server = store::remote::BlockServer::start(std::make_shared<store::devices::Devices>(endpoint_));
    if (!server) {
        return base::fail(std::move(server));
    }
    server_ = *std::move(server);
    stores_ = std::move(stores);
    return {};
}

}  // namespace staithe::stream
