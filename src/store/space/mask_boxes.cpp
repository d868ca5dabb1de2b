#include "store/space/mask_boxes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace staithe::store::space {
namespace {

/// The place of the first such byte from `begin` on, or `end`.
std::int64_t find_byte(std::span<const std::uint8_t> mask, std::uint8_t byte, std::int64_t begin, std::int64_t end) {
    const void* found = std::memchr(mask.data() + begin, byte, static_cast<std::size_t>(end - begin));
    return found == nullptr ? end : static_cast<const std::uint8_t*>(found) - mask.data();
}

/// Each in one row of the last dimension.
std::vector<Box> runs_of(std::span<const std::uint8_t> mask, const Extents& shape) {
    std::vector<Box> runs;
    const auto size = static_cast<std::int64_t>(mask.size());
    const std::size_t last = shape.size() - 1;
    for (std::int64_t at = find_byte(mask, 1, 0, size); at < size;) {
        const std::int64_t row_end = at - at % shape[last] + shape[last];
        const std::int64_t end = find_byte(mask, 0, at, row_end);
        Box& run = runs.emplace_back(Box{Extents::filled(shape.size(), 0), Extents::filled(shape.size(), 1)});
        std::int64_t rest = at;
        for (std::size_t i = shape.size(); i-- > 0; rest /= shape[i]) {
            run.offset[i] = rest % shape[i];
        }
        run.count[last] = end - at;
        at = find_byte(mask, 1, end, size);
    }
    return runs;
}

/// Whether they differ along one dimension alone, and `next` begins where `box` ends.
bool continues(const Box& box, const Box& next, std::size_t dimension) {
    if (box.offset[dimension] + box.count[dimension] != next.offset[dimension]) {
        return false;
    }
    for (std::size_t i = 0; i < box.dimensions(); ++i) {
        if (i != dimension && (box.offset[i] != next.offset[i] || box.count[i] != next.count[i])) {
            return false;
        }
    }
    return true;
}

/// Boxes of one index along `dimension` and those before it, in the order of their offsets: joined along it.
std::vector<Box> joined(const std::vector<Box>& boxes, std::size_t dimension) {
    const auto upper = [&](const Box& box) { return std::span(box.offset.data(), dimension + 1); };
    const auto lower = [&](const Box& box) { return std::span(box.offset).subspan(dimension + 1); };
    std::vector<Box> result;
    std::vector<std::size_t> above;  // boxes of the result that end at the index before, in order
    std::vector<std::size_t> here;   // at this one
    std::size_t next = 0;            // of those above, the first that may be continued
    const Box* before = nullptr;
    for (const Box& box : boxes) {
        if (before == nullptr || !std::ranges::equal(upper(*before), upper(box))) {
            above = std::exchange(here, {});
            next = 0;
        }
        before = &box;
        while (next < above.size() && std::ranges::lexicographical_compare(lower(result[above[next]]), lower(box))) {
            ++next;
        }
        if (next < above.size() && continues(result[above[next]], box, dimension)) {
            ++result[above[next]].count[dimension];
            here.push_back(above[next++]);
        } else {
            here.push_back(result.size());
            result.push_back(box);
        }
    }
    return result;
}

}  // namespace

std::vector<Box> boxes_of(std::span<const std::uint8_t> mask, const Extents& shape) {
    if (is_empty(shape)) {
        return {};
    }
    if (shape.empty()) {
        return mask[0] == 0 ? std::vector<Box>() : std::vector<Box>{Box()};
    }
    std::vector<Box> boxes = runs_of(mask, shape);
    for (std::size_t dimension = shape.size() - 1; dimension-- > 0;) {
        boxes = joined(boxes, dimension);
    }
    return boxes;
}

}  // namespace staithe::store::space
