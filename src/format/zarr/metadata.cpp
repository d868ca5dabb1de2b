#include "format/zarr/metadata.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/fields.hpp"
#include "base/text.hpp"
#include "base/value_codec.hpp"
#include "format/blosc.hpp"
#include "format/conventions.hpp"
#include "format/packing.hpp"

namespace staithe::format::zarr {
namespace {

using base::fail;

/// Codecs by which chunks may be compressed.
constexpr const char* blosc_codec = "blosc";
constexpr const char* payload_codec = "staithe";
/// Of bounds, in the configuration of that.
constexpr std::array bound_kinds{std::pair{"abs", codecs::Bound::Kind::absolute},
                                 std::pair{"rel", codecs::Bound::Kind::relative},
                                 std::pair{"pw_rel", codecs::Bound::Kind::pointwise_relative}};

struct KnownType {
    Dtype dtype;
    const char* name;
};
constexpr std::array known_types{
    KnownType{Dtype::boolean, "bool"},  KnownType{Dtype::i8, "int8"},         KnownType{Dtype::i16, "int16"},
    KnownType{Dtype::i32, "int32"},     KnownType{Dtype::i64, "int64"},       KnownType{Dtype::u8, "uint8"},
    KnownType{Dtype::u16, "uint16"},    KnownType{Dtype::u32, "uint32"},      KnownType{Dtype::u64, "uint64"},
    KnownType{Dtype::f16, "float16"},   KnownType{Dtype::f32, "float32"},     KnownType{Dtype::f64, "float64"},
    KnownType{Dtype::c64, "complex64"}, KnownType{Dtype::c128, "complex128"},
};

const KnownType* find_type(Dtype dtype) {
    const auto* const found = std::ranges::find(known_types, dtype, &KnownType::dtype);
    return found == known_types.end() ? nullptr : found;
}

Value fill_value(Dtype dtype) {
    if (dtype == Dtype::boolean) {
        return false;
    }
    if (dtype < Dtype::f16) {
        return 0;
    }
    return dtype < Dtype::c64 ? Value(0.0) : Value(List{0.0, 0.0});
}

/// What all arrays have.
Attributes encode_layout(const Extents& shape, const ChunkGrid& grid, std::optional<std::int64_t> steps) {
    List whole, chunk;
    if (steps) {
        whole.emplace_back(*steps);
        chunk.emplace_back(grid.steps);
    }
    whole.insert(whole.end(), shape.begin(), shape.end());
    chunk.insert(chunk.end(), grid.count.begin(), grid.count.end());
    return {
        {"zarr_format", 3},
        {"node_type", "array"},
        {"shape", std::move(whole)},
        {"chunk_grid", Attributes{{"name", "regular"}, {"configuration", Attributes{{"chunk_shape", chunk}}}}},
        {"chunk_key_encoding",
         Attributes{{"name", "default"}, {"configuration", Attributes{{"separator", std::string(1, own_separator)}}}}}};
}

tl::unexpected<base::Failure> unreadable(const std::string& name, const std::string& why) {
    return fail(ErrorCode::protocol, "the array '{}' {}", base::printable(name), why);
}

const Attributes* configuration_of(const Attributes& metadata, const char* field, std::string_view expected) {
    const Attributes* const named = base::map_field(metadata, field);
    const Value* const name = named == nullptr ? nullptr : find(*named, "name");
    if (name == nullptr || name->as_string() == nullptr || *name->as_string() != expected) {
        return nullptr;
    }
    return base::map_field(*named, "configuration");
}

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

/// All of them not negative. The first one goes to `first`, unless that is null, and the others make extents.
std::optional<Extents> rest_of(const List& numbers, std::int64_t* first) {
    const std::size_t begin = first == nullptr ? 0 : 1;
    if (numbers.size() < begin || numbers.size() > max_dimensions + begin) {
        return std::nullopt;
    }
    Extents rest;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto number = numbers[i].as_int();
        if (!number || *number < 0) {
            return std::nullopt;
        }
        if (i < begin) {
            *first = *number;
        } else {
            rest.push_back(*number);
        }
    }
    return rest;
}

}  // namespace

Attributes encode(const ArrayNode& array, std::optional<std::int64_t> steps) {
    const ArrayInfo& info = array.info;
    Attributes metadata = encode_layout(info.shape, array.grid, steps);
    metadata["data_type"] = find_type(info.dtype)->name;
    metadata["fill_value"] = fill_value(info.dtype);
    metadata["codecs"] = encode_codecs(array);
    Labels labels = labels_of(info, steps.has_value());
    metadata["dimension_names"] = std::move(labels.dimensions);
    metadata["attributes"] = without_special_numbers(labels.attributes);
    return metadata;
}

Attributes encode_texts(std::int64_t steps) {
    Attributes metadata = encode_layout({}, {}, steps);
    metadata["data_type"] = "string";
    metadata["fill_value"] = "";
    metadata["codecs"] = List{Attributes{{"name", "vlen-utf8"}, {"configuration", Attributes{}}}};
    metadata["dimension_names"] = List{step_dimension};
    metadata["attributes"] = Attributes{};
    return metadata;
}

