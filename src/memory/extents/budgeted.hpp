// A source within the budget of this process, and within the memory of this machine: what it makes is claimed as memory
// until it is given back.
#pragma once

#include <memory>
#include <string>

#include "memory/extent_source.hpp"

namespace staithe::memory {

/// `name` is the pool's, for messages. An extent that either has no room for is `limit_reached`.
std::unique_ptr<ExtentSource> budgeted(std::unique_ptr<ExtentSource> source, std::string name);

}  // namespace staithe::memory
