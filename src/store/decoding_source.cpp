#include "store/decoding_source.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "store/parts.hpp"
#include "transform/coding.hpp"
#include "transform/helpers.hpp"

namespace staithe::store {
namespace {

bool is_encoded(const BlockRef& ref) { return ref.encoding != Encoding::raw; }

bool are_raw(std::span<const BlockRef> refs, std::span<const Piece> pieces) {
    return std::ranges::none_of(pieces, [&](const Piece& piece) { return is_encoded(refs[piece.block]); });
}

/// Elements are copied from where they are fetched to.
std::int64_t aligned(std::int64_t bytes) {
    constexpr std::int64_t alignment = 16;
    return (bytes + alignment - 1) / alignment * alignment;
}

/// The stored bytes of a block, as a block of bytes.
BlockDescription bytes_of(const BlockRef& ref, const BlockDescription& block) {
    BlockDescription bytes;
    bytes.variable = block.variable;
    bytes.shape = bytes.box.count = {ref.bytes};
    bytes.box.offset = {0};
    bytes.is_stored = true;
    return bytes;
}

}  // namespace

base::Result<> DecodingSource::decode(const BlockRef& ref, const Piece& piece, std::span<const std::byte> stored,
                                      const MutableArrayView& destination) const {
    const BlockDescription& block = *piece.description;
    auto decoded = ref.encoding == Encoding::parts
                       ? decode_parts(piece, stored, destination)
                       : fetch_by_box(piece, destination, [&](const Box& box, const auto& elements) {
                             return decode_payload(block, stored, block.box.count, box, elements);
                         });
    if (decoded) {
        return decoded;
    }
    const base::Failure& failure = decoded.error();
    return failure.code == ErrorCode::protocol ? tl::unexpected(unusable(ref, block, failure.message))
                                               : base::fail(failure.code, "'{}': {}", block.variable, failure.message);
}

/// A box of what a payload has, if it is one of elements of the block in that shape.
base::Result<> DecodingSource::decode_payload(const BlockDescription& block, std::span<const std::byte> payload,
                                              const Extents& shape, const Box& box,
                                              const MutableArrayView& elements) const {
    const auto holds = transform::inspect(payload);
    if (!holds) {
        return base::fail(holds);
    }
    if (holds->dtype != block.dtype || holds->shape != shape) {
        return base::fail(ErrorCode::protocol, "what is stored is {} {}", name_of(holds->dtype),
                          to_string(holds->shape));
    }
    if (auto checked = check_ ? check_(block, holds->bound) : base::Result<>(); !checked) {
        return checked;
    }
    return transform::decode(payload, elements, box, transform::background_threads);
}

base::Result<> DecodingSource::decode_parts(const Piece& piece, std::span<const std::byte> stored,
                                            const MutableArrayView& destination) const {
    const BlockDescription& block = *piece.description;
    const auto parts = read_parts(stored, block);
    if (!parts) {
        return base::fail(parts);
    }
    return fetch_by_box(piece, destination, [&](const Box& box, const MutableArrayView& elements) -> base::Result<> {
        const auto [wanted, to] = as_it_lies(block, box, elements);
        for (const Part& part : *parts) {
            const auto common = array::overlap(part.box, Selection(wanted));
            if (!common) {
                continue;
            }
            const auto bytes =
                stored.subspan(static_cast<std::size_t>(part.place), static_cast<std::size_t>(part.bytes));
            if (part.is_payload) {
                auto decoded = decode_payload(block, bytes, part.box.count, bounding_box(common->source),
                                              slice(to, Selection(common->destination)));
                if (!decoded) {
                    return decoded;
                }
            } else {
                array::copy(*common, to, ArrayView::row_major(bytes.data(), block.dtype, part.box.count));
            }
        }
        return {};
    });
}

base::Result<std::optional<ArrayView>> DecodingSource::view(const BlockRef& ref, const BlockDescription& block) {
    if (is_encoded(ref)) {
        return std::nullopt;
    }
    return stored_->view(ref, block);
}

base::Result<> DecodingSource::fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                     const MutableArrayView& destination) {
    while (!pieces.empty()) {
        const bool encoded = is_encoded(refs[pieces.front().block]);
        const auto others = std::find_if(pieces.begin(), pieces.end(),
                                         [&](const Piece& piece) { return is_encoded(refs[piece.block]) != encoded; });
        const auto alike = pieces.first(static_cast<std::size_t>(others - pieces.begin()));
        auto fetched = encoded ? fetch_encoded(refs, alike, destination) : stored_->fetch(refs, alike, destination);
        if (!fetched) {
            return fetched;
        }
        pieces = pieces.subspan(alike.size());
    }
    return {};
}

base::Result<> DecodingSource::reduce(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                      reducing::Reduction& into) {
    return are_raw(refs, pieces) ? stored_->reduce(refs, pieces, into) : BlockSource::reduce(refs, pieces, into);
}

std::unique_ptr<Order> DecodingSource::order(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                             const MutableArrayView& destination) {
    return are_raw(refs, pieces) ? stored_->order(refs, pieces, destination) : nullptr;
}

base::Result<> DecodingSource::fetch_encoded(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                             const MutableArrayView& destination) {
    std::vector<BlockRef> stored;
    std::vector<BlockDescription> descriptions;
    std::vector<std::int64_t> places;
    std::int64_t bytes = 0;
    for (const Piece& piece : pieces) {
        const BlockRef& ref = refs[piece.block];
        if (auto checked =
                check(ref, *piece.description, ref.encoding == Encoding::parts ? Encoding::parts : Encoding::payload);
            !checked) {
            return checked;
        }
        stored.push_back(ref);
        stored.back().encoding = Encoding::raw;
        descriptions.push_back(bytes_of(ref, *piece.description));
        places.push_back(bytes);
        bytes = aligned(bytes + ref.bytes);
    }
    // One after the other in one array of bytes, so that all are fetched at once.
    std::vector<Piece> whole;
    for (std::size_t i = 0; i < stored.size(); ++i) {
        const Extents count{stored[i].bytes};
        whole.push_back({i, &descriptions[i], {{{places[i]}, count}, Selection::all(count)}});
    }
    const auto memory = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
    auto fetched = stored_->fetch(stored, whole, MutableArrayView::row_major(memory.get(), Dtype::u8, {bytes}));
    for (std::size_t i = 0; fetched && i < pieces.size(); ++i) {
        const std::span bytes_of_block(memory.get() + places[i], static_cast<std::size_t>(stored[i].bytes));
        fetched = decode(refs[pieces[i].block], pieces[i], bytes_of_block, destination);
    }
    return fetched;
}

}  // namespace staithe::store
