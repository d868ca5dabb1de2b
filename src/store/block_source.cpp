#include "store/block_source.hpp"

#include "store/reducing/reduce_blocks.hpp"

namespace staithe::store {

base::Result<> fetch_by_box(const Piece& piece, const MutableArrayView& destination,
                            base::FunctionRef<base::Result<>(const Box& box, const MutableArrayView& elements)> fill) {
    const Dtype dtype = piece.description->dtype;
    const Box box = bounding_box(piece.overlap.source);
    if (is_empty(box)) {
        return {};
    }
    if (destination.dtype == dtype && as_box(piece.overlap.source)) {
        return fill(box, slice(destination, Selection(piece.overlap.destination)));
    }
    const auto bytes = static_cast<std::size_t>(size_in_bytes(box.count, dtype).value_or(0));
    const auto memory = std::make_unique_for_overwrite<std::byte[]>(bytes);
    const auto elements = MutableArrayView::row_major(memory.get(), dtype, box.count);
    auto filled = fill(box, elements);
    if (filled) {
        array::copy(array::within(piece.overlap, box), destination, elements);
    }
    return filled;
}

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
