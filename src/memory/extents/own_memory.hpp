// Memory of this process, in a file without a name (memfd).
#pragma once

#include <memory>
#include <string>

#include "memory/extent_source.hpp"

namespace staithe::memory {

/// `name` is what /proc shows. Within what the machine has, if it is budgeted.
base::Result<std::unique_ptr<ExtentSource>> own_memory(const std::string& name);

}  // namespace staithe::memory
