// Another process's pool in a file that could shrink, read piece by piece.
//
// It is never mapped: files of file systems cannot be sealed, and whoever has a file mapped that its owner truncates
// dies of SIGBUS. Here that is an error. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::transport {

class PoolFile {
  public:
    explicit PoolFile(os::FileDescriptor file) : file_(std::move(file)) {}

    /// `protocol` if what a peer passed is no file: reading from something else could take for ever.
    static base::Result<> check(const os::FileDescriptor& file);

    /// Fills `destination` with the bytes at `offset`; `protocol` if the file has not so many there.
    base::Result<> read(std::int64_t offset, std::span<std::byte> destination) const;

    /// The bytes at [offset, offset + length); `protocol` if they are not there.
    [[nodiscard]] base::Result<std::vector<std::byte>> copy_of(std::int64_t offset, std::int64_t length) const;

    [[nodiscard]] const os::FileDescriptor& file() const { return file_; }

  private:
    const os::FileDescriptor file_;
};

}  // namespace staithe::transport
