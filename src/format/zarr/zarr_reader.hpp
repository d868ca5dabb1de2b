// Reads what zarr_writer.hpp has written.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "format/recording.hpp"

namespace staithe::format::zarr {

base::Result<std::unique_ptr<RecordingReader>> open(const std::string& path);

}  // namespace staithe::format::zarr
