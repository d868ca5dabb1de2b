#include "format/hdf5/layouts.hpp"

#include <utility>

#include "base/bytes.hpp"

namespace staithe::format::hdf5 {
namespace {

using base::ByteReader;
using base::ByteWriter;
using base::fail;

enum LayoutClass : std::uint8_t { in_header = 0, together = 1, chunked = 2, of_other_arrays = 3 };

constexpr std::uint8_t layout_version = 3;
constexpr std::uint8_t newest_layout_version = 5;

/// Up to version 3.
void take_old_chunks(ByteReader& in, Layout& layout, std::uint64_t& element_bytes) {
    const auto dimensions = in.number<std::uint8_t>();
    layout.address = in.number<Address>();
    for (int i = 1; i < dimensions && in.ok(); ++i) {
        layout.chunk->push_back(in.number<std::uint32_t>());
    }
    element_bytes = in.number<std::uint32_t>();
}

/// What there is of the index but its address; whether it is known. How it is cut is said once more where it lies.
bool take_index(ByteReader& in, std::uint8_t flags, Layout& layout) {
    constexpr std::uint8_t is_filtered = 0x02;
    layout.index = in.number<IndexKind>();
    switch (layout.index) {
        case IndexKind::single:
            if ((flags & is_filtered) != 0) {
                layout.bytes = in.number<std::uint64_t>();
                layout.left_out = in.number<std::uint32_t>();
            }
            return true;
        case IndexKind::implicit: return true;
        case IndexKind::fixed_array: in.raw(1); return true;
        case IndexKind::extensible_array: in.raw(5); return true;
        case IndexKind::tree: in.raw(6); return true;
        default: return false;
    }
}

/// Of versions 4 and 5, which differ in how many bytes indices count those of chunks with, as these say, too.
bool take_new_chunks(ByteReader& in, Layout& layout, std::uint64_t& element_bytes) {
    constexpr std::uint8_t edges_are_plain = 0x01, known_flags = 0x03;
    const auto flags = in.number<std::uint8_t>(), dimensions = in.number<std::uint8_t>();
    const auto length_bytes = in.number<std::uint8_t>();
    for (int i = 1; i < dimensions && in.ok(); ++i) {
        layout.chunk->push_back(take_integer(in, length_bytes));
    }
    element_bytes = take_integer(in, length_bytes);
    layout.are_edges_plain = (flags & edges_are_plain) != 0;
    const bool is_known = take_index(in, flags, layout);
    layout.address = in.number<Address>();
    return is_known && (flags & ~known_flags) == 0 && length_bytes <= sizeof(std::uint64_t);
}

}  // namespace

Bytes encode_layout(const Layout& layout, std::int64_t element_bytes) {
    ByteWriter out;
    out.number(layout_version);
    if (!layout.chunk) {
        out.number(together);
        out.number(layout.address);
        out.number(layout.bytes);
        return bytes_in(out);
    }
    out.number(chunked);
    out.number(static_cast<std::uint8_t>(layout.chunk->size() + 1));
    out.number(layout.address);
    for (const std::uint64_t length : *layout.chunk) {
        out.number(static_cast<std::uint32_t>(length));
    }
    out.number(static_cast<std::uint32_t>(element_bytes));
    return bytes_in(out);
}

base::Result<Layout> layout_in(const Message& message, Dataspace space, std::int64_t element_bytes) {
    ByteReader in(message.content);
    const auto version = in.number<std::uint8_t>(), kind = in.number<std::uint8_t>();
    Layout layout{.space = std::move(space)};
    bool is_known = version >= layout_version && version <= newest_layout_version;
    auto chunks_of = static_cast<std::uint64_t>(element_bytes);
    switch (kind) {
        case in_header:
            layout.bytes = in.number<std::uint16_t>();
            layout.address = message.address + (message.content.size() - in.left());
            in.raw(layout.bytes);
            break;
        case together:
            layout.address = in.number<Address>();
            layout.bytes = in.number<std::uint64_t>();
            break;
        case chunked:
            layout.chunk.emplace();
            if (version == layout_version) {
                take_old_chunks(in, layout, chunks_of);
            } else {
                is_known = is_known && take_new_chunks(in, layout, chunks_of);
            }
            break;
        case of_other_arrays:
            return fail(ErrorCode::protocol,
                        "has the elements of others (a virtual dataset), which this version does not read");
        default: is_known = false;
    }
    if (!is_known) {
        return fail(ErrorCode::protocol,
                    "lies in the file in a way that this version does not read: write it anew, as by 'h5repack'");
    }
    if (in.ok() && std::cmp_not_equal(chunks_of, element_bytes)) {
        return fail(ErrorCode::protocol, "has chunks of other elements");
    }
    return in.ok() ? base::Result<Layout>(std::move(layout))
                   : fail(ErrorCode::protocol, "has a layout that ends too soon");
}

}  // namespace staithe::format::hdf5
