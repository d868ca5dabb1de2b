// The metadata of a Zarr store (version 3 of the format, https://zarr-specs.readthedocs.io), as far as recordings have
// it: of groups, and of arrays along the dimension "step". Elements are little-endian; chunks of some
// arrays are compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "format/plan.hpp"
#include "format/zarr/chunk_files.hpp"

namespace staithe::format::zarr {

/// Of the file that has the metadata of a group or an array, in its folder.
inline constexpr const char* metadata_name = "zarr.json";
/// Bytes that one has: that of the root has those of all arrays, too.
inline constexpr std::size_t most_metadata = std::size_t{256} << 20;

/// Along so many steps, or of one step alone.
Attributes encode(const ArrayNode& array, std::optional<std::int64_t> steps);
/// The array of `attributes_name`, whose chunks have a text each.
Attributes encode_texts(std::int64_t steps);
Attributes encode_group(const Attributes& attributes);
/// A group in which there are these, by their paths: whoever reads this sees all of them or none.
Attributes encode_root(const Attributes& attributes, const std::map<std::string, Attributes>& nodes);

/// What metadata say of an array.
struct Described {
    ArrayNode array;         // its name is the path of the node, where it lies in no step's own group
    std::int64_t steps = 0;  // unless it is of one alone
    ChunkKeys keys{};
};

/// And of no group.
[[nodiscard]] bool is_array(const Attributes& metadata);
/// Whether Staithe has a dtype for its elements.
[[nodiscard]] bool has_known_type(const Attributes& metadata);
/// Null where it has none, as some dimensions of other programs' arrays.
[[nodiscard]] List names_of_dimensions_in(const Attributes& metadata);

/// Untrusted: `protocol` says what cannot be read. Of chunks that are not there elements have the fill value.
base::Result<Described> decode(const std::string& name, const Attributes& metadata, bool lies_along_steps);

/// The attributes of a step, as a chunk of `encode_texts`; and the other way round.
std::string encode_attributes(const Attributes& attributes);
base::Result<Attributes> decode_attributes(const std::string& chunk);

}  // namespace staithe::format::zarr
