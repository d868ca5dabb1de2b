#include "format/zarr/codecs.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "base/fields.hpp"
#include "base/text.hpp"
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

/// Those of numcodecs that make what others of the same name make are called so, too.
constexpr std::string_view numcodecs = "numcodecs.";

tl::unexpected<base::Failure> unknown(std::string_view codec) {
    return base::fail(
        ErrorCode::protocol,
        "is encoded by the codec '{}', which this version does not read: write it anew with codecs of Zarr's own, "
        "such as zstd, gzip or blosc",
        base::printable(codec));
}

/// Empty if it says nothing.
const Attributes& configuration_in(const Value& codec) {
    static const Attributes nothing;
    const Attributes* const configuration =
        codec.as_map() == nullptr ? nullptr : base::map_field(*codec.as_map(), "configuration");
    return configuration == nullptr ? nothing : *configuration;
}

/// Of those that are told of no more than their name, as one text, too.
std::string name_of_codec(const Value& codec) {
    if (const std::string* const text = codec.as_string()) {
        return *text;
    }
    return codec.as_map() == nullptr ? std::string() : base::text_field(*codec.as_map(), "name").value_or("");
}

std::optional<Filter> filter_of(std::string_view name, const Attributes& configuration) {
    constexpr std::array known{std::pair{"blosc", FilterKind::blosc}, std::pair{"gzip", FilterKind::gzip},
                               std::pair{"zstd", FilterKind::zstd},   std::pair{"crc32c", FilterKind::crc32c},
                               std::pair{"zlib", FilterKind::zlib},   std::pair{"shuffle", FilterKind::shuffle}};
    constexpr std::int64_t most_item_bytes = 1 << 20;
    const bool is_of_numcodecs = name.starts_with(numcodecs);
    name.remove_prefix(is_of_numcodecs ? numcodecs.size() : 0);
    for (const auto& [known_name, kind] : known) {
        const bool is_there_alone = kind == FilterKind::zlib || kind == FilterKind::shuffle;
        if (name == known_name && (!is_there_alone || is_of_numcodecs) &&
            (kind != FilterKind::crc32c || !is_of_numcodecs)) {
            const std::int64_t of_items = kind == FilterKind::shuffle ? 4 : 1;  // its default
            return Filter{kind,
                          base::integer_field(configuration, "elementsize", 1, most_item_bytes).value_or(of_items)};
        }
    }
    return std::nullopt;
}

/// Each axis once.
bool turn(std::vector<std::size_t>& axes, const List* order, std::size_t dimensions) {
    if (order == nullptr || order->size() != dimensions) {
        return false;
    }
    if (axes.empty()) {
        axes.resize(dimensions);
        std::iota(axes.begin(), axes.end(), std::size_t{0});
    }
    std::vector<std::size_t> turned;
    for (const Value& axis : *order) {
        const auto number = axis.as_int();
        if (!number || *number < 0 || std::cmp_greater_equal(*number, dimensions)) {
            return false;
        }
        turned.push_back(axes[static_cast<std::size_t>(*number)]);
    }
    std::vector<std::size_t> sorted = turned;
    std::ranges::sort(sorted);
    axes = std::move(turned);
    return std::ranges::adjacent_find(sorted) == sorted.end();
}

/// First what turns axes, then how numbers become bytes, and what these go through.
base::Result<ChunkCoding> coding_of(const List& codecs, Dtype dtype, std::size_t dimensions) {
    ChunkCoding coding;
    bool are_bytes = false;
    for (const Value& codec : codecs) {
        const std::string name = name_of_codec(codec);
        const Attributes& configuration = configuration_in(codec);
        if (are_bytes) {
            const auto filter = filter_of(name, configuration);
            if (!filter) {
                return unknown(name);
            }
            coding.filters.push_back(*filter);
        } else if (name == "bytes") {
            const std::string endian = base::text_field(configuration, "endian").value_or("");
            coding.is_big_endian = endian == "big";
            if (endian != "little" && endian != "big" && size_of(dtype) > 1) {
                return base::fail(ErrorCode::protocol, "is encoded as bytes, of which nothing says in which order");
            }
            are_bytes = true;
        } else if (name != "transpose") {
            return unknown(name);
        } else if (!turn(coding.axes, base::list_field(configuration, "order"), dimensions)) {
            return base::fail(ErrorCode::protocol, "is encoded with axes in an order that cannot be");
        }
    }
    if (!are_bytes || !can_be_undone(coding.filters)) {
        return base::fail(ErrorCode::protocol, "is encoded by codecs of which {}",
                          are_bytes ? "several compress" : "none makes bytes");
    }
    if (std::ranges::is_sorted(coding.axes)) {
        coding.axes.clear();
    }
    return coding;
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

base::Result<> take_codecs(const List& codecs, std::size_t dimensions, ArrayNode& array) {
    if (codecs.size() == 1 && is_called(codecs.front(), payload_codec)) {
        array.packing = Packing::payload;
        take_configuration(codecs, array);
        return {};
    }
    auto coding = coding_of(codecs, array.info.dtype, dimensions);
    if (!coding) {
        return base::fail(std::move(coding));
    }
    const bool are_in_order = coding->axes.empty() && (!coding->is_big_endian || size_of(array.info.dtype) == 1);
    array.packing = !are_in_order                                               ? Packing::coded
                    : coding->filters.empty()                                   ? Packing::none
                    : coding->filters == std::vector{Filter{FilterKind::blosc}} ? Packing::blosc
                                                                                : Packing::coded;
    array.coding = std::make_shared<const ChunkCoding>(*std::move(coding));
    return {};
}

base::Result<std::optional<ShardCodec>> shard_of(const List& codecs) {
    if (codecs.size() != 1 || !is_called(codecs.front(), shard_codec)) {
        return std::nullopt;
    }
    const Attributes& configuration = configuration_in(codecs.front());
    const List* const of_chunks = base::list_field(configuration, "codecs");
    if (of_chunks == nullptr || !is_index_known(configuration)) {
        return base::fail(ErrorCode::protocol,
                          "is encoded in shards that this version does not read: only those with an index at their "
                          "end, in little-endian bytes with crc32c, as zarr writes them unless it is told otherwise");
    }
    return ShardCodec{base::list_field(configuration, "chunk_shape"), of_chunks};
}

}  // namespace staithe::format::zarr
