// Groups as versions of HDF5 before 1.8 have them, and newer ones unless they are told otherwise: names in a heap, and
// a tree of tables of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "format/hdf5/image.hpp"
#include "format/hdf5/messages.hpp"

namespace staithe::format::hdf5 {

struct NamedObject {
    std::string name;
    Address object = nowhere;
};

/// What the message `symbol_table` of a group leads to; links to other names are left out. Untrusted.
[[nodiscard]] base::Result<std::vector<NamedObject>> read_symbol_table(const Image& image,
                                                                       std::span<const std::byte> message);

}  // namespace staithe::format::hdf5
