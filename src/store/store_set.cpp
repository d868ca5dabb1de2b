#include "store/store_set.hpp"

#include <algorithm>
#include <iterator>

namespace staithe::store {

base::Result<BlockSource*> StoreSet::store_of(const BlockRef& ref, const BlockDescription& block) const {
    BlockSource* const source = find(ref);
    return source != nullptr ? base::Result<BlockSource*>(source)
                             : tl::unexpected(unusable(ref, block, fmt::format("there are {} stores", stores_.size())));
}

void StoreSet::expect(std::span<const BlockRef> refs) {
    for (std::size_t i = 0; i < refs.size(); ++i) {
        if (BlockSource* const source = find(refs[i])) {
            source->expect(refs.subspan(i, 1));
        }
    }
}

base::Result<std::optional<ArrayView>> StoreSet::view(const BlockRef& ref, const BlockDescription& block) {
    const auto source = store_of(ref, block);
    return source ? (*source)->view(ref, block) : base::fail(source);
}

void StoreSet::stop() {
    for (const auto& store : stores_) {
        if (store) {
            store->stop();
        }
    }
}

std::unique_ptr<Order> StoreSet::order(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                       const MutableArrayView& destination) {
    BlockSource* source = nullptr;
    for (const Piece& piece : pieces) {
        const auto store = store_of(refs[piece.block], *piece.description);
        if (!store || (source != nullptr && source != *store)) {
            return nullptr;
        }
        source = *store;
    }
    return source == nullptr ? nullptr : source->order(refs, pieces, destination);
}

base::Seconds StoreSet::delay() const {
    base::Seconds longest(0);
    for (const auto& store : stores_) {
        longest = std::max(longest, store ? store->delay() : longest);
    }
    return longest;
}

base::Result<> StoreSet::fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                               const MutableArrayView& destination) {
    // Stores of one source are fetched together: it may ask all owners at once.
    std::vector<BlockSource*> sources;
    for (const Piece& piece : pieces) {
        const auto store = store_of(refs[piece.block], *piece.description);
        if (!store) {
            return base::fail(store);
        }
        if (std::ranges::find(sources, *store) == sources.end()) {
            sources.push_back(*store);
        }
    }
    if (sources.size() == 1) {
        return sources.front()->fetch(refs, pieces, destination);
    }
    for (BlockSource* const source : sources) {
        std::vector<Piece> of_source;
        std::ranges::copy_if(pieces, std::back_inserter(of_source),
                             [&](const Piece& piece) { return find(refs[piece.block]) == source; });
        if (auto fetched = source->fetch(refs, of_source, destination); !fetched) {
            return fetched;
        }
    }
    return {};
}

}  // namespace staithe::store
