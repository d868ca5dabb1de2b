#include "store/reducing/reduce_blocks.hpp"

#include <memory>

#include "store/space/slabs.hpp"

namespace staithe::store::reducing {
namespace {

/// That of its elements which go to the slab, to be fetched into an array of its shape.
Piece piece_for(const Piece& piece, const Box& slab) {
    Box of_piece = slab;
    for (std::size_t i = 0; i < slab.dimensions(); ++i) {
        of_piece.offset[i] -= piece.overlap.destination.offset[i];
    }
    return {piece.block, piece.description, {Box::whole(slab.count), space::part_of(piece.overlap.source, of_piece)}};
}

}  // namespace

base::Result<> reduce_blocks(BlockSource& source, std::span<const BlockRef> refs, std::span<const Piece> pieces,
                             Reduction& into) {
    std::unique_ptr<std::byte[]> fetched;
    for (const Piece& piece : pieces) {
        const auto shown = source.view(refs[piece.block], *piece.description);
        if (!shown) {
            return base::fail(shown);
        }
        if (*shown) {
            into.add(piece.overlap.destination, slice(**shown, piece.overlap.source));
            continue;
        }
        const Dtype dtype = piece.description->dtype;
        if (fetched == nullptr) {
            fetched = std::make_unique_for_overwrite<std::byte[]>(
                static_cast<std::size_t>(space::most_in_slab * size_of(Dtype::c256)));
        }
        for (const Box& slab : space::slabs_of(piece.overlap.destination)) {
            const Piece part = piece_for(piece, slab);
            const auto to = MutableArrayView::row_major(fetched.get(), dtype, slab.count);
            if (auto done = source.fetch(refs, {&part, 1}, to); !done) {
                return done;
            }
            into.add(slab, to);
        }
    }
    return {};
}

}  // namespace staithe::store::reducing
