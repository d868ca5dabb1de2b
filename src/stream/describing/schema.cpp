#include "stream/describing/schema.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/value_codec.hpp"
#include "transform/bound.hpp"

namespace staithe::stream {
namespace {

constexpr std::uint8_t flag_local = 1;
constexpr std::uint8_t flag_column_major = 2;
constexpr std::uint8_t flag_error = 4;

void write_extents(base::ByteWriter& out, const Extents& extents) {
    for (const std::int64_t value : extents) {
        out.number(value);
    }
}

Extents read_extents(base::ByteReader& in, std::size_t dimensions) {
    Extents extents;
    extents.resize(dimensions);
    for (std::int64_t& value : extents) {
        value = in.number<std::int64_t>();
    }
    return extents;
}

/// Of a local array only its count is said. A box without dimensions takes a number, too: so no layout holds more
/// blocks than its bytes are worth.
std::size_t numbers_in_box(std::size_t dimensions, bool local) {
    return std::max(std::size_t{1}, local ? dimensions : 2 * dimensions);
}
constexpr std::int64_t no_dimensions = 0;

base::Failure cut_short() { return {ErrorCode::protocol, "a schema is cut short or too long"}; }

/// What the head says of a block, as it stands there.
struct HeadEntry {
    std::string_view variable;
    std::uint8_t dtype = 0;
    std::uint8_t flags = 0;
    std::size_t dimensions = 0;
    Extents shape{};
    std::string_view unit;
    std::span<const std::byte> attributes;
    std::uint8_t error = 0;
    double error_value = 0.0;

