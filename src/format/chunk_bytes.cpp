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
std::span<const std::byte> ChunkBytes::gather(const Box& box, const ArrayNode& node, const ArrayToStore& array) {
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
    gathered_.resize(bytes);
    const auto destination = MutableArrayView::row_major(gathered_.data(), dtype, box.count);
    for (const ArrayPart& part : array.parts) {
        if (const auto common = array::overlap(part.box, wanted)) {
            array::copy(*common, destination, part.elements);
        }
    }
    if (is_rounded) {
        array.round(destination);
    }
    return gathered_;
}

base::Result<std::span<const std::byte>> ChunkBytes::of(const Box& box, const ArrayNode& node,
                                                        const ArrayToStore& array) {
    std::span<const std::byte> elements = gather(box, node, array);
    if (node.packing == Packing::none) {
        return elements;
    }
    const auto bytes = static_cast<std::size_t>(bytes_of(node.grid, node.info.dtype));
    if (elements.size() < bytes) {  // what lies beyond the array: zeros
        if (elements.data() != gathered_.data()) {
            gathered_.assign(elements.begin(), elements.end());
        }
        gathered_.resize(bytes);
        elements = gathered_;
    }
    const auto chunk = ArrayView::row_major(elements.data(), node.info.dtype, node.grid.count);
    if (auto packed = pack(chunk, array, packed_); !packed) {
        return base::fail(std::move(packed));
    }
    return packed_;
}

}  // namespace staithe::format
