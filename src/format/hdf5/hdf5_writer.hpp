// Writes steps to an HDF5 file, which stock tools read (docs/formats/hdf5_recording.md).
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "format/recording.hpp"

namespace staithe::format::hdf5 {

base::Result<std::unique_ptr<RecordingWriter>> create(const std::string& path, const Attributes& attributes,
                                                      bool resume);

}  // namespace staithe::format::hdf5
