// Owns one file descriptor of the kernel, and claims on this process's budget for it.
#pragma once

#include <cerrno>
#include <string>
#include <utility>

#include "base/budget.hpp"
#include "base/result.hpp"

namespace staithe::os {

class FileDescriptor {
  public:
    FileDescriptor() = default;
    /// One that came unasked (a peer passed it) or is needed for a moment: it counts, whatever the limit.
    explicit FileDescriptor(int descriptor);
    FileDescriptor(int descriptor, base::Claim claim);
    FileDescriptor(FileDescriptor&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1)),
          claim_(std::move(other.claim_)),
          further_(std::move(other.further_)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        std::swap(claim_, other.claim_);
        std::swap(further_, other.further_);
        return *this;
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor();

    [[nodiscard]] int get() const { return descriptor_; }
    /// From now on the caller's, who closes it.
    [[nodiscard]] int release();
    [[nodiscard]] explicit operator bool() const { return descriptor_ >= 0; }
    [[nodiscard]] base::Result<FileDescriptor> duplicate() const;
    /// It is something else besides, such as a connection, which has been claimed for as long as it is open.
    void hold(base::Claim claim) { further_ = std::move(claim); }

  private:
    friend class BorrowedDescriptor;
    int descriptor_ = -1;
    base::Claim claim_;
    base::Claim further_;
};

/// A descriptor that somebody else owns, lent for a call.
class BorrowedDescriptor {
  public:
    explicit BorrowedDescriptor(int descriptor) { descriptor_.descriptor_ = descriptor; }
    ~BorrowedDescriptor() { descriptor_.descriptor_ = -1; }
    BorrowedDescriptor(const BorrowedDescriptor&) = delete;
    BorrowedDescriptor& operator=(const BorrowedDescriptor&) = delete;
    // NOLINTNEXTLINE(google-explicit-constructor): it stands wherever a descriptor is asked for
    operator const FileDescriptor&() const { return descriptor_; }

  private:
    FileDescriptor descriptor_;
};

/// One that is kept in reserve, to be given up when the process has no other left. May be empty.
FileDescriptor spare_descriptor();

/// The failure that errno stands for: "cannot <action>: <reason>". Running out of memory, room or descriptors is
/// `limit_reached`, all else `system`.
[[nodiscard]] tl::unexpected<base::Failure> fail_with_errno(int error, const std::string& action);

/// The same for what is done to files of a directory: if that is full, the failure says so.
[[nodiscard]] tl::unexpected<base::Failure> fail_with_errno_in(const std::string& directory, int error,
                                                               const std::string& action);

/// Opens a descriptor within the limit of this process. `open` does so as system calls do: -1 and errno when it fails.
template <class Open>
base::Result<FileDescriptor> open_descriptor(const std::string& action, Open&& open) {
    auto claim = base::claim(base::Resource::descriptors, 1, action);
    if (!claim) {
        return base::fail(std::move(claim));
    }
    const int descriptor = open();
    if (descriptor < 0) {
        return fail_with_errno(errno, action);
    }
    return FileDescriptor(descriptor, *std::move(claim));
}

}  // namespace staithe::os
