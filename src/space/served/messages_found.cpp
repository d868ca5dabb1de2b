// What a server tells of a version: the array, and a table of the blocks.
#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>

#include "base/bytes.hpp"
#include "base/fields.hpp"
#include "space/served/messages.hpp"

namespace staithe::space {
namespace {

using base::integer_field;

base::Failure garbled_version() { return {ErrorCode::protocol, "what a server tells of a version is garbled"}; }

/// Of the table of blocks. What follows is its box: where it begins, then how much it has, a number per dimension.
struct TableEntry {
    std::uint32_t store = 0;
    std::uint32_t by_columns = 0;  // 0 or 1
    std::int64_t at = 0;
    std::int64_t bytes = 0;
};
static_assert(sizeof(TableEntry) == 24 && std::has_unique_object_representations_v<TableEntry>);

std::size_t entry_bytes(std::size_t dimensions) { return sizeof(TableEntry) + 2 * dimensions * sizeof(std::int64_t); }

void append_table(std::span<const store::space::VersionBlock> blocks, std::vector<std::byte>& table) {
    const auto append = [&table](const void* values, std::size_t bytes) {
        const auto* const begin = static_cast<const std::byte*>(values);
        table.insert(table.end(), begin, begin + bytes);
    };
    table.reserve(table.size() + (blocks.empty() ? 0 : blocks.size() * entry_bytes(blocks.front().box.dimensions())));
    for (const store::space::VersionBlock& block : blocks) {
        const TableEntry entry{block.ref.store, block.column_major ? 1U : 0U, block.ref.offset, block.ref.bytes};
        append(&entry, sizeof(entry));
        for (const Extents* const numbers : {&block.box.offset, &block.box.count}) {
            append(numbers->data(), numbers->size() * sizeof(std::int64_t));
        }
    }
}

/// Of those that have one: their places among the blocks, and where the twins lie.
List encode_twins(std::span<const store::space::VersionBlock> blocks) {
    List numbers;
    for (std::size_t place = 0; place < blocks.size(); ++place) {
        if (const auto& twin = blocks[place].twin) {
            numbers.emplace_back(static_cast<std::int64_t>(place));
            numbers.emplace_back(twin->first);
            numbers.emplace_back(twin->second);
        }
    }
    return numbers;
}

bool decode_twins(const Attributes& body, std::vector<store::space::VersionBlock>& blocks) {
    const List* const numbers = base::list_field(body, "twins");
    const std::size_t count = numbers == nullptr ? 0 : numbers->size();
    for (std::size_t i = 0; i + 2 < count; i += 3) {
        const auto place = (*numbers)[i].as_int(), store = (*numbers)[i + 1].as_int(), at = (*numbers)[i + 2].as_int();
        if (!place || !store || !at || *place < 0 || std::cmp_greater_equal(*place, blocks.size()) || *store < 0 ||
            *store >= store::space::lost_store || *at < 0) {
            return false;
        }
        blocks[static_cast<std::size_t>(*place)].twin.emplace(static_cast<std::uint32_t>(*store), *at);
    }
    return count % 3 == 0;
}

base::Result<std::vector<store::space::VersionBlock>> decode_table(std::span<const std::byte> table,
                                                                   const store::BlockDescription& whole) {
    base::ByteReader reader(table);
    std::vector<store::space::VersionBlock> blocks;
    blocks.reserve(table.size() / entry_bytes(whole.shape.size()));
    while (reader.left() > 0) {
        const auto entry = reader.number<TableEntry>();
        Box box = whole.box;
        std::ranges::generate(box.offset, [&] { return reader.number<std::int64_t>(); });
        std::ranges::generate(box.count, [&] { return reader.number<std::int64_t>(); });
        if (!reader.ok() || entry.by_columns > 1 || entry.at < 0 || entry.bytes < 0 || !fits(box, whole.shape) ||
            !size_in_bytes(box.count, whole.dtype)) {
            return tl::unexpected(garbled_version());
        }
        blocks.push_back({.box = box,
                          .ref = {.store = entry.store, .offset = entry.at, .bytes = entry.bytes},
                          .column_major = entry.by_columns == 1});
    }
    return blocks;
}

}  // namespace

Attributes encode(const Found& found, std::vector<std::byte>& enclosed) {
    Attributes body = encode_array(found.whole);
    body["blocks"] = std::ssize(found.blocks);
    append_table(found.blocks, enclosed);
    if (List twins = encode_twins(found.blocks); !twins.empty()) {
        body["twins"] = std::move(twins);
    }
    body["version"] = found.version;
    body["serial"] = found.serial;
    body["completion"] = found.completion;
    return body;
}

base::Result<Found> decode_found(const Attributes& body, std::vector<std::byte>& enclosed) {
    auto whole = decode_array(body);
    const auto version = integer_field(body, "version", INT64_MIN, INT64_MAX);
    const auto serial = integer_field(body, "serial", 1, INT64_MAX);
    const auto completion = integer_field(body, "completion", 0, INT64_MAX);
    const auto blocks = integer_field(body, "blocks", 0, std::ssize(enclosed));
    const std::size_t table =
        whole && blocks ? static_cast<std::size_t>(*blocks) * entry_bytes(whole->shape.size()) : 0;
    if (!whole || !version || !serial || !completion || !blocks || table > enclosed.size()) {
        return tl::unexpected(garbled_version());
    }
    auto known = decode_table(std::span(enclosed).last(table), *whole);
    enclosed.resize(enclosed.size() - table);
    if (!known || !decode_twins(body, *known)) {
        return tl::unexpected(garbled_version());
    }
    return Found{.version = *version,
                 .serial = *serial,
                 .completion = *completion,
                 .whole = *std::move(whole),
                 .blocks = *std::move(known),
                 .source = nullptr,
                 .pin = nullptr};
}

}  // namespace staithe::space
