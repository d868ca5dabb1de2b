#include "server/client.hpp"

#include <random>

#include "memory/sources.hpp"
#include "os/shared_memory.hpp"

namespace staithe::server {

/// Programs know stores longer than a server lives: those of one that is started in its place have other numbers.
std::uint32_t Stores::next_number() const {
    static std::atomic<std::uint32_t> next{std::random_device()()};
    const auto size = static_cast<std::uint32_t>(member_.size);
    return next++ % (UINT32_MAX / size) * size + static_cast<std::uint32_t>(member_.rank);
}

base::Result<std::shared_ptr<space::PoolBlocks>> Stores::make(const std::string& name) {
    auto pool = memory::open_pool(name);
    if (!pool) {
        return base::fail(std::move(pool));
    }
    const std::uint32_t number = next_number();
    auto blocks = std::make_shared<space::PoolBlocks>(*std::move(pool), number, used_);
    stores_.emplace(number, Store{.blocks = blocks});
    return blocks;
}

void Stores::free(const store::BlockRef& ref) {
    if (const auto blocks = find(ref.store)) {
        blocks->free(ref);
        drop_if_unused(ref.store);
    }
}

void Stores::abandon(std::uint32_t store) {
    const auto found = stores_.find(store);
    if (found != stores_.end()) {
        found->second.is_abandoned = true;
        drop_if_unused(store);
    }
}

void Stores::drop_if_unused(std::uint32_t store) {
    const auto found = stores_.find(store);
    if (found->second.is_abandoned && found->second.blocks->is_empty()) {
        // Whoever has read from it may have it mapped for long: its pages go all the same, but for what is reserved.
        found->second.blocks->give_back_all();
        stores_.erase(found);
    }
}

std::shared_ptr<space::PoolBlocks> Stores::find(std::uint32_t store) const {
    const auto found = stores_.find(store);
    return found == stores_.end() ? nullptr : found->second.blocks;
}

std::shared_ptr<transport::MappedPool> Stores::mapped(std::uint32_t store) {
    const auto found = stores_.find(store);
    if (found == stores_.end()) {
        return nullptr;
    }
    auto& mapped = found->second.mapped;
    if (mapped == nullptr) {
        auto file = os::duplicate_read_only(found->second.blocks->pool().file());
        if (!file) {
            return nullptr;
        }
        mapped = std::make_shared<transport::MappedPool>(*std::move(file), os::Access::read_only, os::Populate::no);
    }
    return mapped;
}

std::int64_t Stores::capacity() const {
    std::int64_t bytes = 0;
    for (const auto& [number, store] : stores_) {
        bytes += store.blocks->pool().capacity();
    }
    return bytes;
}

}  // namespace staithe::server
