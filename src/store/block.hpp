// What both sides know of a block: which elements of which variable it has, and how they lie.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <staithe/array_view.hpp>
#include <staithe/box.hpp>
#include <staithe/dtype.hpp>
#include <staithe/transform.hpp>
#include <staithe/value.hpp>

#include "base/result.hpp"

namespace staithe::store {

struct BlockDescription {
    std::string variable;
    Dtype dtype = Dtype::u8;
    bool local = false;         // this rank's own array: the box starts at 0, the shape is its count
    bool column_major = false;  // the data lies dense in Fortran order, else in C order
    Extents shape{};            // of the whole variable
    Box box{};
    std::string unit;
    Attributes attributes;
    codecs::Bound error{};   // that its values may be off by, where they have a long way
    bool is_stored = false;  // what is stored of a block, as bytes, and not elements that a codec may be let at

    /// The count must be one that size_in_bytes() takes.
    [[nodiscard]] std::int64_t data_bytes() const;
    /// From element to element, in bytes, of an array of that shape without gaps, in the order of the block.
    [[nodiscard]] Extents dense_strides(const Extents& of_shape) const;
    /// The elements, if they begin at `data`.
    [[nodiscard]] ArrayView view(const void* data) const;
    bool operator==(const BlockDescription&) const = default;
};

/// What is stored of a block, as a block of so many bytes.
[[nodiscard]] BlockDescription as_bytes(const std::string& variable, std::int64_t bytes);

/// No codec makes a payload of elements that takes more: tiles that would grow are stored as they are.
[[nodiscard]] std::int64_t most_payload_bytes(std::int64_t data_bytes);

/// The block of shape `block.box.count` that a program hands over as part of a variable: at `offset`, or at its
/// beginning, in one of that shape; without a shape it is all of it. `invalid_argument` says what does not go together,
/// or what no peer would take. Whether the block lies in the shape is not looked at.
base::Result<BlockDescription> placed(BlockDescription block, const std::optional<Extents>& offset,
                                      const std::optional<Extents>& shape);

/// The value that stands for "none here", by the conventions of CF.
inline constexpr const char* fill_attribute = "_FillValue";
std::optional<double> declared_fill(const Attributes& attributes);

/// Whether the first index runs fastest. That order is kept, gaps or none: copying runs is faster than transposing, and
/// whoever reads in the same order can have a view.
[[nodiscard]] bool runs_by_columns(const ArrayView& block);

}  // namespace staithe::store
