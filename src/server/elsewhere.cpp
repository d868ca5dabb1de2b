#include "server/elsewhere.hpp"

#include "space/served/messages.hpp"

namespace staithe::server {

using store::space::BlockPlace;

void Elsewhere::add(const store::BlockRef& ref, const std::shared_ptr<transport::Link>& server,
                    const std::string& title) {
    Store& store = stores_[ref.store];
    store.server = server;
    store.title = title;
    ++store.blocks;
}

bool Elsewhere::add_beside(const BlockPlace& copy, const BlockPlace& before, const transport::Link& server) {
    const auto known = stores_.find(before.first);
    const auto there = stores_.find(copy.first);
    const auto is_its = [&](const auto& store) { return store->second.server.get() == &server; };
    if (known == stores_.end() || !is_its(known) || (there != stores_.end() && !is_its(there))) {
        return false;
    }
    const Store of = known->second;
    add({.store = copy.first, .offset = copy.second}, of.server, of.title);
    return true;
}

bool Elsewhere::free(const BlockPlace& place) {
    const auto found = stores_.find(place.first);
    if (found == stores_.end()) {
        return false;
    }
    if (const auto& server = found->second.server) {
        tell_free(*server, place);
    }
    forget(place);
    return true;
}

void Elsewhere::tell_free(transport::Link& server, const BlockPlace& place) {
    static_cast<void>(server.notify({{"service", space::server_service},
                                     {"type", space::request::free_elsewhere},
                                     {"store", place.first},
                                     {"at", place.second}}));
}

void Elsewhere::forget(const BlockPlace& place) {
    const auto found = stores_.find(place.first);
    if (--found->second.blocks == 0) {
        stores_.erase(found);
    }
}

void Elsewhere::lose(const transport::Link* server) {
    for (auto& [number, store] : stores_) {
        if (store.server.get() == server) {
            store.server = nullptr;
        }
    }
}

std::optional<std::string> Elsewhere::loss_of(const store::BlockRef& ref) const {
    const auto found = stores_.find(ref.store);
    return found == stores_.end() || found->second.server ? std::nullopt : std::optional(found->second.title);
}

}  // namespace staithe::server
