// A file that is read from front to back: many small parts of it with one call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::store::log {

class Window {
  public:
    explicit Window(const os::FileDescriptor& file) : file_(file) {}

    /// So many bytes from there on, or as many as the file has; as long as nothing else is asked for.
    base::Result<std::span<const std::byte>> at(std::int64_t offset, std::uint64_t count);
    /// The same, to where they are wanted: how many.
    base::Result<std::size_t> copy(std::int64_t offset, std::span<std::byte> destination);

  private:
    const os::FileDescriptor& file_;
    std::int64_t begin_ = 0;
    std::vector<std::byte> bytes_;  // from there on
};

}  // namespace staithe::store::log
