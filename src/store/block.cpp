#include "store/block.hpp"

#include <cstdlib>

#include "base/text.hpp"
#include "base/value_codec.hpp"
#include "store/block_ref.hpp"

namespace staithe::store {
namespace {

constexpr std::uint16_t known_version = 1;

}  // namespace

std::int64_t most_payload_bytes(std::int64_t data_bytes) {
    constexpr std::int64_t headers = 1 << 20;
    return data_bytes < INT64_MAX / 2 - headers ? 2 * data_bytes + headers : INT64_MAX;
}

std::int64_t BlockDescription::data_bytes() const {
    auto bytes = static_cast<std::uint64_t>(size_of(dtype));  // a zero beside huge counts may wrap
    for (const std::int64_t count : box.count) {
        bytes *= static_cast<std::uint64_t>(count);
    }
    return static_cast<std::int64_t>(bytes);
}

Extents BlockDescription::dense_strides(const Extents& of_shape) const {
    return column_major ? column_major_strides(of_shape, size_of(dtype)) : row_major_strides(of_shape, size_of(dtype));
}

ArrayView BlockDescription::view(const void* data) const { return {data, dtype, box.count, dense_strides(box.count)}; }

BlockDescription as_bytes(const std::string& variable, std::int64_t bytes) {
    BlockDescription block;
    block.variable = variable;
    block.shape = {bytes};
    block.box = Box::whole(block.shape);
    block.is_stored = true;
    return block;
}

base::Result<BlockDescription> placed(BlockDescription block, const std::optional<Extents>& offset,
                                      const std::optional<Extents>& shape) {
    const std::string name = base::printable(block.variable);
    // The name is not beside the attributes: a variable may be called "attributes", too.
    const List as_sent{Attributes{{block.variable, block.unit}}, block.attributes};
    if (auto checked = base::check(as_sent); !checked) {
        return base::fail(checked.error().code, "variable '{}': {}", name, checked.error().message);
    }
    if (offset && !shape) {
        return base::fail(ErrorCode::invalid_argument,
                          "variable '{}': an offset needs the shape of the whole variable beside it", name);
    }
    const Extents& count = block.box.count;
    block.shape = shape.value_or(count);
    block.box.offset = offset.value_or(Extents::filled(count.size(), 0));
    if (block.box.offset.size() != count.size() || block.shape.size() != count.size()) {
        return base::fail(
            ErrorCode::invalid_argument,
            "variable '{}': a block of shape {} at the offset {} of a variable of shape {}: the numbers of "
            "dimensions differ",
            name, to_string(count), to_string(block.box.offset), to_string(block.shape));
    }
    return block;
}

std::optional<double> declared_fill(const Attributes& attributes) {
    const Value* const fill = find(attributes, fill_attribute);
    return fill == nullptr ? std::nullopt : fill->as_double();
}

bool runs_by_columns(const ArrayView& block) {
    std::int64_t last = 0;
    int dimensions = 0;
    for (std::size_t i = 0; i < block.dimensions(); ++i) {
        if (block.shape[i] > 1) {
            const std::int64_t stride = std::abs(block.strides[i]);
            if (stride <= last) {
                return false;
            }
            last = stride;
            ++dimensions;
        }
    }
    return dimensions > 1;
}

base::Failure unusable(const BlockRef& ref, const BlockDescription& block, const std::string& why) {
    return {ErrorCode::protocol,
            fmt::format("the block {} of '{}', {} bytes at {} of store {}, cannot be had: {}", to_string(block.box),
                        block.variable, ref.bytes, ref.offset, ref.store, why)};
}

base::Result<> check(const BlockRef& ref, const BlockDescription& block, Encoding encoding) {
    const auto refuse = [&](const std::string& why) { return tl::unexpected(unusable(ref, block, why)); };
    if (ref.version != known_version) {
        return refuse(
            fmt::format("its place is told in version {}, this one reads version {}", ref.version, known_version));
    }
    if (ref.encoding != encoding) {
        return refuse(fmt::format("nothing here decodes the encoding {}", static_cast<unsigned>(ref.encoding)));
    }
    if (ref.offset < 0 || ref.bytes < 0 || ref.bytes > INT64_MAX - ref.offset) {
        return refuse("no store has such a place");
    }
    if (encoding == Encoding::raw ? ref.bytes != block.data_bytes()
                                  : ref.bytes > most_payload_bytes(block.data_bytes())) {
        return refuse(fmt::format("its elements take {} bytes", block.data_bytes()));
    }
    return {};
}

}  // namespace staithe::store
