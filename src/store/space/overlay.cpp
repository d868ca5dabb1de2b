#include "store/space/overlay.hpp"

namespace staithe::store::space {
namespace {

/// What remains of `whole` without `part`, which lies in it: at most two boxes a dimension.
void append_rest(const Box& whole, const Box& part, std::vector<Box>& rest) {
    Box left = whole;
    for (std::size_t i = 0; i < whole.dimensions(); ++i) {
        const auto cut = [&](std::int64_t offset, std::int64_t count) {
            if (count > 0) {
                Box slab = left;
                slab.offset[i] = offset;
                slab.count[i] = count;
                rest.push_back(slab);
            }
        };
        const std::int64_t end = part.offset[i] + part.count[i];
        cut(left.offset[i], part.offset[i] - left.offset[i]);
        cut(end, left.offset[i] + left.count[i] - end);
        left.offset[i] = part.offset[i];
        left.count[i] = part.count[i];
    }
}

}  // namespace

std::vector<Shown> overlay(std::span<const Box> boxes, const Box& wanted) {
    std::vector<Shown> shown;
    std::vector<Box> open{wanted};  // what no newer box covers
    std::vector<Box> rest;
    for (std::size_t i = boxes.size(); i-- > 0 && !open.empty();) {
        rest.clear();
        for (const Box& box : open) {
            if (const auto part = intersect(boxes[i], box)) {
                shown.push_back({i, *part});
                append_rest(box, *part, rest);
            } else {
                rest.push_back(box);
            }
        }
        open.swap(rest);
    }
    return shown;
}

std::int64_t elements_of(std::span<const Shown> shown) {
    std::int64_t elements = 0;
    for (const Shown& each : shown) {
        elements += volume(each.part.count).value_or(0);
    }
    return elements;
}

}  // namespace staithe::store::space
