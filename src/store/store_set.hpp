// The stores of a stream as one source: hands on by the number of the store.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "store/block_source.hpp"

namespace staithe::store {

class StoreSet final : public BlockSource {
  public:
    /// By their numbers.
    explicit StoreSet(std::vector<std::shared_ptr<BlockSource>> stores) : stores_(std::move(stores)) {}

    void expect(std::span<const BlockRef> refs) override;
    base::Result<std::optional<ArrayView>> view(const BlockRef& ref, const BlockDescription& block) override;
    base::Result<> fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                         const MutableArrayView& destination) override;
    std::unique_ptr<Order> order(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                 const MutableArrayView& destination) override;
    [[nodiscard]] base::Seconds delay() const override;
    void stop() override;

  private:
    [[nodiscard]] base::Result<BlockSource*> store_of(const BlockRef& ref, const BlockDescription& block) const;

    const std::vector<std::shared_ptr<BlockSource>> stores_;
};

}  // namespace staithe::store
