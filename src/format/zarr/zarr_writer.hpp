// Writes steps to a Zarr store: a folder that stock tools read (docs/formats/zarr_recording.md).
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "format/recording.hpp"

namespace staithe::format::zarr {

base::Result<std::unique_ptr<RecordingWriter>> create(const std::string& path, const Attributes& attributes,
                                                      bool resume);

}  // namespace staithe::format::zarr
