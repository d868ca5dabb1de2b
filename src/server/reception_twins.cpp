// Large blocks, which lie with two servers that go on for each other: the one to which a block is put, and that with
// its twin, which the leader of its name claims first.
#include <algorithm>
#include <utility>

#include "base/fields.hpp"
#include "server/reception.hpp"
#include "space/served/messages.hpp"
#include "space/served/messages_many.hpp"

namespace staithe::server {

using store::space::BlockPlace;
using store::space::Put;
namespace type = space::request;

Reception::Answer Reception::put_room_with_twin(const Request& request, Put put, std::int64_t room) {
    request.client.far_rooms.erase(room);
    request.client.reserved.erase(room);
    const store::BlockRef ref = put.ref;
    put_with_twin(*base::text_field(request.body, "space"), std::move(put), request.client.link.get(),
                  [this, link = request.client.link, id = request.id, ref](const base::Result<Outcome>& outcome) {
                      if (!outcome || outcome->again) {
                          free(ref);
                      }
                      const auto safe = outcome ? outcome->safe : base::fail(outcome);
                      answer(
                          link, id,
                          safe ? base::Result<Reply>(Reply{{{"version", outcome->version}, {"again", outcome->again}}})
                               : base::fail(safe));
                  });
    return std::nullopt;
}

void Reception::put_elsewhere_with_twin(const Request& request, std::int64_t ticket) {
    const auto told = [link = request.client.link, ticket](const base::Result<Outcome>& outcome) {
        const auto safe = outcome ? outcome->safe : base::fail(outcome);
        const base::Result<std::int64_t> version[] = {safe ? base::Result<std::int64_t>(outcome->version)
                                                           : base::fail(safe)};
        static_cast<void>(link->notify({{"service", space::server_service},
                                        {"type", type::was_put},
                                        {"ticket", ticket},
                                        {"again", outcome && outcome->again},
                                        {"kept", outcome && !outcome->again},
                                        {"versions", space::encode(version)}}));
    };
    const auto leads = is_of_fellow(request.client)
                           ? check_lead(type::put_elsewhere, request.body)
                           : base::fail(ErrorCode::peer_lost, "the server with the block is gone");
    auto put = leads ? put_from_elsewhere(request) : base::fail(leads);
    if (put) {
        put_with_twin(*base::text_field(request.body, "space"), *std::move(put), nullptr, told);
    } else {
        told(base::fail(put));
    }
}

/// The block is this server's, and so is its twin from now on, if it is still there.
void Reception::put_with_twin(const std::string& space, Put put, const transport::Link* by, Told told) {
    const auto twin = put.twin;
    const std::int64_t bytes = put.block.data_bytes();
    const int holder = rank_of(put.ref.store);
    const auto process_of = [this](int rank) {
        const auto fellow = fellows_.find(rank);
        return fellow == fellows_.end() ? "" : fellow->second.incarnation;
    };
    const auto then = [this, space, put = std::move(put), by, told = std::move(told), holder, process_of,
                       process = process_of(holder)](bool has_twin) {
        Put both = put;
        both.twin = has_twin ? put.twin : std::nullopt;
        if (process_of(holder) == process) {
            put_both(space, std::move(both), by, told);
        } else if (has_twin) {  // it has gone meanwhile
            std::tie(both.ref.store, both.ref.offset) = *std::exchange(both.twin, std::nullopt);
            put_both(space, std::move(both), by, told);
        } else {
            told(base::fail(ErrorCode::peer_lost, "the server with the block is gone"));
        }
    };
    if (!twin) {
        then(false);
        return;
    }
    const int rank = rank_of(twin->first);
    if (rank == member_.rank) {
        then(take_claimed(*twin, bytes));
        return;
    }
    const auto& link = fellows_[rank].link;
    if (link == nullptr || !link->is_open()) {
        then(false);
        return;
    }
    claims_.emplace(++last_claim_, Claiming{rank, then});
    static_cast<void>(link->notify({{"service", space::server_service},
                                    {"type", type::claim},
                                    {"ticket", last_claim_},
                                    {"store", twin->first},
                                    {"at", twin->second},
                                    {"bytes", bytes}}));
}

void Reception::put_both(const std::string& space, Put put, const transport::Link* by, const Told& told) {
    const BlockPlace place = store::space::place_of(put.ref);
    const auto give_up_twin = [&] {
        if (put.twin) {
            free({.store = put.twin->first, .offset = put.twin->second, .bytes = put.ref.bytes});
        }
    };
    if (const auto before = answers_.find(put.id)) {
        const bool is_the_same = before->place == place;
        if (!is_the_same) {
            give_up_twin();
        }
        told(Outcome{before->version, !is_the_same});
        return;
    }
    const auto version = put_one(by, space, put);
    if (!version) {
        give_up_twin();
        told(base::fail(version));
        return;
    }
    answers_.add(put.id, {*version, place});
    looks_for_singles_ = looks_for_singles_ || !put.twin;
    const auto kept = catalog(space).at(put.block.variable, *version);
    const auto done = [told, number = *version](const base::Result<>& safe) { told(Outcome{number, false, safe}); };
    if (kept != nullptr) {
        followers_->put(space, put, *kept, {}, {});
    }
    answer_waiting(space, put.block.variable);
    // Called without the mutex, which the answer needs.
    followers_->flush([reception = weak_from_this(), done](const base::Result<>& safe) {
        if (const auto self = reception.lock()) {
            const std::lock_guard lock(self->mutex_);
            done(safe);
        }
    });
}

bool Reception::take_claimed(const BlockPlace& place, std::int64_t bytes) {
    if (kept_.contains(place)) {  // it was claimed by one that is gone
        return true;
    }
    for (auto& [link, client] : clients_) {
        const auto room = std::ranges::find_if(client.reserved, [&](const auto& each) {
            return store::space::place_of(each.second) == place && each.second.bytes == bytes;
        });
        if (room != client.reserved.end() && is_filled(client, room->first)) {
            kept_.emplace(place, room->second);
            client.far_rooms.erase(room->first);
            client.reserved.erase(room);
            return true;
        }
    }
    return false;
}

Reception::Answer Reception::claim(const Request& request) {
    const auto ticket = base::integer_field(request.body, "ticket", 1, INT64_MAX);
    const auto store = base::integer_field(request.body, "store", 0, UINT32_MAX);
    const auto at = base::integer_field(request.body, "at", 0, INT64_MAX);
    const auto bytes = base::integer_field(request.body, "bytes", 0, INT64_MAX);
    const bool has_it = request.client.fellow && store && at && bytes &&
                        take_claimed({static_cast<std::uint32_t>(*store), *at}, *bytes);
    static_cast<void>(request.client.link->notify({{"service", space::server_service},
                                                   {"type", type::claimed},
                                                   {"ticket", ticket.value_or(0)},
                                                   {"there", has_it}}));
    return std::nullopt;
}

Reception::Answer Reception::claimed(const Request& request) {
    const auto claiming = claims_.find(base::integer_field(request.body, "ticket", 1, INT64_MAX).value_or(0));
    if (claiming != claims_.end() && fellows_[claiming->second.rank].link == request.client.link) {
        const auto then = std::move(claiming->second.then);
        claims_.erase(claiming);
        then(base::flag_field(request.body, "there"));
    }
    return std::nullopt;
}

}  // namespace staithe::server
