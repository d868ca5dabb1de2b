#include "server/persisted_records.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include <staithe/box.hpp>
#include <staithe/dtype.hpp>

#include "base/bytes.hpp"
#include "base/fields.hpp"
#include "base/text.hpp"
#include "base/value_codec.hpp"
#include "space/served/messages.hpp"
#include "store/log/segment.hpp"

namespace staithe::server {

using store::space::Put;

namespace {

enum class Kind : std::uint8_t { block = 1, rules = 2, attributes = 3 };

constexpr std::uint8_t by_columns = 1;  // flags
constexpr std::uint8_t completes = 2;

base::Failure no_description() { return {ErrorCode::protocol, "no description of anything that a server keeps"}; }

std::vector<std::byte> encode_map(Kind kind, Attributes body) {
    base::ByteWriter writer;
    writer.number(kind);
    const auto bytes = writer.bytes();
    std::vector<std::byte> description(bytes.begin(), bytes.end());
    const auto map = base::to_cbor(std::move(body));
    description.insert(description.end(), map.begin(), map.end());
    return description;
}

/// What is no UTF-8 was not written so, and could not be told to anybody.
class TextReader {
  public:
    explicit TextReader(base::ByteReader& reader) : reader_(reader) {}
    std::string next() {
        const std::string_view text = reader_.text();
        ok_ = ok_ && base::is_utf8(text);
        return std::string(text);
    }
    [[nodiscard]] bool ok() const { return ok_; }

  private:
    base::ByteReader& reader_;
    bool ok_ = true;
};

base::Result<PersistedRecord> decode_block(base::ByteReader& reader) {
    PersistedBlock record;
    Put& put = record.put;
    store::BlockDescription& block = put.block;
    put.version = reader.number<std::int64_t>();
    put.by.rank = reader.number<std::int32_t>();
    put.by.ranks = reader.number<std::int32_t>();
    const auto flags = reader.number<std::uint8_t>();
    const auto dtype = dtype_from_code(reader.number<std::uint8_t>());
    const auto dimensions = reader.number<std::uint16_t>();
    if (dimensions > max_dimensions || !dtype) {
        return tl::unexpected(no_description());
    }
    block.column_major = (flags & by_columns) != 0;
    put.completes = (flags & completes) != 0;
    put.persist = true;
    put.may_cover = true;  // it did not, or was allowed to
    block.dtype = *dtype;
    for (Extents* extents : {&block.shape, &block.box.offset, &block.box.count}) {
        extents->resize(dimensions);
        std::ranges::generate(*extents, [&] { return reader.number<std::int64_t>(); });
    }
    TextReader texts(reader);
    record.space = texts.next();
    block.variable = texts.next();
    block.unit = texts.next();
    put.by.name = texts.next();
    if (const auto attributes = reader.sized(); !attributes.empty()) {
        auto value = base::from_cbor(attributes);
        if (!value || value->as_map() == nullptr) {
            return tl::unexpected(no_description());
        }
        block.attributes = *value->as_map();
    }
    const bool is_one = reader.ok() && reader.left() == 0 && texts.ok() && put.by.ranks >= 1 && put.by.rank >= 0 &&
                        put.by.rank < put.by.ranks && fits(Box::whole(block.shape), block.shape) &&
                        fits(block.box, block.shape) && size_in_bytes(block.box.count, block.dtype);
    return is_one ? base::Result<PersistedRecord>(std::move(record)) : tl::unexpected(no_description());
}

base::Result<PersistedRecord> decode_rules(const Attributes& body) {
    auto space = base::text_field(body, "space");
    auto variable = base::text_field(body, "variable");
    const auto rules = space::decode_rules(body);
    if (!space || !variable || !rules) {
        return tl::unexpected(no_description());
    }
    return PersistedRules{*std::move(space), *std::move(variable), *rules};
}

base::Result<PersistedRecord> decode_attributes(const Attributes& body) {
    auto space = base::text_field(body, "space");
    auto path = base::text_field(body, "path");
    const Attributes* const attributes = base::map_field(body, "attributes");
    if (!space || !path || attributes == nullptr) {
        return tl::unexpected(no_description());
    }
    return PersistedAttributes{*std::move(space), *std::move(path), *attributes};
}

}  // namespace

std::vector<std::byte> encode_block(const std::string& space, const Put& put) {
    const store::BlockDescription& block = put.block;
    base::ByteWriter writer;
    writer.number(Kind::block);
    writer.number(*put.version);
    writer.number(static_cast<std::int32_t>(put.by.rank));
    writer.number(static_cast<std::int32_t>(put.by.ranks));
    writer.number(static_cast<std::uint8_t>((block.column_major ? by_columns : 0) | (put.completes ? completes : 0)));
    writer.number(block.dtype);
    writer.number(static_cast<std::uint16_t>(block.shape.size()));
    for (const Extents* extents : {&block.shape, &block.box.offset, &block.box.count}) {
        std::ranges::for_each(*extents, [&](std::int64_t number) { writer.number(number); });
    }
    for (const std::string* text : {&space, &block.variable, &block.unit, &put.by.name}) {
        writer.sized(*text);
    }
    writer.sized(block.attributes.empty() ? std::vector<std::byte>() : base::to_cbor(block.attributes));
    const auto bytes = writer.bytes();
    return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> encode(const PersistedRules& rules) {
    Attributes body = space::encode(rules.rules);
    body["space"] = rules.space;
    body["variable"] = rules.variable;
    return encode_map(Kind::rules, std::move(body));
}

std::vector<std::byte> encode(const PersistedAttributes& attributes) {
    return encode_map(Kind::attributes,
                      {{"space", attributes.space}, {"path", attributes.path}, {"attributes", attributes.attributes}});
}

std::uint64_t key_of_version(const std::string& space, const std::string& variable, std::int64_t version) {
    return store::log::key_of(base::to_cbor(List{space, variable, version}));
}

std::uint64_t key_of(const PersistedRules& rules) {
    return store::log::key_of(base::to_cbor(List{rules.space, rules.variable, "rules"}));
}

std::uint64_t key_of(const PersistedAttributes& attributes) {
    return store::log::key_of(base::to_cbor(List{attributes.space, attributes.path, "attributes"}));
}

base::Result<PersistedRecord> decode_record(std::span<const std::byte> description) {
    base::ByteReader reader(description);
    const auto kind = reader.number<Kind>();
    if (kind == Kind::block) {
        return decode_block(reader);
    }
    const auto value =
        description.empty() ? base::fail(no_description().code, "empty") : base::from_cbor(description.subspan(1));
    const Attributes* const body = value ? value->as_map() : nullptr;
    if (body == nullptr || (kind != Kind::rules && kind != Kind::attributes)) {
        return tl::unexpected(no_description());
    }
    return kind == Kind::rules ? decode_rules(*body) : decode_attributes(*body);
}

}  // namespace staithe::server
