// Finds the boxes that meet another one without looking at all of them.
//
// A tree of bounding boxes over the boxes in the order of their offsets, so that neighbours share a branch. Made in a
// pass over boxes that come in that order, as those of a grid of ranks do; others are sorted. Immutable.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <staithe/box.hpp>

namespace staithe::array {

class BoxIndex {
  public:
    BoxIndex() = default;
    /// All of the same dimensions.
    explicit BoxIndex(std::span<const Box> boxes);

    /// Calls visit(i) for each box i that has an element in common with `box`, of as many dimensions, until it returns
    /// false. Boxes without elements meet nothing.
    template <class Visit>
    void meeting(const Box& box, const Visit& visit) const {
        if (!order_.empty() && !is_empty(box)) {
            const std::size_t top = levels_.size() - 1;
            static_cast<void>(descend(top, 0, nodes_in(top), bounds_of(box), visit));
        }
    }

  private:
    static constexpr std::size_t branches = 16;

    /// The first element per dimension, and the one after the last.
    struct Bounds {
        std::array<std::int64_t, max_dimensions> low;
        std::array<std::int64_t, max_dimensions> high;
    };

    static Bounds bounds_of(const Box& box);
    [[nodiscard]] std::size_t nodes_in(std::size_t level) const;
    void add_level();

    [[nodiscard]] bool meets(std::size_t level, std::size_t node, const Bounds& bounds) const {
        const std::int64_t* numbers = levels_[level].data() + node * 2 * dimensions_;
        for (std::size_t i = 0; i < dimensions_; ++i) {
            if (numbers[2 * i] >= bounds.high[i] || bounds.low[i] >= numbers[2 * i + 1]) {
                return false;
            }
        }
        return true;
    }

    template <class Visit>
    bool descend(std::size_t level, std::size_t first, std::size_t last, const Bounds& bounds,
                 const Visit& visit) const {
        for (std::size_t node = first; node < last; ++node) {
            if (!meets(level, node, bounds)) {
                continue;
            }
            const std::size_t begin = node * branches;
            const bool goes_on =
                level == 0 ? visit(order_[node])
                           : descend(level - 1, begin, std::min(begin + branches, nodes_in(level - 1)), bounds, visit);
            if (!goes_on) {
                return false;
            }
        }
        return true;
    }

    std::size_t dimensions_ = 0;
    std::vector<std::size_t> order_;                 // which box each node of the lowest level is; without empty ones
    std::vector<std::vector<std::int64_t>> levels_;  // low and high per dimension and node; the lowest level first
};

/// Two boxes that have an element in common, by their places in `boxes`, of which `index` is made; nothing if there are
/// none. For the usual decompositions the time grows little faster than the number of boxes.
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> find_clash(const BoxIndex& index,
                                                                            std::span<const Box> boxes);

}  // namespace staithe::array
