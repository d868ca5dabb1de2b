// The metadata of a Zarr store (version 3 of the format, https://zarr-specs.readthedocs.io), as far as recordings have
// it: of groups, and of arrays along the dimension "step". Elements are little-endian; chunks of some
// arrays are compressed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "format/recording.hpp"
#include "format/zarr/chunks.hpp"

namespace staithe::format::zarr {

/// The dimension along which steps lie.
inline constexpr const char* step_dimension = "step";
/// The arrays that say of each step which number it has, and which attributes, as JSON. No variable can be called so.
inline constexpr const char* numbers_name = "step";
inline constexpr const char* attributes_name = "step_attributes";
/// Of the file that has the metadata of a group or an array, in its folder.
inline constexpr const char* metadata_name = "zarr.json";

struct ArrayNode {
    ArrayInfo info;  // of a step; its name is the path of the node, where it lies in no step's own group
    ChunkGrid grid{};
    bool is_packed = false;  // its chunks are compressed
    char separator = '.';    // in the names of chunks
};

/// `invalid_argument` if Zarr has no such elements or no such name.
base::Result<> check(const ArrayInfo& info);

/// Along so many steps, or of one step alone.
Attributes encode(const ArrayNode& array, std::optional<std::int64_t> steps);
/// The array of `attributes_name`, whose chunks have a text each.
Attributes encode_texts(std::int64_t steps);
Attributes encode_group(const Attributes& attributes);
/// A group in which there are these, by their paths: whoever reads this sees all of them or none.
Attributes encode_root(const Attributes& attributes, const std::map<std::string, Attributes>& nodes);

/// Untrusted: `protocol` says what cannot be read. How many steps it has goes to `steps`; null: it is of one step
/// alone.
base::Result<ArrayNode> decode(const std::string& name, const Attributes& metadata, std::int64_t* steps);

/// The group of a step that is unlike the others, and the step of a group.
std::string group_of(std::int64_t step);
std::optional<std::int64_t> step_of(std::string_view group);

/// The attributes of a step, as a chunk of `encode_texts`; and the other way round.
std::string encode_attributes(const Attributes& attributes);
base::Result<Attributes> decode_attributes(const std::string& chunk);

}  // namespace staithe::format::zarr
