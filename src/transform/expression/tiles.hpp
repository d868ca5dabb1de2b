// Boxes of a few elements that make up an array, in C order.
#pragma once

#include <cstddef>
#include <cstdint>

#include <staithe/array_view.hpp>
#include <staithe/box.hpp>

namespace staithe::transform::expression {

class Tiles {
  public:
    /// Of a shape that has elements, each of about so many, not more.
    Tiles(const Extents& shape, std::int64_t most);

    [[nodiscard]] std::int64_t count() const { return count_; }
    [[nodiscard]] Box at(std::int64_t index) const;
    /// Whether in each of them the elements of a view of that shape lie one after the other.
    [[nodiscard]] bool are_dense(const ArrayView& view) const;

  private:
    [[nodiscard]] std::int64_t cuts_along() const;

    Extents shape_;
    std::size_t along_ = 0;  // the dimension that is cut; later ones are whole, of earlier ones there is one index
    std::int64_t rows_ = 1;  // of it, in each tile but the last
    std::int64_t count_ = 1;
};

/// Whether all elements lie as their type wants it, so that kernels may take them from their place.
[[nodiscard]] bool is_aligned(const ArrayView& view);

}  // namespace staithe::transform::expression
