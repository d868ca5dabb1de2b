#include "stream/describing/step_table.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_map>

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

std::vector<std::byte> encode_layout(std::uint64_t layout, std::span<const std::span<const std::byte>> schemas) {
    std::vector<std::string_view> heads;
    std::unordered_map<std::string_view, std::uint32_t> number_of;
    std::vector<std::uint32_t> head_of_rank;
    head_of_rank.reserve(schemas.size());
    std::size_t box_bytes = 0;
    for (const auto schema : schemas) {
        base::ByteReader in(schema);
        const std::string_view head = in.text();
        box_bytes += in.left();
        if (heads.empty() || heads.back() != head) {  // most often it is that of the rank before
            const auto [known, is_new] = number_of.try_emplace(head, static_cast<std::uint32_t>(heads.size()));
            if (is_new) {
                heads.push_back(head);
            }
            head_of_rank.push_back(known->second);
        } else {
            head_of_rank.push_back(static_cast<std::uint32_t>(heads.size() - 1));
        }
    }
    base::ByteWriter out;
    out.number(layout_magic);
    out.number(layout_version);
    out.number(layout);
    out.number(static_cast<std::uint32_t>(schemas.size()));
    out.number(static_cast<std::uint32_t>(heads.size()));
    for (const std::string_view head : heads) {
        out.sized(head);
    }
    for (const std::uint32_t head : head_of_rank) {
        out.number(head);
    }
    std::vector<std::byte> bytes;
    bytes.reserve(out.bytes().size() + box_bytes);
    bytes.assign(out.bytes().begin(), out.bytes().end());
    for (const auto schema : schemas) {
        base::ByteReader in(schema);
        static_cast<void>(in.sized());
        const auto boxes = schema.last(in.left());
        bytes.insert(bytes.end(), boxes.begin(), boxes.end());
    }
    return bytes;
}

base::Result<LayoutParts> split_layout(std::span<const std::byte> bytes, std::uint64_t layout) {
    base::ByteReader in(bytes);
    const bool is_known = in.number<std::uint32_t>() == layout_magic && in.number<std::uint32_t>() == layout_version &&
                          in.number<std::uint64_t>() == layout;
    const auto ranks = in.number<std::uint32_t>();
    const auto heads = in.number<std::uint32_t>();
    LayoutParts parts;
    for (std::uint32_t head = 0; is_known && in.ok() && head < heads; ++head) {
        parts.heads.push_back(in.sized());
    }
    for (std::uint32_t rank = 0; is_known && in.ok() && rank < ranks; ++rank) {
        parts.head_of_rank.push_back(in.number<std::uint32_t>());
    }
    const bool are_known = std::all_of(parts.head_of_rank.begin(), parts.head_of_rank.end(),
                                       [&](std::uint32_t head) { return head < parts.heads.size(); });
    if (!is_known || !in.ok() || !are_known) {
        return base::fail(ErrorCode::protocol, "layout {} of a stream is garbled", layout);
    }
    parts.boxes = bytes.last(in.left());
    return parts;
}

}  // namespace staithe::stream
