#include "store/reading_source.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "transform/parallel.hpp"

namespace staithe::store {
namespace {

/// At most so many bytes are read at once, of which at least one in `dilution` is wanted, or else few.
constexpr std::int64_t most_at_once = std::int64_t{4} << 20;
constexpr std::int64_t few = std::int64_t{64} << 10;
constexpr std::int64_t dilution = 8;

/// Of what is fetched at once, before several threads do it.
constexpr std::int64_t worth_a_thread = std::int64_t{1} << 20;

/// What is read for a piece: from its first to its last element.
struct Stretch {
    Box part;                // of the block
    std::int64_t first = 0;  // byte of the block
    std::int64_t bytes = 0;
    std::int64_t wanted = 0;  // of them
};

Stretch stretch_of(const array::Overlap& overlap, const ArrayView& block) {
    Stretch stretch{bounding_box(overlap.source), 0, size_of(block.dtype), size_of(block.dtype)};
    for (std::size_t i = 0; i < block.dimensions(); ++i) {
        stretch.first += stretch.part.offset[i] * block.strides[i];
        stretch.bytes += (stretch.part.count[i] - 1) * block.strides[i];
        stretch.wanted *= overlap.source[i].count;
    }
    return stretch;
}

/// Halves the piece along the dimension in which its elements lie farthest apart.
std::pair<Piece, Piece> halves(const Piece& piece, const Extents& strides) {
    std::size_t along = 0;
    for (std::size_t i = 0; i < strides.size(); ++i) {
        const bool can_be_cut = piece.overlap.source[i].count > 1;
        if (can_be_cut && (piece.overlap.source[along].count == 1 || strides[i] > strides[along])) {
            along = i;
        }
    }
    std::pair<Piece, Piece> both{piece, piece};
    const std::int64_t half = piece.overlap.source[along].count / 2;
    array::Overlap& one = both.first.overlap;
    array::Overlap& other = both.second.overlap;
    one.source[along].count = one.destination.count[along] = half;
    other.source[along].count = other.destination.count[along] -= half;
    other.source[along].start += half * other.source[along].step;
    other.destination.offset[along] += half;
    return both;
}

}  // namespace

std::int64_t ReadingSource::work_for(const BlockRef& /*ref*/, const Piece& piece) const {
    return size_in_bytes(piece.overlap.destination.count, piece.description->dtype).value_or(0);
}

base::Failure ReadingSource::unread(const BlockRef& ref, const Piece& piece, const base::Failure& why) {
    const BlockDescription& block = *piece.description;
    return why.code == ErrorCode::protocol
               ? unusable(ref, block, why.message)
               : base::Failure{why.code, fmt::format("'{}': {}", block.variable, why.message)};
}

base::Result<> ReadingSource::fetch_piece(const BlockRef& ref, const Piece& piece,
                                          const MutableArrayView& destination) {
    ArrayView block = piece.description->view(nullptr);
    const Stretch stretch = stretch_of(piece.overlap, block);
    if (stretch.wanted == 0) {
        return {};
    }
    const auto read_to = [&](std::byte* memory) {
        return read(ref, stretch.first, std::span(memory, static_cast<std::size_t>(stretch.bytes)))
            .map_error([&](const base::Failure& failure) { return unread(ref, piece, failure); });
    };
    const MutableArrayView to = slice(destination, Selection(piece.overlap.destination));
    block.shape = stretch.part.count;
    const bool lie_alike = (is_row_major(to) && is_row_major(block)) || (is_column_major(to) && is_column_major(block));
    if (stretch.bytes == stretch.wanted && to.dtype == block.dtype && lie_alike && as_box(piece.overlap.source)) {
        return read_to(static_cast<std::byte*>(to.data));
    }
    const bool sparse = stretch.bytes / dilution > stretch.wanted;
    if (stretch.bytes > most_at_once || (stretch.bytes > few && sparse)) {
        const auto [one, other] = halves(piece, block.strides);
        auto fetched = fetch_piece(ref, one, destination);
        return fetched ? fetch_piece(ref, other, destination) : fetched;
    }
    const auto memory = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(stretch.bytes));
    if (auto read = read_to(memory.get()); !read) {
        return read;
    }
    block.data = memory.get();
    array::copy(array::within(piece.overlap, stretch.part), destination, block);
    return {};
}

base::Result<> ReadingSource::fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                    const MutableArrayView& destination) {
    std::vector<const Piece*> all;
    std::int64_t bytes = 0;
    for (const Piece& piece : pieces) {
        all.push_back(&piece);
        bytes += work_for(refs[piece.block], piece);
    }
    const int threads = bytes >= worth_a_thread ? threads_ : 1;
    return transform::for_each(all, threads, nullptr, [&](const Piece* piece, transform::Scratch&) {
        const BlockRef& ref = refs[piece->block];
        auto fetched = check(ref, *piece->description, Encoding::raw);
        return fetched ? fetch_piece(ref, *piece, destination) : std::move(fetched);
    });
}

}  // namespace staithe::store
