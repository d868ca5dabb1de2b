#include "format/chunk_bytes.hpp"

#include <algorithm>
#include <utility>

#include "array/overlap.hpp"
#include "format/packing.hpp"

namespace staithe::format {
namespace {

/// The part that has all of it.
const ArrayPart* only_part(const Box& box, std::span<const ArrayPart> parts) {
    const auto found = std::ranges::find_if(parts, [&](const ArrayPart& part) { return contains(part.box, box); });
    return found == parts.end() ? nullptr : &*found;
}

}  // namespace

/// In C order, rounded: where they lie, if that is how they are to be stored.
std::span<const std::byte> ChunkBytes::gather(Chunk& chunk, const Box& box, const ArrayNode& node,
                                              const ArrayToStore& array) {
    const Dtype dtype = node.info.dtype;
    const bool is_rounded = node.packing == Packing::blosc && array.round;
    const auto bytes = static_cast<std::size_t>(size_in_bytes(box.count, dtype).value_or(0));
    const Selection wanted(box);
    const ArrayPart* const whole = only_part(box, array.parts);
    if (whole != nullptr && !is_rounded) {
        const ArrayView in_place = slice(whole->elements, array::overlap(whole->box, wanted)->source);
        if (is_row_major(in_place)) {
            return {static_cast<const std::byte*>(in_place.data), bytes};
        }
    }
    chunk.gathered.resize(bytes);
    const auto destination = MutableArrayView::row_major(chunk.gathered.data(), dtype, box.count);
    for (const ArrayPart& part : array.parts) {
        if (const auto common = array::overlap(part.box, wanted)) {
            array::copy(*common, destination, part.elements);
        }
    }
    if (is_rounded) {
        array.round(destination);
    }
    return chunk.gathered;
}

base::Result<> ChunkBytes::fill(Chunk& chunk, const Box& box, const ArrayNode& node, const ArrayToStore& array) {
    chunk.stored = gather(chunk, box, node, array);
    if (node.packing == Packing::none) {
        return {};
    }
    const auto bytes = static_cast<std::size_t>(bytes_of(node.grid, node.info.dtype));
    if (chunk.stored.size() < bytes) {  // what lies beyond the array: zeros
        if (chunk.stored.data() != chunk.gathered.data()) {
            chunk.gathered.assign(chunk.stored.begin(), chunk.stored.end());
        }
        chunk.gathered.resize(bytes);
        chunk.stored = chunk.gathered;
    }
    const auto elements = ArrayView::row_major(chunk.stored.data(), node.info.dtype, node.grid.count);
    auto packed = pack(elements, array, chunk.packed);
    chunk.stored = chunk.packed;
    return packed;
}

base::Result<> ChunkBytes::store_all(std::span<const Box> boxes, const ArrayNode& node, const ArrayToStore& array,
                                     Store store) {
    // What is not compressed is only copied, or not even that.
    const int threads = node.packing == Packing::none ? 1 : transform::background_threads;
    const auto make = [&](std::size_t number, transform::Scratch&) -> base::Result<Chunk> {
        Chunk chunk = spares_.take();
        auto filled = fill(chunk, boxes[number], node, array);
        return filled ? base::Result<Chunk>(std::move(chunk)) : base::fail(std::move(filled));
    };
    const auto take = [&](std::size_t number, Chunk chunk) {
        auto stored = store(number, chunk.stored);
        spares_.give(std::move(chunk));
        return stored;
    };
    constexpr std::size_t most_ahead = transform::background_threads;
    return transform::for_each_in_order<Chunk>(boxes.size(), threads, most_ahead, nullptr, make, take);
}

}  // namespace staithe::format
