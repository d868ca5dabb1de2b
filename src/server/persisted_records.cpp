#include "server/persisted_records.hpp"

#include <cstdint>
#include <utility>

#include "base/bytes.hpp"
#include "base/fields.hpp"
#include "base/text.hpp"
#include "base/value_codec.hpp"
#include "space/served/messages.hpp"
#include "store/log/segment.hpp"
#include "stream/describing/schema.hpp"

namespace staithe::server {

using store::space::Put;

namespace {

enum class Kind : std::uint8_t { block = 1, rules = 2, attributes = 3 };

constexpr std::uint8_t completes = 1;  // a flag

base::Failure no_description() { return {ErrorCode::protocol, "no description of anything that a server keeps"}; }

std::vector<std::byte> encode_map(Kind kind, Attributes body) {
    std::vector<std::byte> description{static_cast<std::byte>(kind)};
    const auto map = base::to_cbor(std::move(body));
    description.insert(description.end(), map.begin(), map.end());
    return description;
}

base::Result<PersistedRecord> decode_block(base::ByteReader& reader) {
    PersistedBlock record;
    Put& put = record.put;
    put.version = reader.number<std::int64_t>();
    put.by.rank = reader.number<std::int32_t>();
    put.by.ranks = reader.number<std::int32_t>();
    put.completes = (reader.number<std::uint8_t>() & completes) != 0;
    put.persist = true;
    put.may_cover = true;  // it did not, or was allowed to
    record.space = reader.text();
    put.by.name = reader.text();
    auto blocks = stream::decode_schema(reader.sized());
    const bool is_one = blocks && blocks->size() == 1 && !blocks->front().local && reader.ok() && reader.left() == 0 &&
                        base::is_utf8(record.space) && base::is_utf8(put.by.name) && put.by.rank >= 0 &&
                        put.by.rank < put.by.ranks;
    if (!is_one) {
        return tl::unexpected(no_description());
    }
    put.block = std::move(blocks->front());
    return record;
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
    const auto block = stream::encode_schema(std::span(&put.block, 1)).value();  // it came in a message, which is short
    base::ByteWriter writer;
    writer.number(Kind::block);
    writer.number(*put.version);
    writer.number(static_cast<std::int32_t>(put.by.rank));
    writer.number(static_cast<std::int32_t>(put.by.ranks));
    writer.number(put.completes ? completes : std::uint8_t{0});
    writer.sized(space);
    writer.sized(put.by.name);
    writer.sized(block);
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