Attributes encode_group(const Attributes& attributes) {
    return {{"zarr_format", 3}, {"node_type", "group"}, {"attributes", without_special_numbers(attributes)}};
}

Attributes encode_root(const Attributes& attributes, const std::map<std::string, Attributes>& nodes) {
    Attributes root = encode_group(attributes);
    root["consolidated_metadata"] = Attributes{
        {"kind", "inline"}, {"must_understand", false}, {"metadata", Attributes(nodes.begin(), nodes.end())}};
    return root;
}

base::Result<Described> decode(const std::string& name, const Attributes& metadata, bool lies_along_steps) {
    const List* const shape = base::list_field(metadata, "shape");
    const List* const dimensions = base::list_field(metadata, "dimension_names");
    const List* const codecs = base::list_field(metadata, "codecs");
    const auto type = base::text_field(metadata, "data_type");
    if (shape == nullptr || codecs == nullptr || !type) {
        return unreadable(name, "is not described as Zarr 3 does it");
    }
    const bool is_named = dimensions != nullptr && dimensions->size() == shape->size();
    if (!is_named || (lies_along_steps && (dimensions->empty() || dimensions->front() != Value(step_dimension)))) {
        return unreadable(name,
                          "has no names of dimensions, of which the first one is 'step', as those of recordings do");
    }
    const auto* const known =
        std::ranges::find_if(known_types, [&](const KnownType& each) { return *type == each.name; });
    if (known == known_types.end()) {
        return unreadable(name,
                          fmt::format("has elements '{}', which Staithe has no dtype for", base::printable(*type)));
    }
    const auto packing = packing_of(*codecs, known->dtype);
    if (!packing) {
        return unreadable(name,
                          "is encoded in a way that this version does not read: only what it records itself, "
                          "little-endian bytes, plain or in Blosc's chunks, and payloads of codecs of Staithe");
    }
    Described described{.array = {.info = {.name = name, .dtype = known->dtype}, .packing = *packing}};
    if (*packing == Packing::payload) {
        take_configuration(*codecs, described.array);
    }
    ArrayNode& array = described.array;
    const Attributes* const grid = configuration_of(metadata, "chunk_grid", "regular");
    const Attributes* const keys = configuration_of(metadata, "chunk_key_encoding", "default");
    const List* const chunk = grid == nullptr ? nullptr : base::list_field(*grid, "chunk_shape");
    const std::string separator = keys == nullptr ? "/" : base::text_field(*keys, "separator").value_or("/");
    const auto extents = rest_of(*shape, lies_along_steps ? &described.steps : nullptr);
    const auto count =
        chunk == nullptr ? std::nullopt : rest_of(*chunk, lies_along_steps ? &array.grid.steps : nullptr);
    const auto bytes = count ? size_in_bytes(*count, known->dtype) : std::nullopt;
    if (!extents || !bytes || !size_in_bytes(*extents, known->dtype) ||
        array.grid.steps > INT64_MAX / std::max<std::int64_t>(1, *bytes) || (separator != "." && separator != "/")) {
        return unreadable(name, "has a shape, or chunks, that cannot be");
    }
    array.info.shape = *extents;
    array.grid.count = *count;
    described.separator = separator.front();
    if (array.packing != Packing::none && bytes_of(array.grid, known->dtype) > most_packed_bytes) {
        return unreadable(name, "has compressed chunks that cannot be so large");
    }
    if (!is_readable(array.grid, *extents)) {
        return unreadable(name,
                          "is cut into chunks in which elements do not lie as in the array, which this version "
                          "does not read");
    }
    const Attributes* const attributes = base::map_field(metadata, "attributes");
    take_labels({attributes == nullptr ? Attributes() : *attributes, *dimensions}, lies_along_steps, array.info);
    return described;
}

std::string encode_attributes(const Attributes& attributes) {
    const std::string text = text_of(attributes);
    const std::array<std::uint32_t, 2> numbers{1, static_cast<std::uint32_t>(text.size())};  // texts; bytes of it
    std::string chunk(sizeof(numbers), '\0');
    std::memcpy(chunk.data(), numbers.data(), sizeof(numbers));
    return chunk + text;
}

base::Result<Attributes> decode_attributes(const std::string& chunk) {
    std::array<std::uint32_t, 2> numbers{};
    const std::size_t begin = sizeof(numbers);
    if (chunk.size() >= begin) {
        std::memcpy(numbers.data(), chunk.data(), begin);
    }
    const bool is_text = numbers[0] == 1 && numbers[1] == chunk.size() - begin;
    return is_text ? attributes_in(std::string_view(chunk).substr(begin))
                   : fail(ErrorCode::protocol, "what should be one text is something else");
}

}  // namespace staithe::format::zarr
