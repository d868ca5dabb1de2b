// Groups as versions of HDF5 before 1.8 have them, and newer ones unless they are told otherwise: names in a heap, and
// a tree of tables of them.
#pragma once

#include <cstdint>
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

/// Where the links of a group lead, which are messages of its header, or in the table that one leads to. Those to other
/// names, or other files, are left out. Untrusted; `left` is as of read_header().
[[nodiscard]] base::Result<std::vector<NamedObject>> links_of(const Image& image, std::span<const Message> group,
                                                              std::uint64_t& left);

}  // namespace staithe::format::hdf5
