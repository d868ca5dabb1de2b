// The header of a .npy file: which array it holds, and where the elements begin. Versions 1 to 3, as NumPy writes them.
//
// Files are anybody's: what they say is checked here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <staithe/box.hpp>
#include <staithe/dtype.hpp>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::stream::npy {

struct ArrayFile {
    Dtype dtype = Dtype::u8;
    bool column_major = false;
    Extents shape{};
    std::int64_t offset = 0;  // of the first element
    std::int64_t bytes = 0;   // of all elements
};

/// `protocol` if it is no .npy file, is shorter than it says, or has elements that are no dtype of Staithe's: the
/// message names the path, and what to do.
base::Result<ArrayFile> read_header(const os::FileDescriptor& file, const std::string& path);

/// The dictionary in it; `offset` is left to the caller.
base::Result<ArrayFile> parse_dictionary(std::string_view text);

}  // namespace staithe::stream::npy
