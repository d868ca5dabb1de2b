#include "format/zarr/metadata.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "base/fields.hpp"
#include "base/text.hpp"
#include "base/value_codec.hpp"
#include "format/conventions.hpp"
#include "format/packing.hpp"
#include "format/zarr/codecs.hpp"
#include "format/zarr/fill_value.hpp"

namespace staithe::format::zarr {
namespace {

using base::fail;

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

const KnownType* type_called(std::string_view name) {
    const auto* const found =
        std::ranges::find_if(known_types, [&](const KnownType& each) { return name == each.name; });
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

/// With the dimension of steps, if there is one.
List with_steps(const Extents& extents, std::optional<std::int64_t> steps) {
    List all;
    if (steps) {
        all.emplace_back(*steps);
    }
    all.insert(all.end(), extents.begin(), extents.end());
    return all;
}

/// Of a file, in elements.
ChunkGrid in_a_file(const ChunkGrid& grid) {
    ChunkGrid all{grid.steps, grid.count};
    if (grid.shard) {
        all.steps *= grid.shard->steps;
        for (std::size_t i = 0; i < all.count.size(); ++i) {
            all.count[i] *= grid.shard->count[i];
        }
    }
    return all;
}

List chunk_shape(const ChunkGrid& grid, bool lies_along_steps) {
    return with_steps(grid.count, lies_along_steps ? std::optional(grid.steps) : std::nullopt);
}

/// What all arrays have.
Attributes encode_layout(const Extents& shape, const ChunkGrid& grid, std::optional<std::int64_t> steps) {
    const List file = chunk_shape(in_a_file(grid), steps.has_value());
    return {{"zarr_format", 3},
            {"node_type", "array"},
            {"shape", with_steps(shape, steps)},
            {"chunk_grid", Attributes{{"name", "regular"}, {"configuration", Attributes{{"chunk_shape", file}}}}},
            {"chunk_key_encoding",
             Attributes{{"name", "default"},
                        {"configuration", Attributes{{"separator", std::string(1, own_keys.separator)}}}}}};
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

/// All of them not negative, the first one that of steps where there are such. Nothing, if it is no such list.
std::optional<ChunkGrid> extents_in(const List* numbers, bool has_steps) {
    const std::size_t begin = has_steps ? 1 : 0;
    if (numbers == nullptr || numbers->size() < begin || numbers->size() > max_dimensions + begin) {
        return std::nullopt;
    }
    ChunkGrid extents;
    for (std::size_t i = 0; i < numbers->size(); ++i) {
        const auto number = (*numbers)[i].as_int();
        if (!number || *number < 0) {
            return std::nullopt;
        }
        if (i < begin) {
            extents.steps = *number;
        } else {
            extents.count.push_back(*number);
        }
    }
    return extents;
}

/// Of a file whose chunks are cut so. Nothing if they do not fill it, or are too many for any program.
std::optional<Shard> shard_between(const ChunkGrid& file, const ChunkGrid& chunk) {
    constexpr std::int64_t most_chunks = std::int64_t{1} << 20;
    std::int64_t all = 1;
    bool is_filled = file.count.size() == chunk.count.size();
    const auto chunks_in = [&](std::int64_t whole, std::int64_t part) {
        is_filled = is_filled && part > 0 && whole > 0 && whole % part == 0 && whole / part <= most_chunks / all;
        const std::int64_t chunks = is_filled ? whole / part : 1;
        all *= chunks;
        return chunks;
    };
    Shard shard{.steps = chunks_in(file.steps, chunk.steps)};
    for (std::size_t i = 0; is_filled && i < file.count.size(); ++i) {
        shard.count.push_back(chunks_in(file.count[i], chunk.count[i]));
    }
    return is_filled ? std::optional(shard) : std::nullopt;
}

/// How the array is cut, whatever its shape; nothing if it cannot be so.
std::optional<ChunkGrid> grid_of(const Attributes& metadata, const std::optional<ShardCodec>& shard, bool has_steps) {
    const Attributes* const regular = configuration_of(metadata, "chunk_grid", "regular");
    const auto file = extents_in(regular == nullptr ? nullptr : base::list_field(*regular, "chunk_shape"), has_steps);
    if (!file || !shard) {
        return file;
    }
    auto grid = extents_in(shard->chunk_shape, has_steps);
    if (grid) {
        grid->shard = shard_between(*file, *grid);
    }
    return grid && grid->shard ? grid : std::nullopt;
}

/// Nothing if files of chunks are called in another way.
std::optional<ChunkKeys> keys_of(const Attributes& metadata) {
    const Attributes* const encoding = base::map_field(metadata, "chunk_key_encoding");
    const bool is_of_version_2 = encoding != nullptr && base::text_field(*encoding, "name").value_or("") == "v2";
    const Attributes* const keys = configuration_of(metadata, "chunk_key_encoding", is_of_version_2 ? "v2" : "default");
    const std::string by_default = is_of_version_2 ? "." : "/";
    const std::string separator =
        keys == nullptr ? by_default : base::text_field(*keys, "separator").value_or(by_default);
    return separator == "." || separator == "/" ? std::optional(ChunkKeys{separator.front(), !is_of_version_2})
                                                : std::nullopt;
}

}  // namespace

Attributes encode(const ArrayNode& array, std::optional<std::int64_t> steps) {
    const ArrayInfo& info = array.info;
    Attributes metadata = encode_layout(info.shape, array.grid, steps);
    metadata["data_type"] = find_type(info.dtype)->name;
    metadata["fill_value"] = fill_value(info.dtype);
    metadata["codecs"] = array.grid.shard
                             ? List{encode_shard(chunk_shape(array.grid, steps.has_value()), encode_codecs(array))}
                             : encode_codecs(array);
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

bool is_array(const Attributes& metadata) { return base::text_field(metadata, "node_type").value_or("") == "array"; }

bool has_known_type(const Attributes& metadata) {
    return type_called(base::text_field(metadata, "data_type").value_or("")) != nullptr;
}

List names_of_dimensions_in(const Attributes& metadata) {
    const List* const names = base::list_field(metadata, "dimension_names");
    return names == nullptr ? List() : *names;
}

base::Result<Described> decode(const std::string& name, const Attributes& metadata, bool lies_along_steps) {
    const List* const shape = base::list_field(metadata, "shape");
    const List* const codecs = base::list_field(metadata, "codecs");
    const auto type = base::text_field(metadata, "data_type");
    if (shape == nullptr || codecs == nullptr || !type) {
        return unreadable(name, "is not described as Zarr 3 does it");
    }
    const KnownType* const known = type_called(*type);
    if (known == nullptr) {
        return unreadable(name,
                          fmt::format("has elements '{}', which Staithe has no dtype for", base::printable(*type)));
    }
    Described described{.array = {.info = {.name = name, .dtype = known->dtype}}};
    ArrayNode& array = described.array;
    const auto shard = shard_of(*codecs);
    const auto taken =
        shard ? take_codecs(*shard ? *(*shard)->codecs : *codecs, shape->size(), array) : base::Result<>(fail(shard));
    if (!taken) {
        return unreadable(name, taken.error().message);
    }
    const auto keys = keys_of(metadata);
    const auto extents = extents_in(shape, lies_along_steps);
    const auto grid = grid_of(metadata, *shard, lies_along_steps);
    const auto bytes = grid ? size_in_bytes(grid->count, known->dtype) : std::nullopt;
    if (!extents || !bytes || !size_in_bytes(extents->count, known->dtype) ||
        grid->steps > INT64_MAX / std::max<std::int64_t>(1, *bytes) || !keys) {
        return unreadable(name, "has a shape, or chunks, that cannot be");
    }
    described.steps = lies_along_steps ? extents->steps : 0;
    array.info.shape = extents->count;
    array.grid = *grid;
    described.keys = *keys;
    if (array.coding && !is_readable(array.grid, extents->count)) {
        array.packing = Packing::coded;
    }
    if (array.packing != Packing::none && bytes_of(array.grid, known->dtype) > most_packed_bytes) {
        return unreadable(name, "has compressed chunks that cannot be so large");
    }
    if (!are_few_enough(array.grid, extents->count)) {
        return unreadable(name, "is cut into more chunks than can be");
    }
    const bool is_cut_anyhow =
        array.packing == Packing::coded || (array.packing == Packing::payload && array.grid.steps == 1);
    if (!is_cut_anyhow && !is_readable(array.grid, extents->count)) {
        return unreadable(name,
                          "has chunks of several steps, and of a part of each, which Staithe reads in other "
                          "codecs than its own: cut them so that each has one step");
    }
    const Value* const fill = find(metadata, "fill_value");
    array.fill = fill == nullptr ? FillValue{} : fill_value_in(*fill, known->dtype);
    if (!array.fill) {
        return unreadable(name, "has a fill value that is none of its dtype");
    }
    const Attributes* const attributes = base::map_field(metadata, "attributes");
    take_labels({attributes == nullptr ? Attributes() : *attributes, names_of_dimensions_in(metadata)},
                lies_along_steps, array.info);
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
