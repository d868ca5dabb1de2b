// Memory of another process, a server, that has lent its file: extents are this process's to make and to write, and
// stay with the server when this process goes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "memory/extent_source.hpp"

namespace staithe::memory {

/// Whoever has made the file, and bounds what lies in it.
struct Lessor {
    /// Asked before: `limit_reached` if it has not so much. A deadline holds.
    std::function<base::Result<>(std::int64_t bytes)> lease;
    /// Told afterwards; does not wait.
    std::function<void(std::int64_t bytes)> end_lease;
};

/// Nobody else extends the file.
std::unique_ptr<ExtentSource> leased(os::FileDescriptor file, Lessor lessor);

}  // namespace staithe::memory
