// Blocks in a pool of this process, found by their offset: memory for those to come, views of those that are there.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "memory/pool.hpp"
#include "space/keeper.hpp"
#include "store/block_source.hpp"

namespace staithe::space {

class PoolBlocks final : public store::BlockSource {
  public:
    /// What blocks take is added to `total`, together with those of others.
    using Total = std::shared_ptr<std::atomic<std::int64_t>>;
    PoolBlocks(std::shared_ptr<memory::Pool> pool, std::uint32_t store,
               Total total = std::make_shared<std::atomic<std::int64_t>>(0))
        : pool_(std::move(pool)), store_(store), total_(std::move(total)) {}

    base::Result<store::BlockRef> allocate(std::int64_t bytes);
    /// The same in memory that is there already; nothing if there is none.
    std::optional<store::BlockRef> allocate_free(std::int64_t bytes);
    /// Nothing if there is no such block.
    [[nodiscard]] std::byte* address_of(const store::BlockRef& ref) const;
    void free(const store::BlockRef& ref);
    [[nodiscard]] bool is_empty() const;
    /// What is kept to be used again goes back to the system.
    void give_back_all() { pool_->give_back(pool_->capacity()); }
    void give_back_small() { pool_->give_back_small(); }

    base::Result<std::optional<ArrayView>> view(const store::BlockRef& ref,
                                                const store::BlockDescription& block) override;

    [[nodiscard]] const memory::Pool& pool() const { return *pool_; }
    [[nodiscard]] std::uint32_t store() const { return store_; }

  private:
    store::BlockRef add(const memory::Allocation& allocation, std::int64_t bytes);

    const std::shared_ptr<memory::Pool> pool_;
    const std::uint32_t store_;
    const Total total_;
    mutable std::mutex mutex_;
    std::unordered_map<std::int64_t, memory::Allocation> blocks_;  // by offset
};

}  // namespace staithe::space
