#include "store/decoding_source.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "transform/coding.hpp"
#include "transform/helpers.hpp"

namespace staithe::store {
namespace {

bool is_encoded(const BlockRef& ref) { return ref.encoding != Encoding::raw; }

bool are_raw(std::span<const BlockRef> refs, std::span<const Piece> pieces) {
    return std::ranges::none_of(pieces, [&](const Piece& piece) { return is_encoded(refs[piece.block]); });
}

/// The stored bytes of a block, as a block of bytes.
BlockDescription bytes_of(const BlockRef& ref, const BlockDescription& block) {
    BlockDescription bytes;
    bytes.variable = block.variable;
    bytes.shape = bytes.box.count = {ref.bytes};
    bytes.box.offset = {0};
    return bytes;
}

}  // namespace

base::Result<> DecodingSource::decode(const BlockRef& ref, const Piece& piece, std::span<const std::byte> payload,
                                      const MutableArrayView& destination) const {
    const BlockDescription& block = *piece.description;
    const auto explained = [&](const base::Failure& failure) {
        return failure.code == ErrorCode::protocol
                   ? tl::unexpected(unusable(ref, block, failure.message))
                   : base::fail(failure.code, "'{}': {}", block.variable, failure.message);
    };
    const auto holds = transform::inspect(payload);
    if (!holds) {
        return explained(holds.error());
    }
    if (holds->dtype != block.dtype || holds->shape != block.box.count) {
        return tl::unexpected(unusable(
            ref, block, fmt::format("what is stored is {} {}", name_of(holds->dtype), to_string(holds->shape))));
    }
    if (auto checked = check_ ? check_(block, holds->bound) : base::Result<>(); !checked) {
        return explained(checked.error());
    }
    auto decoded = fetch_by_box(piece, destination, [&](const Box& part, const MutableArrayView& elements) {
        return transform::decode(payload, elements, part, transform::background_threads);
    });
    return decoded ? std::move(decoded) : explained(decoded.error());
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
    std::int64_t bytes = 0;
    for (const Piece& piece : pieces) {
        const BlockRef& ref = refs[piece.block];
        if (auto checked = check(ref, *piece.description, Encoding::payload); !checked) {
            return checked;
        }
        stored.push_back(ref);
        stored.back().encoding = Encoding::raw;
        descriptions.push_back(bytes_of(ref, *piece.description));
        bytes += ref.bytes;
    }
    // One after the other in one array of bytes, so that all are fetched at once.
    std::vector<Piece> whole;
    std::int64_t place = 0;
    for (std::size_t i = 0; i < stored.size(); ++i) {
        const Extents count{stored[i].bytes};
        whole.push_back({i, &descriptions[i], {{{place}, count}, Selection::all(count)}});
        place += stored[i].bytes;
    }
    const auto memory = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
    auto fetched = stored_->fetch(stored, whole, MutableArrayView::row_major(memory.get(), Dtype::u8, {bytes}));
    for (std::size_t i = 0; fetched && i < pieces.size(); ++i) {
        const auto first = static_cast<std::size_t>(whole[i].overlap.destination.offset[0]);
        const std::span payload(memory.get() + first, static_cast<std::size_t>(stored[i].bytes));
        fetched = decode(refs[pieces[i].block], pieces[i], payload, destination);
    }
    return fetched;
}

}  // namespace staithe::store
