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

/// They go back to the others when nobody writes them any more.
std::shared_ptr<ChunkBytes::Buffers> ChunkBytes::buffers() const {
    return {new Buffers(spares_->take()), [spares = spares_](Buffers* last) {
                const std::unique_ptr<Buffers> owned(last);
                spares->give(std::move(*owned));
            }};
}

/// In C order, rounded: where they lie, if that is how they are to be stored.
std::span<const std::byte> ChunkBytes::gather(std::vector<std::byte>& gathered, const Box& box, const ArrayNode& node,
                                              const ArrayToStore& array) {
    const Dtype dtype = node.info.dtype;
    const bool is_rounded = node.packing == Packing::blosc && array.round;
    const auto bytes = static_cast<std::size_t>(size_in_bytes(box.count, dtype).value_or(0));
    const Selection wanted(box);
    const ArrayPart* const whole = only_part(box, array.parts);
    const ArrayView in_place =
        whole == nullptr ? ArrayView() : slice(whole->elements, array::overlap(whole->box, wanted)->source);
    const bool is_dense = whole != nullptr && is_row_major(in_place);
    if (is_dense && !is_rounded) {
        return {static_cast<const std::byte*>(in_place.data), bytes};
    }
    gathered.resize(bytes);
    const auto destination = MutableArrayView::row_major(gathered.data(), dtype, box.count);
    const std::span<const ArrayPart> to_copy = is_dense ? std::span<const ArrayPart>() : array.parts;
    for (const ArrayPart& part : to_copy) {
        if (const auto common = array::overlap(part.box, wanted)) {
            array::copy(*common, destination, part.elements);
        }
    }
    if (is_rounded) {
        array.round(destination, is_dense ? in_place : destination);
    }
    return gathered;
}

base::Result<BytesToStore> ChunkBytes::bytes_of_chunk(const Box& box, const ArrayNode& node,
                                                      const ArrayToStore& array) const {
    const std::shared_ptr<Buffers> own = buffers();
    std::vector<std::byte>& gathered = own->gathered;
    std::span<const std::byte> elements = gather(gathered, box, node, array);
    if (node.packing == Packing::none) {
        return elements.data() == gathered.data() ? BytesToStore{elements, own} : BytesToStore{elements, array.keeps};
    }
    const auto bytes = static_cast<std::size_t>(bytes_of(node.grid, node.info.dtype));
    if (elements.size() < bytes) {  // what lies beyond the array: zeros
        if (elements.data() != gathered.data()) {
            gathered.assign(elements.begin(), elements.end());
        }
        gathered.resize(bytes);
        elements = gathered;
    }
    auto packed = pack(ArrayView::row_major(elements.data(), node.info.dtype, node.grid.count), array, own->packed);
    return packed ? base::Result<BytesToStore>({*packed, own}) : base::fail(std::move(packed));
}

base::Result<> ChunkBytes::store_all(std::span<const Box> boxes, const ArrayNode& node, const ArrayToStore& array,
                                     Store store) {
    // What is not compressed is only copied, or not even that.
    const int threads = node.packing == Packing::none ? 1 : transform::background_threads;
    const auto make = [&](std::size_t number, transform::Scratch&) {
        return bytes_of_chunk(boxes[number], node, array);
    };
    const auto take = [&](std::size_t number, const BytesToStore& chunk) { return store(number, chunk); };
    constexpr std::size_t most_ahead = transform::background_threads;
    return transform::for_each_in_order<BytesToStore>(boxes.size(), threads, most_ahead, nullptr, make, take);
}

}  // namespace staithe::format
