#include "format/zarr/version_2.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/fields.hpp"
#include "base/result.hpp"

namespace staithe::format::zarr {
namespace {

/// Where xarray keeps the names of dimensions.
constexpr const char* dimensions_attribute = "_ARRAY_DIMENSIONS";

Attributes named(const std::string& name, Attributes configuration) {
    return {{"name", name}, {"configuration", std::move(configuration)}};
}

/// As NumPy has it: which bytes come first, a letter, and the size, as "<f4".
std::string type_of(const std::string& dtype) {
    constexpr std::array kinds{std::pair{'i', "int"}, std::pair{'u', "uint"}, std::pair{'f', "float"},
                               std::pair{'c', "complex"}};
    constexpr std::string_view digits = "0123456789";
    if (dtype.size() < 3 || dtype.find_first_not_of(digits, 2) != std::string::npos || dtype.size() > 4) {
        return dtype;
    }
    if (dtype.substr(1) == "b1") {
        return "bool";
    }
    for (const auto& [letter, name] : kinds) {
        if (dtype[1] == letter) {
            return fmt::format("{}{}", name, 8 * std::stoi(dtype.substr(2)));
        }
    }
    return dtype;
}

/// What only numcodecs has is called so.
Attributes codec_of(const Attributes& codec) {
    const std::string id = base::text_field(codec, "id").value_or("");
    const bool is_of_zarr = id == "blosc" || id == "gzip" || id == "zstd";
    return named((is_of_zarr ? "" : "numcodecs.") + id, codec);
}

List codecs_of(const Attributes& array, std::size_t dimensions, const std::string& dtype) {
    List codecs;
    if (base::text_field(array, "order").value_or("C") == "F") {
        List order;
        for (std::size_t i = dimensions; i-- > 0;) {
            order.emplace_back(static_cast<std::int64_t>(i));
        }
        codecs.emplace_back(named("transpose", {{"order", std::move(order)}}));
    }
    codecs.emplace_back(named("bytes", {{"endian", dtype.starts_with('>') ? "big" : "little"}}));
    if (const List* const filters = base::list_field(array, "filters")) {
        for (const Value& filter : *filters) {
            codecs.emplace_back(codec_of(filter.as_map() == nullptr ? Attributes() : *filter.as_map()));
        }
    }
    if (const Attributes* const compressor = base::map_field(array, "compressor")) {
        codecs.emplace_back(codec_of(*compressor));
    }
    return codecs;
}

}  // namespace

Attributes group_of_version_3(const Attributes& attributes) {
    return {{"zarr_format", 3}, {"node_type", "group"}, {"attributes", attributes}};
}

Attributes array_of_version_3(const Attributes& array, const Attributes& attributes) {
    const List* const shape = base::list_field(array, "shape");
    const List* const chunks = base::list_field(array, "chunks");
    const std::string dtype = base::text_field(array, "dtype").value_or("");
    const Value* const fill = find(array, "fill_value");
    const std::string separator = base::text_field(array, "dimension_separator").value_or(".");
    Attributes others = attributes;
    const auto dimensions = others.extract(dimensions_attribute);
    const List lengths = shape == nullptr ? List() : *shape;
    return {{"zarr_format", 3},
            {"node_type", "array"},
            {"shape", lengths},
            {"data_type", type_of(dtype)},
            {"chunk_grid", named("regular", {{"chunk_shape", chunks == nullptr ? List() : *chunks}})},
            {"chunk_key_encoding", named("v2", {{"separator", separator}})},
            {"fill_value", fill == nullptr ? Value() : *fill},
            {"codecs", codecs_of(array, lengths.size(), dtype)},
            {"dimension_names", dimensions.empty() ? Value() : dimensions.mapped()},
            {"attributes", std::move(others)}};
}

}  // namespace staithe::format::zarr
