#include "server/elsewhere.hpp"

#include "space/served/messages.hpp"

namespace staithe::server {

void Elsewhere::add(const store::BlockRef& ref, const std::shared_ptr<transport::Link>& server,
                    const std::string& title) {
    Store& store = stores_[ref.store];
    store.server = server;
    store.title = title;
    ++store.blocks;
}

bool Elsewhere::free(const store::BlockRef& ref) {
    const auto found = stores_.find(ref.store);
    if (found == stores_.end()) {
        return false;
    }
    if (const auto& server = found->second.server) {
        static_cast<void>(server->notify({{"service", space::server_service},
                                          {"type", space::request::free_elsewhere},
                                          {"store", ref.store},
                                          {"at", ref.offset}}));
    }
    forget(ref);
    return true;
}

void Elsewhere::forget(const store::BlockRef& ref) {
    const auto found = stores_.find(ref.store);
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
