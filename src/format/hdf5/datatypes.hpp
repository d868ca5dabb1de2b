// Elements as other programs describe them: every version of the message, numbers of either order of bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include <staithe/dtype.hpp>

namespace staithe::format::hdf5 {

struct ElementType {
    Dtype dtype = Dtype::u8;
    bool is_big_endian = false;
};

/// Integers, IEEE's floating point, complex numbers as h5py and netCDF have them (two members of one kind),
/// enumerations as the integers that they are; those of FALSE and TRUE are bool. Untrusted: nothing if it is something
/// else.
[[nodiscard]] std::optional<ElementType> element_type_in(std::span<const std::byte> datatype);

/// Of a text that lies where it is told of; nothing if it is something else.
[[nodiscard]] std::optional<std::size_t> bytes_of_text_type(std::span<const std::byte> datatype);

}  // namespace staithe::format::hdf5
