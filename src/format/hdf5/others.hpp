// Files that other programs have written, such as h5py, netCDF and xarray: which of their arrays lie along steps.
#pragma once

#include <span>
#include <string>

#include "base/result.hpp"
#include "format/hdf5/image.hpp"
#include "format/hdf5/messages.hpp"
#include "format/hdf5/store.hpp"

namespace staithe::format::hdf5 {

/// All arrays of the groups that begin with this header of the root, which is untrusted; `path` for people.
base::Result<> load_others(const Image& image, std::span<const Message> root, const std::string& path, Store& store);

}  // namespace staithe::format::hdf5
