// A Zarr store as its metadata say: what writers go on from, if it is a recording, and readers read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "format/conventions.hpp"
#include "format/zarr/metadata.hpp"

namespace staithe::format::zarr {

/// A step that is unlike the others.
struct StepApart {
    Attributes attributes{};
    std::vector<ArrayNode> arrays{};  // by name
};

/// The array of `numbers_name`, of a new store.
[[nodiscard]] ArrayNode numbers_node();

struct Store {
    std::string path;
    Attributes attributes{};              // of the stream
    std::vector<ArrayNode> arrays{};      // along steps, by name
    std::vector<std::int64_t> numbers{};  // of these steps, ascending
    ArrayNode numbers_array = numbers_node();
    ChunkKeys keys = own_keys;
    std::map<std::int64_t, StepApart> apart{};

    // What another program has written may be otherwise:
    bool is_own = true;
    std::vector<ArrayNode> still{};  // the same in all steps, by name
    bool is_array = false;           // and no group

    [[nodiscard]] std::optional<std::int64_t> newest() const;
    /// Of a group or an array; its path begins in the store.
    [[nodiscard]] std::string folder_of(const std::string& node) const { return is_array ? path : path + "/" + node; }
    /// In the folder of `attributes_name`, with those of the step of that place, of those that lie along steps.
    [[nodiscard]] static std::string attributes_file_of(std::int64_t place);
};

/// `not_found` if there is nothing; `protocol` if it is damaged, or has what cannot be read.
base::Result<Store> load(const std::string& path);

}  // namespace staithe::format::zarr
