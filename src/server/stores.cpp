#include "server/stores.hpp"

#include <random>

#include "base/config.hpp"
#include "memory/sources.hpp"
#include "os/shared_memory.hpp"
#include "store/checked_file.hpp"
#include "store/pool_source.hpp"

namespace staithe::server {
namespace {

/// Of each of the servers.
std::uint32_t numbers_of_each(int servers) { return UINT32_MAX / static_cast<std::uint32_t>(servers); }

/// No process makes as many: 260,000 if they are 256, each of which makes one a program and one a merge. Where by
/// chance the next in its place begins among these, its blocks are taken for lost, and their twins serve.
std::uint32_t most_of_a_process(int servers) { return numbers_of_each(servers) / 64; }

}  // namespace

/// Programs know stores longer than a server lives: those of one that is started in its place have other numbers.
std::uint32_t begin_of_stores() {
    static const std::uint32_t begin = std::random_device()();
    return begin;
}

bool is_made_from(std::uint32_t begin, std::uint32_t store, int servers) {
    const std::uint32_t most = numbers_of_each(servers);
    const std::uint32_t place = store / static_cast<std::uint32_t>(servers);
    return (std::uint64_t{place} + most - begin % most) % most < most_of_a_process(servers);
}

std::uint32_t Stores::next_number() const {
    static std::atomic<std::uint32_t> next{0};
    const std::uint32_t most = numbers_of_each(member_.size);
    const auto place = static_cast<std::uint32_t>((std::uint64_t{begin_of_stores() % most} + next++) % most);
    return place * static_cast<std::uint32_t>(member_.size) + static_cast<std::uint32_t>(member_.rank);
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

Stores::InMemory Stores::in_memory() const {
    InMemory stores;
    for (const auto& [number, store] : stores_) {
        if (store.blocks != disk_) {
            stores.emplace(number, store.blocks);
        }
    }
    return stores;
}

std::optional<transport::PeerPool> Stores::for_peers(std::uint32_t store) {
    const auto found = stores_.find(store);
    if (found == stores_.end()) {
        return std::nullopt;
    }
    auto& pool = found->second.for_peers;
    if (!pool) {
        auto file = os::duplicate_read_only(found->second.blocks->pool().file());
        auto opened = file ? store::open_checked_pool(*std::move(file), title_, os::Populate::no) : base::fail(file);
        pool = opened ? std::optional(*std::move(opened)) : std::nullopt;
    }
    return pool;
}

std::int64_t Stores::capacity() const {
    std::int64_t bytes = 0;
    for (const auto& [number, store] : stores_) {
        bytes += store.blocks == disk_ ? 0 : store.blocks->pool().capacity();
    }
    return bytes;
}

base::Result<> Stores::add_disk(const std::string& folder, std::optional<std::int64_t> most) {
    auto pool = memory::open_pool("spilled blocks", memory::on_disk, folder);
    if (!pool) {
        return base::fail(std::move(pool));
    }
    disk_ = std::make_shared<space::PoolBlocks>(*std::move(pool), next_number(), used_on_disk_);
    stores_.emplace(disk_->store(), Store{.blocks = disk_});
    most_on_disk_ = most;
    return {};
}

base::Result<store::BlockRef> Stores::allocate_on_disk(std::int64_t bytes) {
    const std::int64_t size = store::size_with_checksums(bytes);
    if (most_on_disk_ && *used_on_disk_ + size > *most_on_disk_) {
        return base::fail(ErrorCode::limit_reached, "{} of the {} that may lie on disk do so already",
                          base::format_bytes(*used_on_disk_), base::format_bytes(*most_on_disk_));
    }
    if (most_on_disk_ && disk_->pool().capacity() + size > *most_on_disk_) {
        disk_->give_back_all();  // what is free, but of other sizes
    }
    auto room = disk_->allocate(size);
    if (room) {
        room->bytes = bytes;
    }
    return room;
}

void Stores::write_to_disk(const store::BlockRef& ref, const std::byte* bytes) {
    store::write_with_checksums(disk_->address_of(ref), ref, bytes);
}

}  // namespace staithe::server
