// What there is in a Zarr store: the metadata of all its arrays and groups, by their paths, as version 3 of the
// format has them, whichever it is.
#pragma once

#include <map>
#include <string>

#include <staithe/value.hpp>

#include "base/result.hpp"

namespace staithe::format::zarr {

struct Nodes {
    Attributes attributes{};                  // of all of it
    std::map<std::string, Attributes> all{};  // the root is none of them, unless it is an array,
    bool is_array = false;                    // which then is the only one
};

/// As consolidated metadata say, where there are such, else as its folders do. `not_found` if there is no store;
/// `protocol` if it is something else, or damaged. Untrusted.
[[nodiscard]] base::Result<Nodes> read_nodes(const std::string& path);

}  // namespace staithe::format::zarr
