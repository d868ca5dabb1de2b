// A box of an array made smaller: the sum, mean, least or greatest of its elements along some dimensions, from parts
// that may come in any order, of any strides, and from several processes.
//
// As NumPy does it, but that sums and means of floating-point numbers of up to 64 bits are added up, and given, in 64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <staithe/array_view.hpp>
#include <staithe/box.hpp>

#include "base/result.hpp"

namespace staithe::store::space {

enum class ReductionKind : std::uint8_t { sum, mean, min, max };

class Reduction {
  public:
    /// "sum", "mean", "min", "max"; of a box of elements of that dtype, along the dimensions (nothing: all).
    /// `invalid_argument` for other names, dimensions that it does not have, the order of complex numbers, and the
    /// least, greatest and mean of nothing.
    static base::Result<Reduction> make(std::string_view kind, Dtype dtype, const Box& box,
                                        const std::optional<std::vector<std::int64_t>>& axes);

    /// The same, of which no part was added yet.
    static Reduction like(const Reduction& other);

    /// Elements of the box, which are in no other part.
    void add(const Box& part, const ArrayView& elements);
    /// What another one of the same kind and box has made of other parts: its `parts`. `protocol` if it cannot be.
    base::Result<> add(std::span<const std::byte> parts);
    /// What was made of the parts so far.
    [[nodiscard]] std::span<const std::byte> parts() const { return values_; }

    /// Of the result; its dimensions are those that were not reduced.
    [[nodiscard]] const Extents& shape() const { return shape_; }
    [[nodiscard]] Dtype dtype() const { return dtype_; }
    /// Where they lie: of the shape of a box that begins at 0, with a stride of 0 along the dimensions that are
    /// reduced.
    [[nodiscard]] MutableArrayView values();

    /// When all parts were added, once: its elements, in C order.
    std::vector<std::byte> take();

    [[nodiscard]] ReductionKind kind() const { return kind_; }
    [[nodiscard]] const Box& box() const { return box_; }
    [[nodiscard]] std::vector<std::int64_t> axes() const;

  private:
    Reduction() = default;
    void clear();

    ReductionKind kind_ = ReductionKind::sum;
    Box box_;
    Dtype summed_as_ = Dtype::f64;  // the values
    Dtype dtype_ = Dtype::f64;
    std::vector<bool> is_reduced_;  // by dimension
    Extents strides_;               // of the values, by dimension of the box, in elements: 0 where it is reduced
    Extents shape_;
    std::int64_t elements_of_each_ = 1;  // that become one
    std::vector<std::byte> values_;
};

[[nodiscard]] std::string_view name_of(ReductionKind kind);

/// Adds `parts` of another reduction of that kind to values: as many, of the same dtype, one after the other in C
/// order.
void combine(ReductionKind kind, const MutableArrayView& values, const std::byte* parts);

}  // namespace staithe::store::space
