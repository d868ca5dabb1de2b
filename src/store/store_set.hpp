// Several stores as one source: hands on by the number of the store.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/function_ref.hpp"
#include "store/block_source.hpp"

namespace staithe::store {

/// Calls `get` for the sources of the pieces' blocks, with all of one source together: it may ask all owners at once.
base::Result<> by_source(
    std::span<const BlockRef> refs, std::span<const Piece> pieces,
    base::FunctionRef<base::Result<BlockSource*>(const BlockRef& ref, const BlockDescription& block)> source_of,
    base::FunctionRef<base::Result<>(BlockSource& source, std::span<const Piece> of_it)> get);

class StoreSet final : public BlockSource {
  public:
    enum class Numbers {
        of_stores,   // each is of the store whose number is its place
        of_servers,  // each is of all stores of a server: of n, the one at place r has r, n + r, 2 n + r…
    };
    /// By their numbers. One that is not there is nullptr. Others may be added until there are `most`.
    explicit StoreSet(std::vector<std::shared_ptr<BlockSource>> stores, Numbers numbers = Numbers::of_stores,
                      std::size_t most = 0);

    /// How many there are.
    [[nodiscard]] std::size_t size() const { return count_.load(std::memory_order_acquire); }
    /// Has the next number. False if there is no room for it. One thread at a time adds; others use the set meanwhile.
    bool add(std::shared_ptr<BlockSource> store);

    void expect(std::span<const BlockRef> refs) override;
    base::Result<std::optional<ArrayView>> view(const BlockRef& ref, const BlockDescription& block) override;
    base::Result<> fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                         const MutableArrayView& destination) override;
    base::Result<> reduce(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                          reducing::Reduction& into) override;
    Evaluator* evaluator(const BlockRef& ref) override;
    std::unique_ptr<Order> order(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                 const MutableArrayView& destination) override;
    [[nodiscard]] base::Seconds delay() const override;
    void stop() override;

  private:
    [[nodiscard]] base::Result<BlockSource*> store_of(const BlockRef& ref, const BlockDescription& block) const;

    /// nullptr: there is none.
    [[nodiscard]] BlockSource* find(const BlockRef& ref) const {
        const auto there = stores();
        const std::size_t place = numbers_ == Numbers::of_servers ? ref.store % there.size() : ref.store;
        return place < there.size() ? there[place].get() : nullptr;
    }
    [[nodiscard]] std::span<const std::shared_ptr<BlockSource>> stores() const { return {stores_.data(), size()}; }

    std::vector<std::shared_ptr<BlockSource>> stores_;  // has room for all, so that those who look at it need no lock
    std::atomic<std::size_t> count_;                    // that they may look at
    const Numbers numbers_;
    const std::size_t most_;
};

}  // namespace staithe::store