    [[nodiscard]] bool local() const { return (flags & flag_local) != 0; }
};

/// `in` is not ok if there is none.
HeadEntry read_entry(base::ByteReader& in) {
    HeadEntry entry;
    entry.variable = in.text();
    entry.dtype = in.number<std::uint8_t>();
    entry.flags = in.number<std::uint8_t>();
    entry.dimensions = in.number<std::uint8_t>();
    if (entry.dimensions > max_dimensions) {
        return entry;
    }
    if (!entry.local()) {
        entry.shape = read_extents(in, entry.dimensions);
    }
    entry.unit = in.text();
    entry.attributes = in.sized();
    if ((entry.flags & flag_error) != 0) {
        entry.error = in.number<std::uint8_t>();
        entry.error_value = in.number<double>();
    }
    return entry;
}

base::Result<BlockDescription> understand(const HeadEntry& entry) {
    BlockDescription block;
    block.variable = entry.variable;
    const auto dtype = dtype_from_code(entry.dtype);
    if (!dtype || entry.dimensions > max_dimensions || block.variable.empty()) {
        return base::fail(ErrorCode::protocol, "a schema holds a block that this version does not understand");
    }
    block.dtype = *dtype;
    block.local = entry.local();
    block.column_major = (entry.flags & flag_column_major) != 0;
    block.shape = entry.shape;
    block.shape.resize(entry.dimensions);
    block.unit = entry.unit;
    if (!entry.attributes.empty()) {
        const auto attributes = base::from_cbor(entry.attributes);
        if (!attributes || attributes->as_map() == nullptr) {
            return base::fail(ErrorCode::protocol, "the attributes of '{}' are garbled", block.variable);
        }
        block.attributes = *attributes->as_map();
    }
    const auto error = transform::bound_from_code(entry.error, entry.error_value);
    if (!error) {
        return base::fail(ErrorCode::protocol, "the error of '{}' cannot be", block.variable);
    }
    block.error = *error;
    if (!base::is_utf8(block.variable) || !base::is_utf8(block.unit)) {
        return base::fail(ErrorCode::protocol, "a schema holds a name or a unit that is no text");
    }
    return block;
}

}  // namespace

base::Result<std::vector<std::byte>> encode_schema(std::span<const BlockDescription> blocks) {
    base::ByteWriter head;
    base::ByteWriter boxes;
    head.number(static_cast<std::uint32_t>(blocks.size()));
    for (const BlockDescription& block : blocks) {
        head.sized(block.variable);
        head.number(static_cast<std::uint8_t>(block.dtype));
        const bool has_error = block.error != codecs::Bound::exact();
        head.number(static_cast<std::uint8_t>((block.local ? flag_local : 0) |
                                              (block.column_major ? flag_column_major : 0) |
                                              (has_error ? flag_error : 0)));
        head.number(static_cast<std::uint8_t>(block.shape.size()));
        if (!block.local) {
            write_extents(head, block.shape);
            write_extents(boxes, block.box.offset);
        }
        write_extents(boxes, block.box.count);
        if (block.shape.empty()) {
            boxes.number(no_dimensions);
        }
        head.sized(block.unit);
        head.sized(block.attributes.empty() ? std::vector<std::byte>() : base::to_cbor(block.attributes));
        if (has_error) {
            head.number(transform::code_of(block.error));
            head.number(block.error.value);
        }
        if (!head.ok() || head.bytes().size() > UINT32_MAX) {
            return base::fail(ErrorCode::limit_reached,
                              "the attributes of variable '{}', and of those before it, take more than 4 GiB: put such "
                              "data as a variable",
                              block.variable);
        }
    }
    base::ByteWriter out;
    out.sized(head.bytes());
    std::vector<std::byte> bytes(out.bytes().begin(), out.bytes().end());
    bytes.insert(bytes.end(), boxes.bytes().begin(), boxes.bytes().end());
    return bytes;
}

base::Result<SchemaParts> split_schema(std::span<const std::byte> bytes) {
    base::ByteReader in(bytes);
    SchemaParts parts;
    parts.head = in.sized();
    parts.boxes = bytes.last(in.left());
    base::ByteReader head(parts.head);
    parts.blocks = head.number<std::uint32_t>();
    std::size_t box_bytes = 0;
    for (std::size_t i = 0; i < parts.blocks && head.ok(); ++i) {
        const HeadEntry entry = read_entry(head);
        if (entry.dimensions > max_dimensions) {
            return tl::unexpected(cut_short());
        }
        box_bytes += sizeof(std::int64_t) * numbers_in_box(entry.dimensions, entry.local());
    }
    if (!in.ok() || !head.ok() || head.left() != 0 || box_bytes != parts.boxes.size()) {
        return tl::unexpected(cut_short());
    }
    return parts;
}

base::Result<std::vector<BlockDescription>> decode_schema_head(std::span<const std::byte> head) {
    base::ByteReader in(head);
    const auto count = in.number<std::uint32_t>();
    std::vector<BlockDescription> blocks;
    for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
        auto block = understand(read_entry(in));
        if (!block) {
            return base::fail(std::move(block));
        }
        blocks.push_back(*std::move(block));
    }
    if (!in.ok() || in.left() != 0) {
        return tl::unexpected(cut_short());
    }
    return blocks;
}

base::Result<Box> take_box(base::ByteReader& boxes, const BlockDescription& block) {
    const std::size_t dimensions = block.shape.size();
    Box box;
    box.offset = block.local ? Extents::filled(dimensions, 0) : read_extents(boxes, dimensions);
    box.count = read_extents(boxes, dimensions);
    const bool is_whole = dimensions > 0 || boxes.number<std::int64_t>() == no_dimensions;
    if (!is_whole || !boxes.ok()) {
        return tl::unexpected(cut_short());
    }
    const Extents& shape = block.local ? box.count : block.shape;
    if (!fits(box, shape) || !size_in_bytes(box.count, block.dtype)) {
        return base::fail(ErrorCode::protocol, "the box {} of '{}' does not lie in its shape {}", to_string(box),
                          block.variable, to_string(shape));
    }
    return box;
}

base::Result<std::vector<BlockDescription>> decode_schema(std::span<const std::byte> bytes) {
    const auto parts = split_schema(bytes);
    if (!parts) {
        return base::fail(parts);
    }
    auto blocks = decode_schema_head(parts->head);
    if (!blocks) {
        return blocks;
    }
    base::ByteReader boxes(parts->boxes);
    for (BlockDescription& block : *blocks) {
        auto box = take_box(boxes, block);
        if (!box) {
            return base::fail(std::move(box));
        }
        block.box = *box;
        block.shape = block.local ? box->count : block.shape;
    }
    return blocks;
}

}  // namespace staithe::stream
