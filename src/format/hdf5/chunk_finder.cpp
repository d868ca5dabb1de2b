#include "format/hdf5/chunk_finder.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <utility>

#include "base/bytes.hpp"
#include "format/hdf5/chunk_arrays.hpp"
#include "format/hdf5/record_trees.hpp"

namespace staithe::format::hdf5 {
namespace {

using base::fail;

tl::unexpected<base::Failure> damaged_index(Address address) {
    return fail(ErrorCode::protocol, "the index of chunks at {} is damaged", address);
}

}  // namespace

ChunkFinder::ChunkFinder(const Image& image, const Dataset& dataset)
    : image_(image),
      layout_(dataset.layout),
      shape_(chunk_shape(dataset.node, dataset.steps.has_value())),
      bytes_(static_cast<std::uint64_t>(format::bytes_of(dataset.node.grid, dataset.node.info.dtype))),
      blocks_(image) {}

base::Result<std::optional<ChunkPlace>> ChunkFinder::find(const ChunkOffset& offset) {
    const auto found =
        layout_.address == nowhere ? base::Result<std::optional<ChunkPlace>>(std::nullopt) : look_up(offset);
    if (!found) {
        return fail(found.error().code, "has an index of chunks that cannot be read: {}", found.error().message);
    }
    if (!*found || (*found)->address == nowhere) {
        return std::nullopt;
    }
    ChunkPlace place = **found;
    const bool is_plain = layout_.are_edges_plain && reaches_beyond(offset);
    if (is_plain || place.bytes == 0) {
        place.bytes = bytes_;
    }
    if (is_plain) {
        place.left_out = UINT32_MAX;
    }
    return place;
}

base::Result<std::optional<ChunkPlace>> ChunkFinder::look_up(const ChunkOffset& offset) {
    if (layout_.index == IndexKind::old_tree) {
        return find_chunk(image_, layout_.address, shape_, offset);
    }
    if (layout_.index == IndexKind::tree) {
        return find_in_tree(offset);
    }
    const auto number = number_of(offset);
    if (!number) {
        return damaged_index(layout_.address);
    }
    if (layout_.index == IndexKind::fixed_array) {
        return find_in_fixed_array(blocks_, layout_.address, *number);
    }
    if (layout_.index == IndexKind::extensible_array) {
        return find_in_extensible_array(blocks_, layout_.address, *number);
    }
    // They lie one after the other, or there is one.
    const bool is_single = layout_.index == IndexKind::single;
    if (*number > (is_single ? 0 : (nowhere - layout_.address) / bytes_)) {
        return damaged_index(layout_.address);
    }
    return ChunkPlace{.address = layout_.address + *number * bytes_,
                      .bytes = is_single ? layout_.bytes : 0,
                      .left_out = layout_.left_out};
}

/// Its records end with the place of the chunk, in chunks, by which they are sorted.
base::Result<std::optional<ChunkPlace>> ChunkFinder::find_in_tree(const ChunkOffset& offset) {
    const std::size_t dimensions = shape_.lengths.size(), key_bytes = dimensions * sizeof(std::uint64_t);
    const auto tree = RecordTree::open(blocks_, layout_.address);
    if (!tree) {
        return fail(tree);
    }
    if (tree->record_bytes() <= key_bytes) {
        return damaged_index(layout_.address);
    }
    const std::size_t place_bytes = tree->record_bytes() - key_bytes;
    const auto record = tree->find([&](RecordTree::Record each) {
        base::ByteReader in(each.subspan(place_bytes));
        auto order = std::strong_ordering::equal;
        for (std::size_t axis = 0; axis < dimensions && order == std::strong_ordering::equal; ++axis) {
            order = in.number<std::uint64_t>() <=> offset[axis] / shape_.lengths[axis];
        }
        return order;
    });
    if (!record || !*record) {
        return record ? base::Result<std::optional<ChunkPlace>>(std::nullopt) : fail(record);
    }
    base::ByteReader in((*record)->first(place_bytes));
    const auto place = take_place(in, place_bytes);
    return place ? base::Result<std::optional<ChunkPlace>>(place) : damaged_index(layout_.address);
}

/// Of all chunks that there can ever be, along the last dimension first, and last along the one that has no limit, of
/// which an extensible array has one, and others none.
std::optional<std::uint64_t> ChunkFinder::number_of(const ChunkOffset& offset) const {
    const Shape& limits = layout_.space.most.empty() ? layout_.space.shape : layout_.space.most;
    const auto unlimited = std::ranges::find(limits, Dataspace::without_limit);
    const std::ptrdiff_t count = std::ranges::count(limits, Dataspace::without_limit);
    if (limits.size() != shape_.lengths.size() || count != (layout_.index == IndexKind::extensible_array ? 1 : 0)) {
        return std::nullopt;
    }
    const auto slowest = static_cast<std::size_t>(unlimited - limits.begin());
    std::uint64_t number = count == 0 ? 0 : offset[slowest] / shape_.lengths[slowest];
    for (std::size_t axis = 0; axis < limits.size(); ++axis) {
        if (axis == slowest) {
            continue;
        }
        const std::uint64_t length = shape_.lengths[axis], place = offset[axis] / length;
        const std::uint64_t chunks = limits[axis] / length + (limits[axis] % length == 0 ? 0 : 1);
        if (place >= chunks || number > (UINT64_MAX - place) / chunks) {
            return std::nullopt;
        }
        number = number * chunks + place;
    }
    return number;
}

bool ChunkFinder::reaches_beyond(const ChunkOffset& offset) const {
    const Shape& array = layout_.space.shape;
    for (std::size_t axis = 0; axis < array.size() && axis < shape_.lengths.size(); ++axis) {
        if (offset[axis] >= array[axis] || shape_.lengths[axis] > array[axis] - offset[axis]) {
            return true;
        }
    }
    return false;
}

}  // namespace staithe::format::hdf5
