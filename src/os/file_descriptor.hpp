// Owns one file descriptor of the kernel.
#pragma once

#include <utility>

#include "base/result.hpp"

namespace staithe::os {

class FileDescriptor {
  public:
    FileDescriptor() = default;
    explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}
    FileDescriptor(FileDescriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor();

    [[nodiscard]] int get() const { return descriptor_; }
    [[nodiscard]] int release() { return std::exchange(descriptor_, -1); }
    [[nodiscard]] explicit operator bool() const { return descriptor_ >= 0; }
    [[nodiscard]] base::Result<FileDescriptor> duplicate() const;

  private:
    int descriptor_ = -1;
};

/// A descriptor that somebody else owns, lent for a call.
class BorrowedDescriptor {
  public:
    explicit BorrowedDescriptor(int descriptor) : descriptor_(descriptor) {}
    ~BorrowedDescriptor() { static_cast<void>(descriptor_.release()); }
    BorrowedDescriptor(const BorrowedDescriptor&) = delete;
    BorrowedDescriptor& operator=(const BorrowedDescriptor&) = delete;
    // NOLINTNEXTLINE(google-explicit-constructor): it stands wherever a descriptor is asked for
    operator const FileDescriptor&() const { return descriptor_; }

  private:
    FileDescriptor descriptor_;
};

/// One that is kept in reserve, to be given up when the process has no other left. May be empty.
FileDescriptor spare_descriptor();

/// The failure that errno stands for: "cannot <action>: <reason>". Running out of memory or descriptors is
/// `limit_reached`, all else `system`.
[[nodiscard]] tl::unexpected<base::Failure> fail_with_errno(int error, const std::string& action);

}  // namespace staithe::os
