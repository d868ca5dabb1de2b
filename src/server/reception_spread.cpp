// Spaces that several servers keep together: blocks that lie here, of versions that another one knows of, and the other
// way round. Nothing waits here for another server: what it says comes as a message.
#include <span>
#include <utility>

#include "base/fields.hpp"
#include "server/reception.hpp"
#include "space/served/messages.hpp"
#include "space/served/messages_many.hpp"

namespace staithe::server {

namespace type = space::request;

/// The block is its putter's no more, and not yet the home's.
Reception::Answer Reception::put_for_home(const Request& request, store::space::Put put, std::int64_t room, int home) {
    if (put.persist || home >= member_.size || home == member_.rank) {
        return base::fail(ErrorCode::protocol, "a block of '{}' is put where it does not belong", put.block.variable);
    }
    Attributes message = space::encode(put);
    message["service"] = space::server_service;
    message["type"] = type::put_elsewhere;
    message["space"] = *base::text_field(request.body, "space");
    message["process"] = to_string(request.client.link->peer());
    message["ticket"] = ++last_sent_;
    message["store"] = put.ref.store;
    message["at"] = put.ref.offset;
    message["rank of server"] = member_.rank;
    request.client.far_rooms.erase(room);
    request.client.reserved.erase(room);
    in_doubt_.erase(store::space::place_of(put.ref));
    sent_.emplace(last_sent_, Sent{.link = request.client.link,
                                   .id = request.id,
                                   .ref = put.ref,
                                   .space = *base::text_field(request.body, "space"),
                                   .variable = put.block.variable,
                                   .room = room});
    if (const auto link = others_.link_to(home)) {
        send_home(link, last_sent_, message);
        return std::nullopt;
    }
    const auto reached = others_.reach(
        home, endpoint_,
        [reception = weak_from_this(), sent = last_sent_, message = std::move(message)](const auto& link) {
            if (const auto self = reception.lock()) {
                const std::lock_guard lock(self->mutex_);
                self->send_home(link, sent, message);
            }
        });
    if (!reached) {
        settle(sent_.find(last_sent_), base::fail(reached));
    }
    return std::nullopt;
}

void Reception::send_home(const base::Result<std::shared_ptr<transport::Link>>& home, std::int64_t ticket,
                          const Attributes& message) {
    const auto sent = sent_.find(ticket);
    if (home) {
        sent->second.home = client_of(*home).link.get();  // whose end is noticed from now on
    }
    const auto notified = home ? (*home)->notify(message) : base::fail(home);
    if (!notified) {
        settle(sent, base::fail(notified));
    }
}

/// As which version it was put, or why it was not.
void Reception::settle(std::map<std::int64_t, Sent>::iterator sent, const base::Result<std::int64_t>& version) {
    Sent block = std::move(sent->second);
    sent_.erase(sent);
    if (followers_ != nullptr) {
        const auto place = store::space::place_of(block.ref);
        const auto client = clients_.find(block.link.get());
        const bool has_home = block.is_kept && !block.is_free;
        const bool is_lost = !has_home && !version && version.error().code == ErrorCode::peer_lost;
        if (is_lost && client != clients_.end()) {
            client->second.reserved.emplace(block.room, block.ref);  // its program asks the one who goes on
            in_doubt_.insert(place);
        } else if (has_home || is_lost) {
            kept_.emplace(place, block.ref);
        } else {
            free(block.ref);
        }
        reply(*block.link, block.id,
              version ? base::Result<Reply>(Reply{{{"version", *version}, {"again", block.is_free}}})
                      : base::fail(version));
        return;
    }
    if (version && !block.is_free) {
        clients_.at(block.home)
            .kept.emplace(store::space::place_of(block.ref),
                          Kept{block.ref, std::move(block.space), std::move(block.variable), *version});
    } else {
        free(block.ref);
    }
    reply(*block.link, block.id, version ? base::Result<Reply>(Reply{{{"version", *version}}}) : base::fail(version));
}

Reception::Answer Reception::was_put(const Request& request) {
    const auto ticket = base::integer_field(request.body, "ticket", 1, INT64_MAX);
    const auto results = ticket ? space::decode_results(request.body, 1) : base::fail(ticket);
    const auto sent = results ? sent_.find(*ticket) : sent_.end();
    if (sent != sent_.end() && sent->second.home == request.client.link.get()) {
        sent->second.is_free = sent->second.is_free || base::flag_field(request.body, "again");
        sent->second.is_kept = base::flag_field(request.body, "kept");
        settle(sent, results->front());
    }
    return std::nullopt;
}

Reception::Answer Reception::put_elsewhere(const Request& request) {
    const auto space = base::text_field(request.body, "space");
    const auto ticket = base::integer_field(request.body, "ticket", 1, INT64_MAX);
    if (followers_ != nullptr) {
        put_elsewhere_with_twin(request, ticket.value_or(0));
        return std::nullopt;
    }
    const base::Result<std::int64_t> version[] = {take_from_elsewhere(request)};
    Attributes answer{{"service", space::server_service},
                      {"type", type::was_put},
                      {"ticket", ticket.value_or(0)},
                      {"versions", space::encode(version)}};
    static_cast<void>(request.client.link->notify(answer));
    if (version[0]) {
        answer_waiting(*space, *base::text_field(request.body, "variable"));
    }
    return std::nullopt;
}

base::Result<store::space::Put> Reception::put_from_elsewhere(const Request& request) const {
    const auto space = base::text_field(request.body, "space");
    const auto process = base::text_field(request.body, "process");
    const auto store = base::integer_field(request.body, "store", 0, UINT32_MAX);
    const auto at = base::integer_field(request.body, "at", 0, INT64_MAX);
    const auto rank = base::integer_field(request.body, "rank of server", 0, member_.size - 1);
    const auto checked = space ? transport::check_name(transport::Kind::space, *space) : base::fail(space);
    auto put = checked ? space::decode_put(request.body) : base::fail(checked);
    if (!put || !process || !store || !at || !rank || *store % member_.size != *rank || *rank == member_.rank) {
        return put ? base::fail(ErrorCode::protocol, "server '{}' was told of a block that cannot lie where it does",
                                server_)
                   : base::fail(std::move(put));
    }
    put->by.name = name_of(put->by, *process);
    put->ref = {.store = static_cast<std::uint32_t>(*store), .offset = *at, .bytes = put->block.data_bytes()};
    return put;
}

base::Result<std::int64_t> Reception::take_from_elsewhere(const Request& request) {
    const auto put = put_from_elsewhere(request);
    if (!put) {
        return base::fail(put);
    }
    const int rank = rank_of(put->ref.store);
    // First, since a block may be given back at once.
    elsewhere_.add(put->ref, request.client.link,
                   fmt::format("server '{}', {}", space::member_name(member_.servers, rank, member_.size),
                               to_string(request.client.link->peer())));
    auto version = put_one(nullptr, *base::text_field(request.body, "space"), *put);
    if (!version) {
        elsewhere_.forget(store::space::place_of(put->ref));
    }
    return version;
}

Reception::Answer Reception::free_elsewhere(const Request& request) {
    const auto store = base::integer_field(request.body, "store", 0, UINT32_MAX);
    const auto at = base::integer_field(request.body, "at", 0, INT64_MAX);
    auto& kept = request.client.kept;
    const auto place = store && at ? store::space::BlockPlace(static_cast<std::uint32_t>(*store), *at)
                                   : store::space::BlockPlace(store::space::lost_store, 0);
    if (auto known = kept_.extract(place)) {
        free(known.mapped());
        return std::nullopt;
    }
    const auto found = kept.find(place);
    if (found != kept.end()) {
        const Kept block = std::move(found->second);
        kept.erase(found);
        if (const auto twin = block.twin ? kept.find(*block.twin) : kept.end(); twin != kept.end()) {
            twin->second.twin = std::nullopt;
            twin->second.since = base::Clock::now();  // if it was not the one to go, others come first
        }
        free(block.ref);
        return std::nullopt;
    }
    // By the rules of what is kept a version may go with its last block.
    for (auto& [ticket, sent] : sent_) {
        const bool is_it = store && at && sent.ref.store == *store && sent.ref.offset == *at;
        sent.is_free = sent.is_free || (is_it && sent.home == request.client.link.get());
    }
    return std::nullopt;
}

/// It is gone, or cannot be reached: nobody has any use for the blocks of its versions that lie here, and its blocks
/// are lost. If it comes back, no store that it has heard of is written to again: it would take new blocks for those.
void Reception::forget_server(Client& server) {
    const transport::Link* const link = server.link.get();
    elsewhere_.lose(link);
    bool had_blocks = !server.kept.empty();
    for (auto next = sent_.begin(); next != sent_.end();) {
        const auto sent = next++;
        if (sent->second.home == link) {
            had_blocks = true;
            settle(sent, base::fail(ErrorCode::peer_lost,
                                    "{} is gone, or cannot be reached from server '{}': whether a "
                                    "block was put is not known",
                                    to_string(link->peer()), server_));
        }
    }
    for (const auto& [place, block] : std::exchange(server.kept, {})) {
        free(block.ref);
    }
    if (had_blocks && followers_ == nullptr) {  // else they are whoever's goes on
        for (auto& [key, client] : clients_) {
            begin_new_store(client);
        }
    }
}

void Reception::begin_new_store(Client& client) {
    if (client.own == nullptr) {
        return;
    }
    stores_.abandon(std::exchange(client.own, nullptr)->store());
}

}  // namespace staithe::server
