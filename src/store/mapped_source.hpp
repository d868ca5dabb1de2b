// Blocks in the pool of another process of this node: shown where they lie.
#pragma once

#include <memory>
#include <utility>

#include "store/block_source.hpp"
#include "transport/mapped_pool.hpp"

namespace staithe::store {

class MappedSource final : public BlockSource {
  public:
    explicit MappedSource(std::shared_ptr<transport::MappedPool> pool) : pool_(std::move(pool)) {}

    void expect(std::span<const BlockRef> refs) override;
    base::Result<std::optional<ArrayView>> view(const BlockRef& ref, const BlockDescription& block) override;

  private:
    const std::shared_ptr<transport::MappedPool> pool_;
};

}  // namespace staithe::store
