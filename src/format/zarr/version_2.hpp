// Metadata of version 2 of Zarr (https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html), as version 3 says the same.
#pragma once

#include <staithe/value.hpp>

namespace staithe::format::zarr {

/// Of the files that have the metadata of an array, a group, and the attributes of either.
inline constexpr const char* array_name_2 = ".zarray";
inline constexpr const char* group_name_2 = ".zgroup";
inline constexpr const char* attributes_name_2 = ".zattrs";
/// Of all of a store.
inline constexpr const char* consolidated_name_2 = ".zmetadata";

/// Untrusted: what is not understood becomes what version 3 does not know, and is told when it is read.
[[nodiscard]] Attributes group_of_version_3(const Attributes& attributes);
[[nodiscard]] Attributes array_of_version_3(const Attributes& array, const Attributes& attributes);

}  // namespace staithe::format::zarr
