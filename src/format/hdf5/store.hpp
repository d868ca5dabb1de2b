// An HDF5 file as its objects say: what writers go on from, if it is a recording, and readers read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "format/hdf5/datasets.hpp"
#include "format/hdf5/image.hpp"
#include "format/hdf5/objects.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::format::hdf5 {

/// A step that is unlike the others.
struct StepApart {
    Address group = nowhere;
    Attributes attributes{};
    std::vector<Dataset> arrays{};  // by name
};

struct Store {
    Superblock superblock{};
    Attributes attributes{};              // of the stream
    std::vector<Dataset> arrays{};        // along steps, by name
    std::vector<std::int64_t> numbers{};  // of these steps, ascending
    Dataset numbers_array = numbers_dataset();
    Dataset texts_array = texts_dataset();
    std::map<std::int64_t, StepApart> apart{};

    // What another program has written may be otherwise:
    bool is_own = true;
    std::vector<Dataset> still{};  // the same in all steps, by name

    [[nodiscard]] std::optional<std::int64_t> newest() const;
};

/// `protocol` if it is damaged, or has what cannot be read; `path` for people.
base::Result<Store> load(const os::FileDescriptor& file, const std::string& path);

}  // namespace staithe::format::hdf5
