// A Zarr store that is a recording, as its metadata say: what writers go on from, and readers read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "format/zarr/metadata.hpp"

namespace staithe::format::zarr {

struct Store {
    std::string path;
    Attributes attributes{};          // of the stream
    std::vector<ArrayNode> arrays{};  // of variables, in the order of their names
    std::vector<std::int64_t> numbers{};

    [[nodiscard]] std::string folder_of(const std::string& array) const { return path + "/" + array; }
    [[nodiscard]] std::string file_of(const std::string& array, const std::string& chunk) const {
        return folder_of(array) + "/" + chunk;
    }
    [[nodiscard]] std::string texts_file_of(std::int64_t step) const;
};

/// The array of `numbers_name`.
[[nodiscard]] ArrayNode numbers_node();

/// `not_found` if there is nothing; `protocol` if it is no recording, or damaged.
base::Result<Store> load(const std::string& path);

}  // namespace staithe::format::zarr
