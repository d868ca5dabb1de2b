#include "stream/staging/consignment.hpp"

#include <utility>

#include "base/fields.hpp"
#include "base/rounding.hpp"
#include "stream/directing/protocol.hpp"
#include "transform/bound.hpp"

namespace staithe::stream {
namespace {

constexpr std::int64_t place_alignment = 64;

/// Of all blocks of a consignment: who has memory for them counts some more.
constexpr std::int64_t most_bytes = INT64_MAX / 4;

/// A depot may keep them in memory that others were in: less than twice as much, but for what few bytes need.
std::int64_t most_stowed_bytes(std::int64_t asked) { return 2 * asked + (std::int64_t{1} << 20); }

/// Of a description, in a message.
constexpr std::size_t description_fields = 7;

void append(List& described, const BlockDescription& block) {
    List count;
    for (const std::int64_t extent : block.box.count) {
        count.emplace_back(extent);
    }
    const auto fill = store::declared_fill(block.attributes);
    described.emplace_back(block.variable);
    described.emplace_back(static_cast<std::int64_t>(block.dtype));
    described.emplace_back(block.column_major);
    described.emplace_back(std::move(count));
    described.emplace_back(static_cast<std::int64_t>(transform::code_of(block.error)));
    described.emplace_back(block.error.value);
    described.emplace_back(fill ? Value(*fill) : Value());
}

std::optional<Extents> extents_in(const Value& value) {
    const List* const numbers = value.as_list();
    if (numbers == nullptr || numbers->size() > max_dimensions) {
        return std::nullopt;
    }
    Extents extents;
    for (const Value& number : *numbers) {
        const auto extent = number.as_int();
        if (!extent || *extent < 0) {
            return std::nullopt;
        }
        extents.push_back(*extent);
    }
    return extents;
}

/// Nothing if these fields are none of a description.
std::optional<BlockDescription> description_in(std::span<const Value, description_fields> fields) {
    const std::string* const variable = fields[0].as_string();
    const auto code = fields[1].as_int();
    const auto dtype =
        code && *code >= 0 && *code <= UINT8_MAX ? dtype_from_code(static_cast<std::uint8_t>(*code)) : std::nullopt;
    const auto column_major = fields[2].as_bool();
    const auto count = extents_in(fields[3]);
    const auto kind = fields[4].as_int();
    const auto value = fields[5].as_double();
    const auto error = kind && value && *kind >= 0 && *kind <= UINT8_MAX
                           ? transform::bound_from_code(static_cast<std::uint8_t>(*kind), *value)
                           : std::nullopt;
    const bool has_fill = !fields[6].is_null();
    if (variable == nullptr || !dtype || !column_major || !count || !size_in_bytes(*count, *dtype) || !error ||
        (has_fill && !fields[6].as_double())) {
        return std::nullopt;
    }
    BlockDescription block;
    block.variable = *variable;
    block.dtype = *dtype;
    block.local = true;
    block.column_major = *column_major;
    block.shape = *count;
    block.box = Box::whole(*count);
    block.error = *error;
    if (has_fill) {
        block.attributes[store::fill_attribute] = fields[6];
    }
    return block;
}

}  // namespace

std::vector<BlockDescription> as_consigned(std::vector<BlockDescription> blocks) {
    for (BlockDescription& block : blocks) {
        const auto fill = store::declared_fill(block.attributes);
        block.local = true;
        block.shape = block.box.count;
        block.box = Box::whole(block.shape);
        block.unit.clear();
        block.attributes.clear();
        if (fill) {
            block.attributes[store::fill_attribute] = *fill;
        }
    }
    return blocks;
}

base::Result<> check(const Consignment& consignment) {
    if (consignment.descriptions == nullptr || consignment.descriptions->size() != consignment.blocks.size()) {
        return base::fail(ErrorCode::protocol, "what is said of {} blocks describes as many others",
                          consignment.blocks.size());
    }
    for (std::size_t i = 0; i < consignment.blocks.size(); ++i) {
        if (auto checked = store::check(consignment.blocks[i], (*consignment.descriptions)[i], store::Encoding::raw);
            !checked) {
            return checked;
        }
    }
    return {};
}

Attributes encode(const Consignment& consignment) {
    List blocks;
    List described;
    for (std::size_t i = 0; i < consignment.blocks.size(); ++i) {
        blocks.emplace_back(consignment.blocks[i].offset);
        blocks.emplace_back(consignment.blocks[i].bytes);
        append(described, (*consignment.descriptions)[i]);
    }
    return {{"rank", consignment.rank},
            {"contact", consignment.contact},
            {"blocks", std::move(blocks)},
            {"described", std::move(described)}};
}

base::Result<Consignment> decode_consignment(const Attributes& body) {
    const auto rank = integer_field(body, "rank", 0, most_ranks);
    auto contact = text_field(body, "contact");
    const List* const numbers = list_field(body, "blocks");
    const List* const described = list_field(body, "described");
    const auto is_garbled = [] {
        return base::fail(ErrorCode::protocol, "what a server's depot is to fetch is garbled");
    };
    if (!rank || !contact || numbers == nullptr || numbers->size() % 2 != 0 || described == nullptr ||
        described->size() != numbers->size() / 2 * description_fields) {
        return is_garbled();
    }
    Consignment consignment{static_cast<int>(*rank), *std::move(contact), {}, {}};
    auto descriptions = std::make_shared<std::vector<BlockDescription>>();
    for (std::size_t i = 0; i < numbers->size() / 2; ++i) {
        const auto offset = (*numbers)[2 * i].as_int();
        const auto bytes = (*numbers)[2 * i + 1].as_int();
        auto description = description_in(
            std::span<const Value>(*described).subspan(i * description_fields).first<description_fields>());
        if (!offset || !bytes || !description) {
            return is_garbled();
        }
        consignment.blocks.push_back({.store = static_cast<std::uint32_t>(*rank), .offset = *offset, .bytes = *bytes});
        descriptions->push_back(*std::move(description));
    }
    consignment.descriptions = std::move(descriptions);
    return consignment;
}

base::Result<Stowage> stow(const std::vector<store::BlockRef>& blocks) {
    Stowage stowage;
    stowage.offsets.reserve(blocks.size());
    for (const store::BlockRef& block : blocks) {
        stowage.offsets.push_back(stowage.bytes);
        if (block.bytes < 0 || block.bytes > most_bytes - stowage.bytes) {
            return base::fail(ErrorCode::protocol, "a block of {} bytes makes no sense", block.bytes);
        }
        stowage.bytes = base::round_up(stowage.bytes + block.bytes, place_alignment);
    }
    return stowage;
}

Attributes encode(const Stowed& stowed) {
    List blocks;
    for (const store::BlockRef& block : stowed.blocks) {
        blocks.emplace_back(block.offset);
        blocks.emplace_back(block.bytes);
        blocks.emplace_back(static_cast<std::int64_t>(block.encoding));
    }
    return {{"place", stowed.place}, {"bytes", stowed.bytes}, {"blocks", std::move(blocks)}};
}

base::Result<Stowed> decode_stowed(const Attributes& body, const Consignment& consignment) {
    const auto asked = stow(consignment.blocks);
    if (!asked) {
        return base::fail(asked);
    }
    const auto bytes = integer_field(body, "bytes", 0, most_stowed_bytes(asked->bytes));
    const auto place = integer_field(body, "place", 0, INT64_MAX - bytes.value_or(0));
    const List* const numbers = list_field(body, "blocks");
    const auto is_garbled = [] {
        return base::fail(ErrorCode::protocol, "what a server says of blocks that it has fetched is garbled");
    };
    if (!place || !bytes || numbers == nullptr || numbers->size() != 3 * consignment.blocks.size()) {
        return is_garbled();
    }
    Stowed stowed{*place, *bytes, {}};
    for (std::size_t i = 0; i < consignment.blocks.size(); ++i) {
        const auto offset = (*numbers)[3 * i].as_int();
        const auto length = (*numbers)[3 * i + 1].as_int();
        const auto encoding = (*numbers)[3 * i + 2].as_int();
        if (!offset || !length || !encoding) {
            return is_garbled();
        }
        const bool is_in_parts = *encoding == static_cast<std::int64_t>(store::Encoding::parts);
        const store::BlockRef block{.encoding = is_in_parts ? store::Encoding::parts : store::Encoding::raw,
                                    .offset = *offset,
                                    .bytes = *length};
        if (static_cast<std::int64_t>(block.encoding) != *encoding || *offset < *place ||
            *length > *bytes - (*offset - *place)) {
            return is_garbled();
        }
        if (auto checked = store::check(block, (*consignment.descriptions)[i], block.encoding); !checked) {
            return base::fail(std::move(checked));
        }
        stowed.blocks.push_back(block);
    }
    return stowed;
}

}  // namespace staithe::stream
