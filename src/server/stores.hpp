// The memory of a server that blocks lie in, a pool of each client, and its disk for those that memory has no room for.
//
// Of several servers that keep spaces together no two have a store of the same number: the one of rank r has r, n + r,
// 2 n + r… Under the reception's mutex, but for what is said.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "space/member_name.hpp"
#include "space/pool_blocks.hpp"
#include "transport/peer_pool.hpp"

namespace staithe::server {

/// By which others know the stores of this process from those of another one in its place.
[[nodiscard]] std::uint32_t begin_of_stores();
/// Whether a process with that begin has made it, among so many servers.
[[nodiscard]] bool is_made_from(std::uint32_t begin, std::uint32_t store, int servers);

class Stores {
  public:
    explicit Stores(const space::Member& member)
        : member_(member),
          title_(fmt::format("server '{}'", space::member_name(member.servers, member.rank, member.size))) {}
    /// In memory. One stays as long as its client, or a block in it.
    base::Result<std::shared_ptr<space::PoolBlocks>> make(const std::string& name);
    void free(const store::BlockRef& ref);
    /// Its client is gone.
    void abandon(std::uint32_t store);
    [[nodiscard]] std::shared_ptr<space::PoolBlocks> find(std::uint32_t store) const;
    using InMemory = std::map<std::uint32_t, std::shared_ptr<space::PoolBlocks>>;
    /// By their numbers: all but the disk.
    [[nodiscard]] InMemory in_memory() const;
    /// As those of other hosts read from it; nothing if there is none.
    std::optional<transport::PeerPool> for_peers(std::uint32_t store);
    /// Of memory, used or not.
    [[nodiscard]] std::int64_t capacity() const;
    /// What blocks take of it.
    [[nodiscard]] std::int64_t used() const { return *used_; }

    /// Blocks may lie in a file without a name in that folder, too: that many bytes at most, if it is said. Once,
    /// first.
    base::Result<> add_disk(const std::string& folder, std::optional<std::int64_t> most);
    [[nodiscard]] bool has_disk() const { return disk_ != nullptr; }
    /// Room there for a block. `limit_reached` if it is full. By any thread.
    base::Result<store::BlockRef> allocate_on_disk(std::int64_t bytes);
    /// A block that room was had for there, and its checksums. By any thread.
    void write_to_disk(const store::BlockRef& ref, const std::byte* bytes);
    [[nodiscard]] bool is_on_disk(const store::BlockRef& ref) const {
        return disk_ != nullptr && ref.store == disk_->store();
    }
    [[nodiscard]] std::byte* address_on_disk(const store::BlockRef& ref) const { return disk_->address_of(ref); }
    [[nodiscard]] bool is_in_memory(const store::BlockRef& ref) const {
        return stores_.contains(ref.store) && !is_on_disk(ref);
    }
    /// What blocks take of the disk, and what they may.
    [[nodiscard]] std::int64_t spilled() const { return *used_on_disk_; }
    [[nodiscard]] std::optional<std::int64_t> most_spilled() const { return most_on_disk_; }

  private:
    struct Store {
        std::shared_ptr<space::PoolBlocks> blocks;
        bool is_abandoned = false;
        std::optional<transport::PeerPool> for_peers = std::nullopt;  // once somebody of another host reads from it
    };
    void drop_if_unused(std::uint32_t store);

    [[nodiscard]] std::uint32_t next_number() const;

    const space::Member member_;
    const std::string title_;
    const space::PoolBlocks::Total used_ = std::make_shared<std::atomic<std::int64_t>>(0);
    const space::PoolBlocks::Total used_on_disk_ = std::make_shared<std::atomic<std::int64_t>>(0);
    std::map<std::uint32_t, Store> stores_;
    std::shared_ptr<space::PoolBlocks> disk_;  // nullptr: there is none
    std::optional<std::int64_t> most_on_disk_;
};

}  // namespace staithe::server
