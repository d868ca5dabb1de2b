#include "array/box_index.hpp"

#include <limits>

#include "base/rounding.hpp"

namespace staithe::array {

BoxIndex::BoxIndex(std::span<const Box> boxes) {
    if (boxes.empty()) {
        return;
    }
    dimensions_ = boxes.front().dimensions();
    order_.reserve(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (!is_empty(boxes[i])) {
            order_.push_back(i);
        }
    }
    const auto before = [&](std::size_t a, std::size_t b) {
        const auto order = std::lexicographical_compare_three_way(boxes[a].offset.begin(), boxes[a].offset.end(),
                                                                  boxes[b].offset.begin(), boxes[b].offset.end());
        return order != 0 ? order < 0 : a < b;
    };
    if (!std::is_sorted(order_.begin(), order_.end(), before)) {
        std::sort(order_.begin(), order_.end(), before);
    }
    std::vector<std::int64_t>& lowest = levels_.emplace_back();
    lowest.reserve(order_.size() * 2 * dimensions_);
    for (const std::size_t i : order_) {
        for (std::size_t k = 0; k < dimensions_; ++k) {
            lowest.push_back(boxes[i].offset[k]);
            lowest.push_back(boxes[i].offset[k] + boxes[i].count[k]);
        }
    }
    while (nodes_in(levels_.size() - 1) > branches) {
        add_level();
    }
}

BoxIndex::Bounds BoxIndex::bounds_of(const Box& box) {
    Bounds bounds{};
    for (std::size_t i = 0; i < box.dimensions(); ++i) {
        bounds.low[i] = box.offset[i];
        bounds.high[i] = box.offset[i] + box.count[i];
    }
    return bounds;
}

std::size_t BoxIndex::nodes_in(std::size_t level) const {
    std::size_t nodes = order_.size();
    for (; level > 0; --level) {
        nodes = base::quotient_up(nodes, branches);
    }
    return nodes;
}

/// Each node of the new level bounds `branches` of the one below.
void BoxIndex::add_level() {
    const std::vector<std::int64_t>& below = levels_.back();
    const std::size_t count = nodes_in(levels_.size() - 1);
    std::vector<std::int64_t> level;
    level.reserve(nodes_in(levels_.size()) * 2 * dimensions_);
    for (std::size_t first = 0; first < count; first += branches) {
        const std::size_t last = std::min(first + branches, count);
        for (std::size_t k = 0; k < dimensions_; ++k) {
            std::int64_t low = std::numeric_limits<std::int64_t>::max();
            std::int64_t high = std::numeric_limits<std::int64_t>::min();
            for (std::size_t node = first; node < last; ++node) {
                low = std::min(low, below[(node * dimensions_ + k) * 2]);
                high = std::max(high, below[(node * dimensions_ + k) * 2 + 1]);
            }
            level.push_back(low);
            level.push_back(high);
        }
    }
    levels_.push_back(std::move(level));
}

std::optional<std::pair<std::size_t, std::size_t>> find_clash(const BoxIndex& index, std::span<const Box> boxes) {
    std::optional<std::pair<std::size_t, std::size_t>> clash;
    for (std::size_t i = 0; i < boxes.size() && !clash; ++i) {
        index.meeting(boxes[i], [&](std::size_t other) {
            if (other != i) {
                clash = std::minmax(i, other);
            }
            return !clash;
        });
    }
    return clash;
}

}  // namespace staithe::array
