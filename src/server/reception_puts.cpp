// Blocks that are put, one at a time.
#include <cstring>
#include <utility>

#include "base/fields.hpp"
#include "server/reception.hpp"
#include "space/served/messages.hpp"

namespace staithe::server {

using store::space::Put;
using store::space::Version;

base::Result<Put> Reception::put_of(const Request& request) const {
    auto put = space::decode_put(request.body);
    if (put) {
        put->by.name = name_of(put->by, to_string(request.client.link->peer()));
    }
    if (put && followers_ == nullptr) {
        put->twin = std::nullopt;
        put->id = {};
    }
    return put;
}

std::string Reception::name_of(const store::space::Putter& by, const std::string& process) {
    return by.ranks > 1 ? fmt::format("rank {}, {}", by.rank, process) : process;
}

base::Result<std::int64_t> Reception::put_one(const transport::Link* by, const std::string& space, const Put& put) {
    auto allowed = can_persist(put);
    if (allowed && !put.locks.empty()) {  // as rarely
        allowed =
            locks_.check(by, put.locks, store::space::lock_name(space, put.block.variable), put.block.box, time_.now());
    }
    return allowed ? catalog(space).put(put, base::Clock::now()) : base::fail(allowed);
}

Reception::Answer Reception::put(const Request& request) {
    const auto catalog = catalog_of(request);
    auto put = catalog ? put_of(request) : base::fail(catalog);
    if (!put) {
        return base::fail(std::move(put));
    }
    const bool is_for_home = request.body.contains("home");
    if (const auto before = is_for_home ? std::nullopt : answers_.find(put->id)) {
        return Reply{{{"version", before->version}, {"again", true}}};
    }
    if (!request.body.contains("ticket")) {
        return put_enclosed(request, *std::move(put));
    }
    auto& reserved = request.client.reserved;
    const auto room = reserved.find(base::integer_field(request.body, "ticket", 1, INT64_MAX).value_or(0));
    if (room == reserved.end() || room->second.bytes != put->block.data_bytes()) {
        return base::fail(ErrorCode::protocol, "a block of '{}' was put where no room was reserved for it",
                          put->block.variable);
    }
    if (!is_filled(request.client, room->first)) {
        return base::fail(ErrorCode::protocol, "a block of '{}' was put before all of it was sent",
                          put->block.variable);
    }
    put->ref = room->second;
    if (const auto home = base::integer_field(request.body, "home", 0, INT32_MAX)) {
        return put_for_home(request, *std::move(put), room->first, static_cast<int>(*home));
    }
    const std::int64_t ticket = room->first;
    if (put->twin) {
        return put_room_with_twin(request, *std::move(put), ticket);
    }
    return put_into(request, *put, [&] {
        request.client.far_rooms.erase(ticket);
        reserved.erase(ticket);
    });
}

/// Its bytes came with it. Where there is no room nothing is put, and who asks waits for some.
Reception::Answer Reception::put_enclosed(const Request& request, Put put) {
    const std::int64_t bytes = put.block.data_bytes();
    if (bytes > space::most_enclosed || std::cmp_not_equal(bytes, request.enclosed.size())) {
        return base::fail(ErrorCode::protocol, "a block of '{}' was put without its bytes", put.block.variable);
    }
    const auto own = own_store(request.client);
    const auto room = own ? (*own)->allocate(bytes) : base::fail(own);
    if (!room) {
        return room.error().code == ErrorCode::limit_reached ? Answer(Reply{{{"no room", true}}}) : base::fail(room);
    }
    put.ref = *room;
    std::memcpy((*own)->address_of(*room), request.enclosed.data(), request.enclosed.size());
    bool is_put = false;
    auto answer = put_into(request, put, [&is_put] { is_put = true; });
    if (!is_put) {
        free(put.ref);
    }
    return answer;
}

/// Where its bytes lie. `then`: it is the catalog's from now on.
Reception::Answer Reception::put_into(const Request& request, const Put& put, const std::function<void()>& then) {
    const std::string space = *base::text_field(request.body, "space");
    const auto version = put_one(request.client.link.get(), space, put);
    if (!version) {
        return base::fail(version);
    }
    then();
    answers_.add(put.id, {*version, store::space::place_of(put.ref)});
    looks_for_singles_ = looks_for_singles_ || put.ref.bytes > memory::Pool::small_limit;
    Answer answer = Reply{{{"version", *version}, {"load", held_bytes()}}};
    auto kept = safe_ != nullptr && safe_->keeps(put) ? catalog(space).at(put.block.variable, *version) : nullptr;
    if (kept != nullptr) {  // or it has gone at once, by the rules of what is kept
        const Version& whole = *kept;
        persist(request.client, space, put, whole,
                when_safe(request, [body = (*answer)->body] { return Reply{body}; }, {std::move(kept)}));
        answer = std::nullopt;
    }
    answer_waiting(space, put.block.variable);  // now, since nobody is to see what a follower was not told
    return answer;
}

}  // namespace staithe::server
