// What is seen where boxes lie over each other: of each element the one that was laid last.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <staithe/box.hpp>

#include "array/box_index.hpp"

namespace staithe::store::space {

/// A part of a box that nothing covers.
struct Shown {
    std::size_t layer = 0;  // its place among the boxes
    Box part;
};

/// The parts of `wanted` that are seen, disjoint, the newest box's first; what no box covers is in none. The last box
/// lies over all others. All of as many dimensions.
[[nodiscard]] std::vector<Shown> overlay(std::span<const Box> boxes, const Box& wanted);

/// For who looks at many boxes of the same ones: each is compared with those alone that meet it. Immutable.
class Overlay {
  public:
    explicit Overlay(std::vector<Box> boxes) : boxes_(std::move(boxes)), index_(boxes_) {}

    [[nodiscard]] std::vector<Shown> shown_in(const Box& wanted) const;

  private:
    std::vector<Box> boxes_;
    array::BoxIndex index_;
};

/// How many elements these have.
[[nodiscard]] std::int64_t elements_of(std::span<const Shown> shown);

}  // namespace staithe::store::space
