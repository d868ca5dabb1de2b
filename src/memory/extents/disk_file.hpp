// A file without a name on a disk: for blocks that memory has no room for.
#pragma once

#include <memory>
#include <string>

#include "memory/extent_source.hpp"

namespace staithe::memory {

/// On the file system that `directory` lies on.
base::Result<std::unique_ptr<ExtentSource>> disk_file(const std::string& directory);

}  // namespace staithe::memory
