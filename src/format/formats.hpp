// The one list of formats. Which one it is, the ending of the path says.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "format/recording.hpp"

namespace staithe::format {

/// `invalid_argument` unless it ends as the paths of a format do.
[[nodiscard]] base::Result<> check_path(const std::string& path);

/// `already_exists` where there is something, unless it is to be continued; or somebody writes there.
base::Result<std::unique_ptr<RecordingWriter>> create_recording(const std::string& path, const Attributes& attributes,
                                                                bool resume);
base::Result<std::unique_ptr<RecordingReader>> open_recording(const std::string& path);

}  // namespace staithe::format
