#include "store/store_set.hpp"

#include <algorithm>

namespace staithe::store {

base::Result<BlockSource*> StoreSet::store_of(const BlockRef& ref, const BlockDescription& block) const {
    if (ref.store >= stores_.size()) {
        return tl::unexpected(unusable(ref, block, fmt::format("there are {} stores", stores_.size())));
    }
    return stores_[ref.store].get();
}

void StoreSet::expect(std::span<const BlockRef> refs) {
    for (std::size_t i = 0; i < refs.size(); ++i) {
        if (refs[i].store < stores_.size()) {
            stores_[refs[i].store]->expect(refs.subspan(i, 1));
        }
    }
}

base::Result<std::optional<ArrayView>> StoreSet::view(const BlockRef& ref, const BlockDescription& block) {
    if (ref.store < stores_.size()) {
        return stores_[ref.store]->view(ref, block);
    }
    return base::fail(store_of(ref, block));
}

base::Result<> StoreSet::fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                               const MutableArrayView& destination) {
    while (!pieces.empty()) {
        const BlockRef& first = refs[pieces.front().block];
        const auto store = store_of(first, *pieces.front().description);
        if (!store) {
            return base::fail(store);
        }
        // Stores of one source are fetched together: it may ask all owners at once.
        const auto others = std::find_if(pieces.begin(), pieces.end(), [&](const Piece& piece) {
            const std::uint32_t number = refs[piece.block].store;
            return number >= stores_.size() || stores_[number].get() != *store;
        });
        const auto of_this_store = static_cast<std::size_t>(others - pieces.begin());
        if (auto fetched = (*store)->fetch(refs, pieces.first(of_this_store), destination); !fetched) {
            return fetched;
        }
        pieces = pieces.subspan(of_this_store);
    }
    return {};
}

}  // namespace staithe::store
