// Several stores as one source: hands on by the number of the store.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/function_ref.hpp"
#include "store/block_source.hpp"

namespace staithe::store {

/// Fetches pieces from the sources of their blocks, those of one source together: it may ask all owners at once.
base::Result<> fetch_by_source(
    std::span<const BlockRef> refs, std::span<const Piece> pieces, const MutableArrayView& destination,
    base::FunctionRef<base::Result<BlockSource*>(const BlockRef& ref, const BlockDescription& block)> source_of);

class StoreSet final : public BlockSource {
  public:
    enum class Numbers {
        of_stores,   // each is of the store whose number is its place
        of_servers,  // each is of all stores of a server: of n, the one at place r has r, n + r, 2 n + r…
    };
    /// By their numbers. One that is not there is nullptr.
    explicit StoreSet(std::vector<std::shared_ptr<BlockSource>> stores, Numbers numbers = Numbers::of_stores)
        : stores_(std::move(stores)), numbers_(numbers) {}

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

    /// nullptr: there is none.
    [[nodiscard]] BlockSource* find(const BlockRef& ref) const {
        const std::size_t place = numbers_ == Numbers::of_servers ? ref.store % stores_.size() : ref.store;
        return place < stores_.size() ? stores_[place].get() : nullptr;
    }

    const std::vector<std::shared_ptr<BlockSource>> stores_;
    const Numbers numbers_;
};

}  // namespace staithe::store
