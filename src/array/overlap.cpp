#include "array/overlap.hpp"

#include <algorithm>
#include <cstdint>

#include "array/conversion.hpp"
#include "array/strided_copy.hpp"

namespace staithe::array {
namespace {

struct Range {
    std::int64_t first;
    std::int64_t count;  // not positive: empty
};

/// Which elements of a slice lie in [offset, offset + count).
Range common_range(const Slice& slice, std::int64_t offset, std::int64_t count) {
    if (count <= 0 || slice.count <= 0) {
        return {0, 0};
    }
    // Seen along the direction of the step: how far ahead the block's near and far ends are.
    const bool forward = slice.step > 0;
    const std::int64_t last = offset + count - 1;
    const std::int64_t near = forward ? offset - slice.start : slice.start - last;
    const std::int64_t far = forward ? last - slice.start : slice.start - offset;
    if (far < 0) {
        return {0, 0};
    }
    // Unsigned, because the smallest step has no positive counterpart.
    const auto step = static_cast<std::uint64_t>(slice.step);
    const std::uint64_t distance = forward ? step : 0 - step;
    const auto steps_to = [distance](std::int64_t way) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(way) / distance);
    };
    const std::int64_t first = near <= 0 ? 0 : steps_to(near - 1) + 1;
    return {first, std::min(slice.count, steps_to(far) + 1) - first};
}

}  // namespace

std::optional<Overlap> overlap(const Box& block, const Selection& selection) noexcept {
    if (block.dimensions() != selection.size()) {
        return std::nullopt;
    }
    Overlap common;
    for (std::size_t i = 0; i < selection.size(); ++i) {
        const Slice& slice = selection[i];
        const auto [first, count] = common_range(slice, block.offset[i], block.count[i]);
        if (count <= 0) {
            return std::nullopt;
        }
        common.destination.offset.push_back(first);
        common.destination.count.push_back(count);
        const std::int64_t start = slice.start + slice.step * first - block.offset[i];
        common.source.push_back({start, slice.step, count});
    }
    return common;
}

Overlap within(Overlap overlap, const Box& part) noexcept {
    for (std::size_t i = 0; i < part.dimensions(); ++i) {
        overlap.source[i].start -= part.offset[i];
    }
    return overlap;
}

void copy(const Overlap& overlap, const MutableArrayView& destination, const ArrayView& block) noexcept {
    const MutableArrayView to = slice(destination, Selection(overlap.destination));
    const ArrayView from = slice(block, overlap.source);
    if (to.dtype == from.dtype) {
        copy(to, from);
    } else {
        convert(to, from);
    }
}

}  // namespace staithe::array
