// Room for blocks: had at once, or waited for. Large memory is made in a thread of its own, since its pages are
// cleared.
#include <algorithm>
#include <utility>
#include <vector>

#include <staithe/limits.hpp>

#include "base/config.hpp"
#include "base/fields.hpp"
#include "base/text.hpp"
#include "server/reception.hpp"

namespace staithe::server {

// What catalogs give back at the end is wanted by nobody.
/// Blocks go with the memory that they lie in; those that lie with others are whoever's goes on.
Reception::~Reception() {
    is_ending_ = true;
    wishes_.clear();
}

Reception::Answer Reception::reserve(const Request& request) {
    const auto catalog = catalog_of(request);
    const auto put = catalog ? put_of(request) : base::fail(catalog);
    const auto allowed = put ? can_persist(*put) : base::fail(put);
    const auto checked = allowed ? (*catalog)->check(*put) : base::fail(allowed);
    const bool was_put = allowed && answers_.find(put->id);  // then its version may be complete by that very block
    if (!checked && !was_put) {
        return base::fail(checked);
    }
    const auto ticket = base::integer_field(request.body, "ticket", 1, INT64_MAX);
    Client& client = request.client;
    if (!ticket || client.reserved.contains(*ticket)) {
        return base::fail(ErrorCode::protocol, "a room was reserved without a ticket of its own");
    }
    Wish wish{client.link,
              request.id,
              *ticket,
              put->block.variable,
              put->block.data_bytes(),
              base::flag_field(request.body, "now")};
    if (wish.bytes <= memory::Pool::small_limit) {
        const auto own = own_store(client);
        if (const auto room = own ? (*own)->allocate(wish.bytes) : base::fail(own)) {
            return granted(client, wish, room);
        }
    }
    if (client.own != nullptr && wishes_.empty()) {  // as for each version but the first ones
        if (const auto room = client.own->allocate_free(wish.bytes)) {
            return granted(client, wish, *room);
        }
    }
    const std::int64_t most = limits().memory.value_or(INT64_MAX);
    if (wish.bytes > most) {  // whatever goes
        return base::fail(ErrorCode::limit_reached,
                          "server '{}' has no room for {} bytes of '{}': it may hold {} (`staithe serve --memory`)",
                          server_, wish.bytes, base::printable(wish.variable), base::format_bytes(most));
    }
    wishes_.emplace(++last_wish_, std::move(wish));
    grant_later();
    return std::nullopt;
}

base::Result<std::shared_ptr<space::PoolBlocks>> Reception::own_store(Client& client) {
    if (client.own == nullptr) {
        auto made = stores_.make("server-" + server_);
        if (!made) {
            return made;
        }
        client.own = *std::move(made);
        client.stores.insert(client.own->store());
    }
    return client.own;
}

base::Result<Reception::Reply> Reception::granted(Client& client, const Wish& wish,
                                                  const base::Result<store::BlockRef>& room) {
    if (!room && wish.now && room.error().code == ErrorCode::limit_reached) {
        return base::fail(ErrorCode::limit_reached, "{}", why_no_room(wish.bytes, wish.variable));
    }
    if (!room) {
        return base::fail(room.error().code, "server '{}' has no room for {} bytes of '{}': {}", server_, wish.bytes,
                          base::printable(wish.variable), room.error().message);
    }
    if (!client.reserved.emplace(wish.ticket, *room).second) {  // two wishes with one ticket: nobody could give it back
        free(*room);
        return base::fail(ErrorCode::protocol, "two rooms were reserved with one ticket");
    }
    return Reply{{{"store", room->store}, {"at", room->offset}, {"load", held_bytes()}}};
}

void Reception::grant_later() {
    grants_again_ = true;
    if (is_granting_) {
        return;
    }
    const auto added = errands_.add([reception = weak_from_this()] {
        if (const auto self = reception.lock()) {
            self->grant_rooms();
        }
    });
    is_granting_ = bool(added);
    for (auto wish = wishes_.begin(); !added && wish != wishes_.end(); wish = wishes_.erase(wish)) {
        reply(*wish->second.link, wish->second.id, base::fail(added));
    }
}

/// In the errands' thread. Whoever finds no room does not hold up those after it: what these put may free some.
void Reception::grant_rooms() {
    std::unique_lock lock(mutex_);
    while (std::exchange(grants_again_, false)) {
        for (auto next = wishes_.begin(); next != wishes_.end();) {
            const std::int64_t number = next->first;
            const auto room = make_room(number, lock);
            const auto found = wishes_.find(number);
            if (found == wishes_.end()) {  // it was given up meanwhile
                if (room) {
                    free(*room);
                }
            } else if (room && stores_.find(room->store) == nullptr) {  // its client has a new one
                grants_again_ = true;
            } else if (room || room.error().code != ErrorCode::limit_reached ||
                       (found->second.now && !merging_.give_way())) {
                const Wish wish = std::move(found->second);
                wishes_.erase(found);
                reply(*wish.link, wish.id, granted(clients_.at(wish.link.get()), wish, room));
            }
            next = wishes_.upper_bound(number);
        }
    }
    is_granting_ = false;
}

/// For a wish. Gives the mutex away while memory is made, and while blocks go to disk for it.
base::Result<store::BlockRef> Reception::make_room(std::int64_t number, std::unique_lock<std::mutex>& lock) {
    for (;;) {
        const auto wish = wishes_.find(number);
        if (wish == wishes_.end()) {
            return base::fail(ErrorCode::closed, "nobody wants it any more");
        }
        const std::int64_t bytes = wish->second.bytes;
        const auto own = own_store(clients_.at(wish->second.link.get()));
        auto room = own ? base::Result<store::BlockRef>() : base::fail(own);
        if (own) {
            lock.unlock();
            room = (*own)->allocate(bytes);
            lock.lock();
        }
        if (room || room.error().code != ErrorCode::limit_reached || merging_.give_way() ||
            !spill(std::max(bytes, memory::Pool::small_limit), lock)) {
            return room;
        }
    }
}

void Reception::free_when_safe(const store::BlockRef& ref) {
    if (followers_ == nullptr || !followers_->is_behind()) {
        free(ref);
        return;
    }
    followers_->once_followed([reception = weak_from_this(), ref](const base::Result<>&) {
        if (const auto self = reception.lock()) {
            const std::lock_guard lock(self->mutex_);
            self->free(ref);
        }
    });
}

void Reception::free(const store::BlockRef& ref) {
    if (is_ending_ || (followers_ != nullptr && is_freed_later(ref))) {
        return;
    }
    if (is_far_store(ref.store)) {
        const auto link = others_.link_to(rank_of(ref.store));
        if (link) {
            Elsewhere::tell_free(*link, store::space::place_of(ref));
        }
        return;
    }
    if (elsewhere_.free(store::space::place_of(ref))) {
        return;
    }
    kept_.erase(store::space::place_of(ref));
    if (const auto copied = copying_.find(store::space::place_of(ref)); copied != copying_.end()) {
        copied->second = true;
        return;
    }
    stores_.free(ref);
    if (!wishes_.empty()) {
        grant_later();
    }
}

/// Unless the one who goes on for another server may know of it.
void Reception::give_back(const store::BlockRef& ref) {
    if (in_doubt_.erase(store::space::place_of(ref)) > 0) {
        kept_.emplace(store::space::place_of(ref), ref);
    } else {
        free(ref);
    }
}

/// Who waits for it does so no longer, and is told why there was none.
Reception::Answer Reception::give_back(const Request& request) {
    const auto ticket = base::integer_field(request.body, "ticket", 1, INT64_MAX);
    if (!ticket) {
        return base::fail(ticket);
    }
    auto& reserved = request.client.reserved;
    if (const auto found = reserved.find(*ticket); found != reserved.end()) {
        const store::BlockRef ref = found->second;
        request.client.far_rooms.erase(*ticket);  // before others get that memory
        reserved.erase(found);
        give_back(ref);
        return Reply{};
    }
    if (const auto found = request.client.reserved_many.find(*ticket); found != request.client.reserved_many.end()) {
        const std::vector<store::BlockRef> rooms = std::move(found->second);
        request.client.reserved_many.erase(found);
        std::ranges::for_each(rooms, [this](const store::BlockRef& ref) { free(ref); });
        return Reply{};
    }
    const auto wish = std::ranges::find_if(wishes_, [&](const auto& each) {
        return each.second.link == request.client.link && each.second.ticket == *ticket;
    });
    if (wish == wishes_.end()) {
        return Reply{};
    }
    std::string why = why_no_room(wish->second.bytes, wish->second.variable);
    wishes_.erase(wish);
    return Reply{{{"why", std::move(why)}}};
}

std::string Reception::what_it_holds() const {
    struct Use {
        store::space::Catalog::Usage of;
        std::string_view space;
    };
    std::vector<Use> uses;
    for (const auto& [space, catalog] : spaces_) {
        catalog->visit_usage([&](const auto& usage) { uses.push_back({usage, space}); });
    }
    constexpr std::size_t most_shown = 3;
    const auto shown = static_cast<std::ptrdiff_t>(std::min(most_shown, uses.size()));
    std::ranges::partial_sort(uses, uses.begin() + shown, std::ranges::greater(),
                              [](const Use& use) { return use.of.bytes; });
    std::string by;
    for (const Use& use : std::span(uses).first(static_cast<std::size_t>(shown))) {
        by += fmt::format("{}{} in {} version{} of '{}' in space '{}'", by.empty() ? ": " : ", ",
                          base::format_bytes(use.of.bytes), use.of.versions, use.of.versions == 1 ? "" : "s",
                          base::printable(use.of.variable), use.space);
    }
    const auto most = limits().memory;
    std::string disk;
    if (stores_.has_disk()) {
        disk = fmt::format(", and {} on disk{}", base::format_bytes(stores_.spilled()),
                           why_not_spilled_.empty() ? ", and the rest is held or being put"
                                                    : fmt::format(", which takes no more: {}", why_not_spilled_));
    }
    return fmt::format("it holds {}{}{}{}", base::format_bytes(stores_.capacity()),
                       most ? fmt::format(" of the {} that it may", base::format_bytes(*most)) : "", by, disk);
}

std::string Reception::why_no_room(std::int64_t bytes, const std::string& variable) const {
    return fmt::format(
        "server '{}' has no room for {} bytes of '{}'; {}. Remove versions, keep fewer of them (Space.keep), let go of "
        "arrays of removed ones, or start the server with more memory{}",
        server_, bytes, base::printable(variable), what_it_holds(),
        stores_.has_disk() ? "" : ", or a folder for what nobody has used for long (--spill)");
}

}  // namespace staithe::server
