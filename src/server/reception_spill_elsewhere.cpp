// Spaces that several servers keep together: blocks that lie here, of versions that another server knows of, go to disk
// as well. Who holds such a version, that one alone knows: it is offered a copy, and says which of the two may go.
#include <algorithm>
#include <utility>

#include "base/fields.hpp"
#include "server/reception.hpp"
#include "space/served/messages.hpp"

namespace staithe::server {

using store::space::BlockPlace;
using store::space::place_of;

/// Of those in memory the ones that came first. Gives the mutex away meanwhile.
void Reception::offer_copies(std::int64_t bytes, std::unique_lock<std::mutex>& lock) {
    struct Offer {
        base::Clock::time_point since;
        transport::Link* home;
        store::BlockRef ref;
    };
    std::vector<Offer> offers;
    for (const auto& [home, client] : clients_) {
        for (const auto& [place, kept] : client.kept) {
            if (!kept.twin && stores_.is_in_memory(kept.ref)) {
                offers.push_back({kept.since, home, kept.ref});
            }
        }
    }
    std::ranges::sort(offers, {}, &Offer::since);
    std::vector<Copy> copies;
    for (std::size_t i = 0; i < offers.size() && bytes > 0; ++i) {
        copies.push_back(begin_copying(offers[i].ref));
        bytes -= offers[i].ref.bytes;
    }
    lock.unlock();
    const auto copied = copy_to_disk(copies);
    lock.lock();
    for (std::size_t i = 0; i < copies.size(); ++i) {
        if (copies[i].to) {
            offer(offers[i].home, copies[i].from, *copies[i].to);
        }
        end_copying(copies[i].from);
    }
    why_not_spilled_ = copied ? "" : copied.error().message;
}

void Reception::offer(transport::Link* home, const store::BlockRef& from, const store::BlockRef& to) {
    const auto client = clients_.find(home);
    const auto kept =
        client == clients_.end() ? decltype(client->second.kept)::iterator() : client->second.kept.find(place_of(from));
    if (client == clients_.end() || kept == client->second.kept.end()) {  // it has gone meanwhile
        stores_.free(to);
        return;
    }
    Kept copy = kept->second;
    copy.ref = to;
    copy.twin = place_of(from);
    kept->second.twin = place_of(to);
    static_cast<void>(client->second.link->notify({{"service", space::server_service},
                                                   {"type", space::request::copied},
                                                   {"space", copy.space},
                                                   {"variable", copy.variable},
                                                   {"version", copy.version},
                                                   {"store", from.store},
                                                   {"at", from.offset},
                                                   {"copy store", to.store},
                                                   {"copy at", to.offset}}));
    client->second.kept.emplace(place_of(to), std::move(copy));
}

/// Of the two the other server is told to let one go; if it could not have offered it, the copy.
Reception::Answer Reception::take_copied(const Request& request) {
    const auto space = base::text_field(request.body, "space");
    const auto variable = base::text_field(request.body, "variable");
    const auto version = base::integer_field(request.body, "version", INT64_MIN, INT64_MAX);
    const auto from_store = base::integer_field(request.body, "store", 0, UINT32_MAX);
    const auto from = base::integer_field(request.body, "at", 0, INT64_MAX);
    const auto to_store = base::integer_field(request.body, "copy store", 0, UINT32_MAX);
    const auto to = base::integer_field(request.body, "copy at", 0, INT64_MAX);
    if (!space || !variable || !version || !from_store || !from || !to_store || !to) {
        return base::fail(ErrorCode::protocol, "server '{}' was told of a copy that it does not understand", server_);
    }
    const BlockPlace before(static_cast<std::uint32_t>(*from_store), *from);
    const BlockPlace copy(static_cast<std::uint32_t>(*to_store), *to);
    const auto& link = request.client.link;
    const auto catalog = spaces_.find(*space);
    const bool is_there = catalog != spaces_.end() && *from_store % member_.size == *to_store % member_.size &&
                          elsewhere_.add_beside(copy, before, *link);
    if (!is_there) {
        Elsewhere::tell_free(*link, copy);
        return std::nullopt;
    }
    const bool has_moved = catalog->second->move(*variable, *version, std::nullopt, {{before, copy}}) > 0;
    elsewhere_.free(has_moved ? before : copy);
    return std::nullopt;
}

}  // namespace staithe::server
