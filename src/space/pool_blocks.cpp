#include "space/pool_blocks.hpp"

#include <algorithm>

namespace staithe::space {

base::Result<store::BlockRef> PoolBlocks::allocate(std::int64_t bytes) {
    const auto allocation = pool_->allocate(std::max<std::int64_t>(bytes, 1));
    return allocation ? base::Result<store::BlockRef>(add(*allocation, bytes)) : base::fail(allocation);
}

std::optional<store::BlockRef> PoolBlocks::allocate_free(std::int64_t bytes) {
    const auto allocation = pool_->allocate_free(std::max<std::int64_t>(bytes, 1));
    return allocation ? std::optional(add(*allocation, bytes)) : std::nullopt;
}

store::BlockRef PoolBlocks::add(const memory::Allocation& allocation, std::int64_t bytes) {
    *total_ += allocation.bytes;
    const std::lock_guard lock(mutex_);
    blocks_.emplace(allocation.offset, allocation);
    return {.store = store_, .offset = allocation.offset, .bytes = bytes};
}

std::byte* PoolBlocks::address_of(const store::BlockRef& ref) const {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(ref.offset);
    return ref.store != store_ || found == blocks_.end() || found->second.bytes < ref.bytes ? nullptr
                                                                                            : found->second.data;
}

void PoolBlocks::free(const store::BlockRef& ref) {
    memory::Allocation allocation;
    {
        const std::lock_guard lock(mutex_);
        const auto found = blocks_.find(ref.offset);
        if (found == blocks_.end()) {
            return;
        }
        allocation = found->second;
        blocks_.erase(found);
    }
    *total_ -= allocation.bytes;
    pool_->free(allocation);
}

bool PoolBlocks::is_empty() const {
    const std::lock_guard lock(mutex_);
    return blocks_.empty();
}

base::Result<std::optional<ArrayView>> PoolBlocks::view(const store::BlockRef& ref,
                                                        const store::BlockDescription& block) {
    if (auto checked = store::check(ref, block, store::Encoding::raw); !checked) {
        return base::fail(std::move(checked));
    }
    const std::byte* const bytes = address_of(ref);
    if (bytes == nullptr) {
        return tl::unexpected(store::unusable(ref, block, "no such block is kept"));
    }
    return block.view(bytes);
}

}  // namespace staithe::space
