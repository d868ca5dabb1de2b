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

/// Of something that lies in a file: from its byte `first` on.
struct FilePart {
    std::int64_t offset = 0;  // where it begins
    std::int64_t bytes = 0;   // of all of it
    std::int64_t first = 0;
};

class PoolFile {
  public:
    explicit PoolFile(os::FileDescriptor file) : file_(std::move(file)) {}
    virtual ~PoolFile() = default;
    PoolFile(const PoolFile&) = delete;
    PoolFile& operator=(const PoolFile&) = delete;

    /// `protocol` if what a peer passed is no file: reading from something else could take for ever.
    static base::Result<> check(const os::FileDescriptor& file);

    /// Fills `destination` with the bytes at `offset`; `protocol` if the file has not so many there.
    base::Result<> read(std::int64_t offset, std::span<std::byte> destination) const;

    /// The bytes at [offset, offset + length); `protocol` if they are not there.
    [[nodiscard]] base::Result<std::vector<std::byte>> copy_of(std::int64_t offset, std::int64_t length) const;

    /// Fills `destination`; `protocol` if the part is not there. Who knows more of what lies there checks that, too.
    virtual base::Result<> read_part(const FilePart& part, std::span<std::byte> destination) const;

    /// So many bytes of it.
    [[nodiscard]] base::Result<std::vector<std::byte>> copy_of_part(const FilePart& part, std::int64_t length) const;

    [[nodiscard]] const os::FileDescriptor& file() const { return file_; }

  protected:
    /// `protocol` if it cannot have so many bytes.
    static base::Result<> check(const FilePart& part, std::int64_t length);

  private:
    [[nodiscard]] base::Result<> check_range(std::int64_t offset, std::int64_t length) const;

    const os::FileDescriptor file_;
};

}  // namespace staithe::transport
