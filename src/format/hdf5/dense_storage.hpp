// Links, or attributes, that are more than the header of their object holds, as HDF5's library keeps them: in a heap of
// blocks that double in size (a fractal heap), found by a tree (a B-tree of version 2).
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "format/hdf5/image.hpp"
#include "format/hdf5/messages.hpp"

namespace staithe::format::hdf5 {

/// The messages that one of the kind `link_info` or `attribute_info` leads to, in the order of the tree; none if there
/// is nothing elsewhere. What shares its type with others is left out. Untrusted; `left` is as of read_header().
[[nodiscard]] base::Result<std::vector<Message>> messages_elsewhere(const Image& image, const Message& info,
                                                                    std::uint64_t& left);

}  // namespace staithe::format::hdf5
