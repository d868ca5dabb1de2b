#include "format/zarr/metadata.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/fields.hpp"
#include "base/text.hpp"
#include "base/value_codec.hpp"
#include "format/zarr/blosc.hpp"

namespace staithe::format::zarr {
namespace {

using base::fail;

/// Attributes that other programs know by names of their own.
constexpr const char* units = "units";  // CF conventions
constexpr const char* dims = "dims";    // docs/formats/labels.md

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

/// JSON has no such numbers: as texts, like Zarr's fill values.
Value without_special_numbers(const Value& value) {
    if (const List* const list = value.as_list()) {
        List result;
        std::ranges::transform(*list, std::back_inserter(result), without_special_numbers);
        return result;
    }
    if (const Attributes* const map = value.as_map()) {
        Attributes result;
        for (const auto& [key, element] : *map) {
            result.emplace(key, without_special_numbers(element));
        }
        return result;
    }
    const auto number = value.as_double();
    if (!number || std::isfinite(*number)) {
        return value;
    }
    return std::isnan(*number) ? "NaN" : *number > 0 ? "Infinity" : "-Infinity";
}

std::string default_dimension(const std::string& name, std::size_t axis) {
    return fmt::format("{}_dim_{}", name, axis);
}

/// A list of names, or a text of them with blanks between.
List names_in(const Attributes& attributes) {
    if (const List* const list = base::list_field(attributes, dims)) {
        return *list;
    }
    List names;
    std::istringstream text(base::text_field(attributes, dims).value_or(""));
    for (std::string name; text >> name;) {
        names.emplace_back(name);
    }
    return names;
}

/// What the attribute says, if it says what Zarr can.
std::optional<List> named_dimensions(const ArrayInfo& info) {
    List names = names_in(info.attributes);
    std::set<std::string> known{step_dimension};
    const auto is_new = [&](const Value& name) {
        return name.as_string() != nullptr && known.insert(*name.as_string()).second;
    };
    return names.size() == info.shape.size() && std::ranges::all_of(names, is_new) ? std::optional(std::move(names))
                                                                                   : std::nullopt;
}

/// What all arrays have.
Attributes encode_layout(const Extents& shape, const ChunkGrid& grid, char separator,
                         std::optional<std::int64_t> steps) {
    List whole, chunk;
    if (steps) {
        whole.emplace_back(*steps);
        chunk.emplace_back(grid.steps);
    }
    whole.insert(whole.end(), shape.begin(), shape.end());
    chunk.insert(chunk.end(), grid.count.begin(), grid.count.end());
    return {{"zarr_format", 3},
            {"node_type", "array"},
            {"shape", std::move(whole)},
            {"chunk_grid", Attributes{{"name", "regular"}, {"configuration", Attributes{{"chunk_shape", chunk}}}}},
            {"chunk_key_encoding",
             Attributes{{"name", "default"}, {"configuration", Attributes{{"separator", std::string(1, separator)}}}}}};
}

base::Result<> check_name(const std::string& name) {
    std::string_view rest = name;
    for (bool is_end = false; !is_end;) {
        const auto end = rest.find('/');
        const std::string_view part = rest.substr(0, end);
        if (part.empty() || part.find_first_not_of('.') == std::string_view::npos || part.starts_with("__") ||
            part == metadata_name || part.find('\0') != std::string_view::npos || part.size() > 200) {
            return fail(ErrorCode::invalid_argument,
                        "a Zarr file has no variable '{}': between slashes there are 1 to 200 bytes, which are not all "
                        "dots, do not begin with '__', and are not '{}'",
                        base::printable(name), metadata_name);
        }
        is_end = end == std::string_view::npos;
        rest = is_end ? rest : rest.substr(end + 1);
    }
    return {};
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

/// As they are in memory, or that compressed.
bool are_known(const List& codecs, Dtype dtype) {
    if (codecs.empty() || !is_called(codecs.front(), "bytes") || codecs.size() > 2 ||
        (codecs.size() == 2 && !is_called(codecs.back(), "blosc"))) {
        return false;
    }
    const Attributes* const configuration = base::map_field(*codecs.front().as_map(), "configuration");
    return size_of(dtype) == 1 ||
           (configuration != nullptr && base::text_field(*configuration, "endian").value_or("") == "little");
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

/// The dimensions' names go where Staithe has them, unless they are those of arrays whose dimensions have none.
void take_dimensions(List rest, ArrayInfo& info) {
    for (std::size_t i = 0; i < rest.size(); ++i) {
        if (rest[i].as_string() == nullptr) {
            return;
        }
        if (*rest[i].as_string() != default_dimension(info.name, i)) {
            info.attributes[dims] = std::move(rest);
            return;
        }
    }
}

}  // namespace

base::Result<> check(const ArrayInfo& info) {
    if (auto checked = check_name(info.name); !checked) {
        return checked;
    }
    const std::string first = info.name.substr(0, info.name.find('/'));
    if (info.name == numbers_name || info.name == attributes_name || step_of(first)) {
        return fail(
            ErrorCode::invalid_argument,
            "a variable cannot be called '{}' in a Zarr file, where '{}' is an array of all steps, or the group "
            "of one: give it another name",
            info.name, first);
    }
    if (find_type(info.dtype) == nullptr) {
        return fail(ErrorCode::invalid_argument,
                    "'{}' is {}, which Zarr does not have: convert it, as to f8 or c16, before it is recorded",
                    info.name, name_of(info.dtype));
    }
    return {};
}

Attributes encode(const ArrayNode& array, std::optional<std::int64_t> steps) {
    const ArrayInfo& info = array.info;
    Attributes metadata = encode_layout(info.shape, array.grid, array.separator, steps);
    metadata["data_type"] = find_type(info.dtype)->name;
    metadata["fill_value"] = fill_value(info.dtype);
    List codecs{Attributes{{"name", "bytes"}, {"configuration", Attributes{{"endian", "little"}}}}};
    if (array.is_packed) {
        codecs.emplace_back(packed_codec(size_of(info.dtype)));
    }
    metadata["codecs"] = std::move(codecs);
    List dimensions = steps ? List{step_dimension} : List{};
    Attributes attributes = *without_special_numbers(info.attributes).as_map();
    if (auto named = named_dimensions(info)) {
        std::ranges::move(*named, std::back_inserter(dimensions));
        attributes.erase(dims);
    } else {
        for (std::size_t i = 0; i < info.shape.size(); ++i) {
            dimensions.emplace_back(default_dimension(info.name, i));
        }
    }
    metadata["dimension_names"] = std::move(dimensions);
    if (!info.unit.empty()) {
        attributes[units] = info.unit;
    }
    metadata["attributes"] = std::move(attributes);
    return metadata;
}

Attributes encode_texts(std::int64_t steps) {
    Attributes metadata = encode_layout({}, {}, '.', steps);
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

base::Result<ArrayNode> decode(const std::string& name, const Attributes& metadata, std::int64_t* steps) {
    const List* const shape = base::list_field(metadata, "shape");
    const List* const dimensions = base::list_field(metadata, "dimension_names");
    const List* const codecs = base::list_field(metadata, "codecs");
    const auto type = base::text_field(metadata, "data_type");
    if (shape == nullptr || codecs == nullptr || !type) {
        return unreadable(name, "is not described as Zarr 3 does it");
    }
    const bool is_named = dimensions != nullptr && dimensions->size() == shape->size();
    if (!is_named || (steps != nullptr && (dimensions->empty() || dimensions->front() != Value(step_dimension)))) {
        return unreadable(name,
                          "has no names of dimensions, of which the first one is 'step', as those of recordings do");
    }
    const auto* const known =
        std::ranges::find_if(known_types, [&](const KnownType& each) { return *type == each.name; });
    if (known == known_types.end()) {
        return unreadable(name,
                          fmt::format("has elements '{}', which Staithe has no dtype for", base::printable(*type)));
    }
    if (!are_known(*codecs, known->dtype)) {
        return unreadable(name,
                          "is encoded in a way that this version does not read: only what it records itself, "
                          "little-endian bytes, plain or in Blosc's chunks");
    }
    ArrayNode array{.info = {.name = name, .dtype = known->dtype}, .is_packed = codecs->size() == 2};
    const Attributes* const grid = configuration_of(metadata, "chunk_grid", "regular");
    const Attributes* const keys = configuration_of(metadata, "chunk_key_encoding", "default");
    const List* const chunk = grid == nullptr ? nullptr : base::list_field(*grid, "chunk_shape");
    const std::string separator = keys == nullptr ? "/" : base::text_field(*keys, "separator").value_or("/");
    const auto extents = rest_of(*shape, steps);
    const auto count =
        chunk == nullptr ? std::nullopt : rest_of(*chunk, steps == nullptr ? nullptr : &array.grid.steps);
    const auto bytes = count ? size_in_bytes(*count, known->dtype) : std::nullopt;
    if (!extents || !bytes || !size_in_bytes(*extents, known->dtype) ||
        array.grid.steps > INT64_MAX / std::max<std::int64_t>(1, *bytes) || (separator != "." && separator != "/")) {
        return unreadable(name, "has a shape, or chunks, that cannot be");
    }
    array.info.shape = *extents;
    array.grid.count = *count;
    array.separator = separator.front();
    if (array.is_packed && bytes_of(array.grid, known->dtype) > most_packed_bytes) {
        return unreadable(name, "has compressed chunks that cannot be so large");
    }
    if (!is_readable(array.grid, *extents)) {
        return unreadable(name,
                          "is cut into chunks in which elements do not lie as in the array, which this version "
                          "does not read");
    }
    if (const Attributes* const attributes = base::map_field(metadata, "attributes")) {
        array.info.attributes = *attributes;
    }
    if (const auto unit = base::text_field(array.info.attributes, units)) {
        array.info.unit = *unit;
        array.info.attributes.erase(units);
    }
    take_dimensions({dimensions->begin() + (steps == nullptr ? 0 : 1), dimensions->end()}, array.info);
    return array;
}

std::string group_of(std::int64_t step) { return fmt::format("step_{}", step); }

std::optional<std::int64_t> step_of(std::string_view group) {
    constexpr std::string_view before = "step_";
    std::int64_t step = 0;
    const char* const end = group.data() + group.size();
    if (!group.starts_with(before)) {
        return std::nullopt;
    }
    const auto [stop, error] = std::from_chars(group.data() + before.size(), end, step);
    return error == std::errc() && stop == end && step >= 0 ? std::optional(step) : std::nullopt;
}

std::string encode_attributes(const Attributes& attributes) {
    const std::string text = base::to_json(without_special_numbers(attributes));
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
    const auto value = is_text ? base::from_json(std::string_view(chunk).substr(begin))
                               : fail(ErrorCode::protocol, "what should be one text is something else");
    const Attributes* const attributes = value ? value->as_map() : nullptr;
    return attributes != nullptr ? base::Result<Attributes>(*attributes)
                                 : fail(ErrorCode::protocol, "what should be attributes is something else");
}

}  // namespace staithe::format::zarr
