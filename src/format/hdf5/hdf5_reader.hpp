// Reads recordings in HDF5.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "format/recording.hpp"

namespace staithe::format::hdf5 {

base::Result<std::unique_ptr<RecordingReader>> open(const std::string& path);

}  // namespace staithe::format::hdf5
