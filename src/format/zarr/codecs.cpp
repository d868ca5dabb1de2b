#include "format/zarr/codecs.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "base/fields.hpp"
#include "format/blosc.hpp"

namespace staithe::format::zarr {
namespace {

/// By which chunks may be compressed,
constexpr const char* blosc_codec = "blosc";
constexpr const char* payload_codec = "staithe";
/// and put together.
constexpr const char* shard_codec = "sharding_indexed";
/// Of bounds, in the configuration of that.
constexpr std::array bound_kinds{std::pair{"abs", codecs::Bound::Kind::absolute},
                                 std::pair{"rel", codecs::Bound::Kind::relative},
                                 std::pair{"pw_rel", codecs::Bound::Kind::pointwise_relative}};

bool is_called(const Value& codec, std::string_view name) {
    return codec.as_map() != nullptr && base::text_field(*codec.as_map(), "name").value_or("") == name;
}

Attributes encode_codec(const char* name, Attributes configuration) {
    return {{"name", name}, {"configuration", std::move(configuration)}};
}

/// How whoever adds chunks makes payloads, in the words of the Python package, which is zarr's codec of that name.
Attributes payload_configuration(const ArrayNode& array) {
    Attributes configuration{{"codec", array.codec}, {"mode", "auto"}};
    for (const auto& [name, kind] : bound_kinds) {
        if (array.error.kind == kind) {
            configuration[name] = array.error.value;
        }
    }
    return configuration;
}

/// How the index of a shard is stored.
List index_codecs() { return {encode_codec("bytes", {{"endian", "little"}}), Attributes{{"name", "crc32c"}}}; }

/// As they are in memory, or that compressed, or payloads; nothing if they are something else.
std::optional<Packing> packing_of(const List& codecs, Dtype dtype) {
    if (codecs.size() == 1 && is_called(codecs.front(), payload_codec)) {
        return Packing::payload;
    }
    if (codecs.empty() || codecs.size() > 2 || !is_called(codecs.front(), "bytes") ||
        (codecs.size() == 2 && !is_called(codecs.back(), blosc_codec))) {
        return std::nullopt;
    }
    const Attributes* const configuration = base::map_field(*codecs.front().as_map(), "configuration");
    const bool is_little_endian =
        size_of(dtype) == 1 ||
        (configuration != nullptr && base::text_field(*configuration, "endian").value_or("") == "little");
    return !is_little_endian    ? std::nullopt
           : codecs.size() == 2 ? std::optional(Packing::blosc)
                                : std::optional(Packing::none);
}

/// What made the payloads; untrusted.
void take_configuration(const List& codecs, ArrayNode& array) {
    const Attributes* const configuration = base::map_field(*codecs.front().as_map(), "configuration");
    if (configuration == nullptr) {
        return;
    }
    array.codec = base::text_field(*configuration, "codec").value_or("");
    for (const auto& [name, kind] : bound_kinds) {
        const Value* const value = find(*configuration, name);
        if (const auto number = value == nullptr ? std::nullopt : value->as_double()) {
            array.error = {kind, *number};
        }
    }
}

/// Whether the index of a shard lies, and is stored, as those are that are written.
bool is_index_known(const Attributes& configuration) {
    const List* const codecs = base::list_field(configuration, "index_codecs");
    return codecs != nullptr && codecs->size() == 2 && codecs->front() == index_codecs().front() &&
           is_called(codecs->back(), "crc32c") &&
           base::text_field(configuration, "index_location").value_or("end") == "end";
}

}  // namespace

List encode_codecs(const ArrayNode& array) {
    if (array.packing == Packing::payload) {
        return {encode_codec(payload_codec, payload_configuration(array))};
    }
    List codecs{encode_codec("bytes", {{"endian", "little"}})};
    if (array.packing == Packing::blosc) {
        const BloscWay& way = blosc_way(array.codec);
        codecs.emplace_back(encode_codec(blosc_codec, {{"cname", way.compressor},
                                                       {"clevel", way.level},
                                                       {"shuffle", "shuffle"},
                                                       {"typesize", size_of(array.info.dtype)},
                                                       {"blocksize", static_cast<std::int64_t>(blosc_block_bytes)}}));
    }
    return codecs;
}

Value encode_shard(List chunk_shape, List codecs) {
    return encode_codec(shard_codec, {{"chunk_shape", std::move(chunk_shape)},
                                      {"codecs", std::move(codecs)},
                                      {"index_codecs", index_codecs()},
                                      {"index_location", "end"}});
}

bool take_codecs(const List& codecs, ArrayNode& array) {
    const auto packing = packing_of(codecs, array.info.dtype);
    array.packing = packing.value_or(Packing::none);
    if (array.packing == Packing::payload) {
        take_configuration(codecs, array);
    }
    return packing.has_value();
}

std::optional<ShardCodec> shard_of(const List& codecs) {
    if (codecs.size() != 1 || !is_called(codecs.front(), shard_codec)) {
        return std::nullopt;
    }
    const Attributes* const configuration = base::map_field(*codecs.front().as_map(), "configuration");
    if (configuration == nullptr || !is_index_known(*configuration)) {
        return std::nullopt;
    }
    return ShardCodec{base::list_field(*configuration, "chunk_shape"), base::list_field(*configuration, "codecs")};
}

}  // namespace staithe::format::zarr
