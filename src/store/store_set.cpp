#include "store/store_set.hpp"

#include <algorithm>

namespace staithe::store {

StoreSet::StoreSet(std::vector<std::shared_ptr<BlockSource>> stores, Numbers numbers, std::size_t most)
    : stores_(std::move(stores)), count_(stores_.size()), numbers_(numbers), most_(most) {
    stores_.reserve(most);
}

bool StoreSet::add(std::shared_ptr<BlockSource> store) {
    if (stores_.size() >= most_) {
        return false;
    }
    stores_.push_back(std::move(store));
    count_.store(stores_.size(), std::memory_order_release);
    return true;
}

base::Result<BlockSource*> StoreSet::store_of(const BlockRef& ref, const BlockDescription& block) const {
    BlockSource* const source = find(ref);
    return source != nullptr ? base::Result<BlockSource*>(source)
                             : tl::unexpected(unusable(ref, block, fmt::format("there are {} stores", size())));
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
    for (const auto& store : stores()) {
        if (store) {
            store->stop();
        }
    }
}

Evaluator* StoreSet::evaluator(const BlockRef& ref) {
    BlockSource* const source = find(ref);
    return source == nullptr ? nullptr : source->evaluator(ref);
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
    for (const auto& store : stores()) {
        longest = std::max(longest, store ? store->delay() : longest);
    }
    return longest;
}

base::Result<> StoreSet::fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                               const MutableArrayView& destination) {
    return by_source(
        refs, pieces, [this](const BlockRef& ref, const BlockDescription& block) { return store_of(ref, block); },
        [&](BlockSource& source, std::span<const Piece> of_it) { return source.fetch(refs, of_it, destination); });
}

base::Result<> StoreSet::reduce(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                reducing::Reduction& into) {
    return by_source(
        refs, pieces, [this](const BlockRef& ref, const BlockDescription& block) { return store_of(ref, block); },
        [&](BlockSource& source, std::span<const Piece> of_it) { return source.reduce(refs, of_it, into); });
}

base::Result<> by_source(
    std::span<const BlockRef> refs, std::span<const Piece> pieces,
    base::FunctionRef<base::Result<BlockSource*>(const BlockRef& ref, const BlockDescription& block)> source_of,
    base::FunctionRef<base::Result<>(BlockSource& source, std::span<const Piece> of_it)> get) {
    std::vector<std::pair<BlockSource*, std::vector<Piece>>> sources;
    for (const Piece& piece : pieces) {
        const auto source = source_of(refs[piece.block], *piece.description);
        if (!source) {
            return base::fail(source);
        }
        auto of_it = std::ranges::find(sources, *source, &std::pair<BlockSource*, std::vector<Piece>>::first);
        if (of_it == sources.end()) {
            of_it = sources.insert(sources.end(), {*source, {}});
        }
        of_it->second.push_back(piece);
    }
    for (const auto& [source, of_it] : sources) {
        if (auto got = get(*source, of_it); !got) {
            return got;
        }
    }
    return {};
}

}  // namespace staithe::store
