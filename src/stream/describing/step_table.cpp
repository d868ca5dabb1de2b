#include "stream/describing/step_table.hpp"

#include <cstring>

#include "base/bytes.hpp"
#include "base/value_codec.hpp"

namespace staithe::stream {

base::Result<StepTable> decode_step_table(std::span<const std::byte> bytes, std::uint64_t step) {
    StepTableHeader header{};
    if (bytes.size() >= sizeof(header)) {
        std::memcpy(&header, bytes.data(), sizeof(header));
    }
    if (header.magic != step_table_magic || header.version != step_table_version || header.step != step ||
        header.blocks > bytes.size() / sizeof(store::BlockRef) || header.attribute_bytes > bytes.size() ||
        static_cast<std::int64_t>(bytes.size()) != step_table_bytes(header.blocks, header.attribute_bytes)) {
        return base::fail(ErrorCode::protocol, "the table of step {} is garbled", step);
    }
    StepTable table;
    table.layout = header.layout;
    table.blocks.resize(header.blocks);
    if (header.blocks > 0) {
        std::memcpy(table.blocks.data(), bytes.data() + sizeof(header), header.blocks * sizeof(store::BlockRef));
    }
    const auto attributes = bytes.last(header.attribute_bytes);
    table.attributes.assign(attributes.begin(), attributes.end());
    return table;
}

base::Result<Attributes> merge_attributes(std::span<const std::byte> attributes) {
    Attributes merged;
    base::ByteReader in(attributes);
    while (in.ok() && in.left() > 0) {
        auto value = base::from_cbor(in.sized());
        if (!value) {
            return base::fail(std::move(value));
        }
        if (Attributes* const map = value->as_map()) {
            merged.merge(*map);
        }
    }
    if (!in.ok()) {
        return base::fail(ErrorCode::protocol, "the attributes of a step are cut short");
    }
    return merged;
}

base::Result<std::vector<std::byte>> encode_layout(std::uint64_t layout,
                                                   std::span<const std::span<const std::byte>> schemas) {
    base::ByteWriter out;
    out.number(layout_magic);
    out.number(layout_version);
    out.number(layout);
    out.number(static_cast<std::uint32_t>(schemas.size()));
    for (const auto schema : schemas) {
        out.sized(schema);
    }
    if (!out.ok()) {
        return base::fail(ErrorCode::limit_reached,
                          "what describes the variables of a writer rank takes 4 GiB or more");
    }
    return std::vector<std::byte>(out.bytes().begin(), out.bytes().end());
}

base::Result<std::vector<std::span<const std::byte>>> decode_layout(std::span<const std::byte> bytes,
                                                                    std::uint64_t layout) {
    base::ByteReader in(bytes);
    const bool is_known = in.number<std::uint32_t>() == layout_magic && in.number<std::uint32_t>() == layout_version &&
                          in.number<std::uint64_t>() == layout;
    const auto ranks = in.number<std::uint32_t>();
    std::vector<std::span<const std::byte>> schemas;
    for (std::uint32_t rank = 0; is_known && in.ok() && rank < ranks; ++rank) {
        schemas.push_back(in.sized());
    }
    if (!is_known || !in.ok() || in.left() != 0) {
        return base::fail(ErrorCode::protocol, "layout {} of a stream is garbled", layout);
    }
    return schemas;
}

}  // namespace staithe::stream
