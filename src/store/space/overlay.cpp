#include "store/space/overlay.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>

namespace staithe::store::space {
namespace {

/// As many are compared one by one with what is left of the wanted box.
constexpr std::size_t few = 32;

/// Their places, the newest first.
using Layers = std::vector<std::size_t>;

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

/// Those that meet a part of what the layers were of; none beneath one that covers all of it.
Layers layers_of(std::span<const Box> boxes, const Layers& layers, const Box& part) {
    Layers meeting;
    for (const std::size_t layer : layers) {
        if (contains(boxes[layer], part)) {
            meeting.push_back(layer);
            break;
        }
        if (intersect(boxes[layer], part)) {
            meeting.push_back(layer);
        }
    }
    return meeting;
}

struct Halves {
    Box low, high;
    Layers of_low, of_high;

    [[nodiscard]] std::size_t most() const { return std::max(of_low.size(), of_high.size()); }
};

/// Cut where half of the boxes begin or end that do so within the wanted one.
std::optional<Halves> halves_along(std::size_t dimension, std::span<const Box> boxes, const Layers& layers,
                                   const Box& wanted) {
    const std::int64_t begin = wanted.offset[dimension], end = begin + wanted.count[dimension];
    std::vector<std::int64_t> edges;
    for (const std::size_t layer : layers) {
        const std::int64_t first = boxes[layer].offset[dimension];
        for (const std::int64_t edge : {first, first + boxes[layer].count[dimension]}) {
            if (begin < edge && edge < end) {
                edges.push_back(edge);
            }
        }
    }
    if (edges.empty()) {
        return std::nullopt;
    }
    const auto middle = edges.begin() + static_cast<std::ptrdiff_t>(edges.size() / 2);
    std::ranges::nth_element(edges, middle);
    Halves halves{.low = wanted, .high = wanted, .of_low = {}, .of_high = {}};
    halves.low.count[dimension] = *middle - begin;
    halves.high.offset[dimension] = *middle;
    halves.high.count[dimension] = end - *middle;
    halves.of_low = layers_of(boxes, layers, halves.low);
    halves.of_high = layers_of(boxes, layers, halves.high);
    return halves;
}

/// Each box with all that is left of the wanted one: as many comparisons as boxes times parts.
void append_shown(std::span<const Box> boxes, const Layers& layers, const Box& wanted, std::vector<Shown>& shown) {
    std::vector<Box> open{wanted};  // what no newer box covers
    std::vector<Box> rest;
    for (const std::size_t layer : layers) {
        if (open.empty()) {
            return;
        }
        rest.clear();
        for (const Box& box : open) {
            if (const auto part = intersect(boxes[layer], box)) {
                shown.push_back({layer, *part});
                append_rest(box, *part, rest);
            } else {
                rest.push_back(box);
            }
        }
        open.swap(rest);
    }
}

/// By halves as long as many boxes meet the wanted one and halving parts them: then each is compared with its
/// neighbours alone. What cannot be parted so, such as boxes within each other, is left as it is.
void append_shown_by_halves(std::span<const Box> boxes, const Layers& layers, const Box& wanted,
                            std::vector<Shown>& shown) {
    std::optional<Halves> best;
    for (std::size_t i = 0; layers.size() > few && i < wanted.dimensions(); ++i) {
        auto halves = halves_along(i, boxes, layers, wanted);
        if (halves && (!best || halves->most() < best->most())) {
            best = std::move(halves);
        }
    }
    if (!best || best->most() > layers.size() / 4 * 3) {
        append_shown(boxes, layers, wanted, shown);
        return;
    }
    append_shown_by_halves(boxes, best->of_low, best->low, shown);
    append_shown_by_halves(boxes, best->of_high, best->high, shown);
}

std::vector<Shown> shown_of(std::span<const Box> boxes, const Layers& newest_first, const Box& wanted) {
    std::vector<Shown> shown;
    append_shown_by_halves(boxes, layers_of(boxes, newest_first, wanted), wanted, shown);
    std::ranges::sort(shown, [](const Shown& a, const Shown& b) {
        return a.layer != b.layer ? a.layer > b.layer
                                  : std::ranges::lexicographical_compare(a.part.offset, b.part.offset);
    });
    return shown;
}

}  // namespace

std::vector<Shown> overlay(std::span<const Box> boxes, const Box& wanted) {
    Layers newest_first(boxes.size());
    std::ranges::generate(newest_first, [left = boxes.size()]() mutable { return --left; });
    return shown_of(boxes, newest_first, wanted);
}

std::vector<Shown> Overlay::shown_in(const Box& wanted) const {
    Layers newest_first;
    index_.meeting(wanted, [&](std::size_t layer) {
        newest_first.push_back(layer);
        return true;
    });
    std::ranges::sort(newest_first, std::greater());
    return shown_of(boxes_, newest_first, wanted);
}

std::int64_t elements_of(std::span<const Shown> shown) {
    std::int64_t elements = 0;
    for (const Shown& each : shown) {
        elements += volume(each.part.count).value_or(0);
    }
    return elements;
}

}  // namespace staithe::store::space
