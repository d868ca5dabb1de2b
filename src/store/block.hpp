// What both sides know of a block: which elements of which variable it has, and how they lie.
#pragma once

#include <cstdint>
#include <string>

#include <staithe/array_view.hpp>
#include <staithe/box.hpp>
#include <staithe/dtype.hpp>
#include <staithe/value.hpp>

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

    /// The count must be one that size_in_bytes() takes.
    [[nodiscard]] std::int64_t data_bytes() const;
    /// The elements, if they begin at `data`.
    [[nodiscard]] ArrayView view(const void* data) const;
    bool operator==(const BlockDescription&) const = default;
};

}  // namespace staithe::store
