#include "store/block_source.hpp"

#include "store/reducing/reduce_blocks.hpp"

namespace staithe::store {

base::Result<std::optional<ArrayView>> BlockSource::view(const BlockRef& /*ref*/, const BlockDescription& /*block*/) {
    return std::nullopt;
}

base::Result<> BlockSource::fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                  const MutableArrayView& destination) {
    for (const Piece& piece : pieces) {
        const BlockRef& ref = refs[piece.block];
        const auto data = view(ref, *piece.description);
        if (!data) {
            return base::fail(data);
        }
        if (!*data) {
            return tl::unexpected(unusable(ref, *piece.description, "its source neither shows nor fetches it"));
        }
        array::copy(piece.overlap, destination, **data);
    }
    return {};
}

base::Result<> BlockSource::reduce(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                   reducing::Reduction& into) {
    return reducing::reduce_blocks(*this, refs, pieces, into);
}

}  // namespace staithe::store
