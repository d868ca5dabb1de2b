// A program that has spaces of a server open: what it has been given, and what it holds and waits for.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "server/far_blocks.hpp"
#include "server/far_room.hpp"
#include "space/member_name.hpp"
#include "space/pool_blocks.hpp"
#include "transport/link.hpp"
#include "transport/mapped_pool.hpp"

namespace staithe::server {

struct Client {
    std::shared_ptr<transport::Link> link;
    std::shared_ptr<transport::Link::CloseHandler> closing;              // of the link
    std::set<std::string> spaces;                                        // that it has opened; none if it only looks
    std::shared_ptr<space::PoolBlocks> own;                              // to which it alone writes; null until it puts
    std::set<std::uint32_t> stores;                                      // all that it has ever had of its own
    std::map<std::int64_t, store::BlockRef> reserved;                    // by ticket: to be put yet
    std::map<std::int64_t, std::vector<store::BlockRef>> reserved_many;  // the same, several under one
    std::map<std::int64_t, std::unique_ptr<FarRoom>> far_rooms;  // of these, by ticket, while another host fills them
    std::map<std::string, std::shared_ptr<void>> awaited;        // connections of another host, by purpose
    FarClient far;
    std::map<std::int64_t, std::shared_ptr<const void>> held;  // by ticket: pins of what it has found
    /// By store and offset: blocks that lie here, of versions that this program knows of, which is a server.
    std::map<std::pair<std::uint32_t, std::int64_t>, store::BlockRef> kept;
};

/// The pools of all clients, by their numbers. One stays as long as its client, or a block in it. Of several servers
/// that keep spaces together no two have a store of the same number: the one of rank r has r, n + r, 2 n + r…
class Stores {
  public:
    explicit Stores(const space::Member& member) : member_(member) {}
    base::Result<std::shared_ptr<space::PoolBlocks>> make(const std::string& name);
    void free(const store::BlockRef& ref);
    /// Its client is gone.
    void abandon(std::uint32_t store);
    [[nodiscard]] std::shared_ptr<space::PoolBlocks> find(std::uint32_t store) const;
    /// As those of other hosts read from it; nullptr if there is none.
    std::shared_ptr<transport::MappedPool> mapped(std::uint32_t store);
    /// Of memory, used or not.
    [[nodiscard]] std::int64_t capacity() const;
    /// What blocks take of it.
    [[nodiscard]] std::int64_t used() const { return *used_; }

  private:
    struct Store {
        std::shared_ptr<space::PoolBlocks> blocks;
        bool is_abandoned = false;
        std::shared_ptr<transport::MappedPool> mapped = nullptr;  // once somebody of another host reads from it
    };
    void drop_if_unused(std::uint32_t store);

    [[nodiscard]] std::uint32_t next_number() const;

    const space::Member member_;
    const space::PoolBlocks::Total used_ = std::make_shared<std::atomic<std::int64_t>>(0);
    std::map<std::uint32_t, Store> stores_;
};

}  // namespace staithe::server
