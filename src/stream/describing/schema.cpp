#include "stream/describing/schema.hpp"

#include <cstring>

#include "base/bytes.hpp"
#include "base/value_codec.hpp"

namespace staithe::stream {
namespace {

constexpr std::uint8_t flag_local = 1;
constexpr std::uint8_t flag_column_major = 2;

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

base::Result<BlockDescription> read_block(base::ByteReader& in) {
    BlockDescription block;
    block.variable = in.text();
    const auto dtype = dtype_from_code(in.number<std::uint8_t>());
    const auto flags = in.number<std::uint8_t>();
    const std::size_t dimensions = in.number<std::uint8_t>();
    if (!in.ok() || !dtype || dimensions > max_dimensions || block.variable.empty()) {
        return base::fail(ErrorCode::protocol, "a schema holds a block that this version does not understand");
    }
    block.dtype = *dtype;
    block.local = (flags & flag_local) != 0;
    block.column_major = (flags & flag_column_major) != 0;
    block.shape = read_extents(in, dimensions);
    block.box.offset = read_extents(in, dimensions);
    block.box.count = read_extents(in, dimensions);
    block.unit = in.text();
    if (const auto encoded = in.sized(); !encoded.empty()) {
        const auto attributes = base::from_cbor(encoded);
        if (!attributes || attributes->as_map() == nullptr) {
            return base::fail(ErrorCode::protocol, "the attributes of '{}' are garbled", block.variable);
        }
        block.attributes = *attributes->as_map();
    }
    if (!base::check(Attributes{{block.variable, block.unit}})) {
        return base::fail(ErrorCode::protocol, "a schema holds a name or a unit that is no text");
    }
    if (!in.ok() || !fits(block.box, block.shape) || !size_in_bytes(block.box.count, block.dtype)) {
        return base::fail(ErrorCode::protocol, "the box {} of '{}' does not lie in its shape {}", to_string(block.box),
                          block.variable, to_string(block.shape));
    }
    return block;
}

}  // namespace

base::Result<std::vector<std::byte>> encode_schema(std::span<const BlockDescription> blocks) {
    base::ByteWriter out;
    out.number(static_cast<std::uint32_t>(blocks.size()));
    for (const BlockDescription& block : blocks) {
        out.sized(block.variable);
        out.number(static_cast<std::uint8_t>(block.dtype));
        out.number(
            static_cast<std::uint8_t>((block.local ? flag_local : 0) | (block.column_major ? flag_column_major : 0)));
        out.number(static_cast<std::uint8_t>(block.shape.size()));
        write_extents(out, block.shape);
        write_extents(out, block.box.offset);
        write_extents(out, block.box.count);
        out.sized(block.unit);
        out.sized(block.attributes.empty() ? std::vector<std::byte>() : base::to_cbor(block.attributes));
        if (!out.ok()) {
            return base::fail(ErrorCode::limit_reached,
                              "the attributes of variable '{}' take more than 4 GiB: put such data as a variable",
                              block.variable);
        }
    }
    return std::vector<std::byte>(out.bytes().begin(), out.bytes().end());
}

std::size_t blocks_of_schema(std::span<const std::byte> bytes) {
    return base::ByteReader(bytes).number<std::uint32_t>();
}

base::Result<std::vector<BlockDescription>> decode_schema(std::span<const std::byte> bytes) {
    base::ByteReader in(bytes);
    const auto count = in.number<std::uint32_t>();
    std::vector<BlockDescription> blocks;
    for (std::uint32_t i = 0; i < count; ++i) {
        auto block = read_block(in);
        if (!block) {
            return base::fail(std::move(block));
        }
        blocks.push_back(*std::move(block));
    }
    if (!in.ok() || in.left() != 0) {
        return base::fail(ErrorCode::protocol, "a schema is cut short or too long");
    }
    return blocks;
}

}  // namespace staithe::stream
