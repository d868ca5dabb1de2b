// Where the elements of an array lie, as its header says: in the header itself, together, or in chunks.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "format/hdf5/image.hpp"
#include "format/hdf5/messages.hpp"

namespace staithe::format::hdf5 {

/// By what chunks are found, as version 4 of the message numbers it; of all but the first HDF5 1.10 and later know.
enum class IndexKind : std::uint8_t {
    old_tree = 0,  // a B-tree of version 1
    single = 1,    // there is one chunk
    implicit = 2,  // they lie together, one after the other
    fixed_array = 3,
    extensible_array = 4,
    tree = 5  // a B-tree of version 2
};

struct Layout {
    Address address = nowhere;     // of the index of chunks, of the single one, or of all elements
    std::uint64_t bytes = 0;       // of all elements; of the single chunk, if it has gone through filters
    std::optional<Shape> chunk{};  // of elements; none: they lie together
    // Of what HDF5 1.10 and later have:
    IndexKind index = IndexKind::old_tree;
    std::uint32_t left_out = 0;    // filters that the single chunk has not gone through, a bit each
    bool are_edges_plain = false;  // chunks that reach beyond the array have gone through none
    Dataspace space{};             // by which indices count
};

[[nodiscard]] Bytes encode_layout(const Layout& layout, std::int64_t element_bytes);
/// Of an array of that space. Untrusted: what it says may not fit.
[[nodiscard]] base::Result<Layout> layout_in(const Message& message, Dataspace space, std::int64_t element_bytes);

}  // namespace staithe::format::hdf5
