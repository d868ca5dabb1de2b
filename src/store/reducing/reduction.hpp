// A box of an array made smaller along some dimensions, from parts that may come in any order, of any strides, and from
// several processes.
//
// As NumPy does it, but that real numbers of up to 64 bits are added up in 64, and what is made of them is of 64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <staithe/array_view.hpp>
#include <staithe/box.hpp>

#include "base/result.hpp"
#include "store/reducing/recipe.hpp"

namespace staithe::store::reducing {

class Reduction {
  public:
    /// Of a box of elements of that dtype, along the dimensions (nothing: all). `invalid_argument` for dimensions that
    /// it does not have, and the order of complex numbers.
    static base::Result<Reduction> make(const Recipe& recipe, Dtype dtype, const Box& box,
                                        const std::optional<std::vector<std::int64_t>>& axes);
    /// The same, of a recipe's text.
    static base::Result<Reduction> make(std::string_view recipe, Dtype dtype, const Box& box,
                                        const std::optional<std::vector<std::int64_t>>& axes);

    /// The same, of which no part was added yet.
    static Reduction like(const Reduction& other);

    /// Elements of the box, which are in no other part.
    void add(const Box& part, const ArrayView& elements);
    /// What another one of the same recipe and box has made of other parts: its `parts`, as aligned as memory that was
    /// allocated. `protocol` if it cannot be.
    base::Result<> add(std::span<const std::byte> parts);
    /// All that a whole one has become, of elements that come on top of those of this one's box: such as the next
    /// step's. `invalid_argument`, and nothing is added, unless it is the same that is made of the same dtype and has
    /// the same shape. Along what is reduced the boxes may differ, as they do where particles come and go.
    base::Result<> add(const Reduction& other);
    /// What was made of the parts so far.
    [[nodiscard]] std::span<const std::byte> parts() const { return states_; }

    /// Of the result: the dimensions that were not reduced, and of histograms the bins.
    [[nodiscard]] const Extents& shape() const { return shape_; }
    [[nodiscard]] Dtype dtype() const { return dtype_of_result(recipe_.kind, elements_); }
    /// Where the states lie: of the shape of a box that begins at 0, with a stride of 0 along the dimensions that are
    /// reduced.
    [[nodiscard]] MutableArrayView states();

    /// When all parts were added, once: the elements of the result, in C order. `invalid_argument` if there were no
    /// elements, and some are needed.
    base::Result<std::vector<std::byte>> take();

    [[nodiscard]] const Recipe& recipe() const { return recipe_; }
    [[nodiscard]] const Box& box() const { return box_; }
    [[nodiscard]] std::vector<std::int64_t> axes() const;
    [[nodiscard]] std::int64_t bytes_of_state() const { return reducing::bytes_of_state(recipe_, elements_); }

  private:
    Reduction() = default;
    void clear();

    Recipe recipe_;
    Box box_;
    Dtype elements_ = Dtype::f64;
    std::vector<bool> is_reduced_;  // by dimension
    Extents strides_;               // of the states, by dimension of the box: 0 where it is reduced
    Extents shape_;
    std::int64_t elements_of_each_ = 1;  // that become one state, when all are there
    std::vector<std::byte> states_;
};

/// Merges states of other elements, of that dtype, into states that lie as `into` says: as many, one after the other in
/// C order.
void merge(const Recipe& recipe, Dtype elements, const MutableArrayView& into, const std::byte* states);

}  // namespace staithe::store::reducing
