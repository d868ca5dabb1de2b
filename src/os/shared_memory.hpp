// Anonymous files, in memory (memfd) or on disk, and mappings of ranges of them.
//
// Such a file has no name in any file system: it lives as long as a descriptor or a mapping of it, so nothing is left
// behind when its processes are killed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::os {

enum class Access { read_only, read_write };

/// Whether a mapping gets its page tables filled at once: a first touch later costs 30 times as much. A range with
/// holes is never populated, since that would fill them.
enum class Populate { no, yes };

/// `name` is what /proc shows.
base::Result<FileDescriptor> create_memory_file(const std::string& name);

/// A file of the file system that `directory` lies on. Its pages are memory only as long as the system has it to spare.
base::Result<FileDescriptor> create_disk_file(const std::string& directory);

/// `limit_reached` if this machine has not so much memory left: asked to allocate it all the same, the kernel would
/// end a process to get it.
base::Result<> check_available_memory(std::int64_t length);

/// Extends the file to `offset + length` and gives that range its pages now, where running out of memory is
/// an error and not a SIGBUS later.
base::Result<> allocate_range(const FileDescriptor& file, std::int64_t offset, std::int64_t length);

/// Gives the pages of a range back to the system; the range then reads as zeros.
void discard_range(const FileDescriptor& file, std::int64_t offset, std::int64_t length);

/// A second descriptor of the same memory which no one can map for writing.
base::Result<FileDescriptor> duplicate_read_only(const FileDescriptor& file);

/// A second descriptor of memory that was passed read-only by this process or one of its user, for writing. Who has it
/// registered with an adapter needs that, on kernels before 6.2, even if nobody writes.
base::Result<FileDescriptor> duplicate_for_update(const FileDescriptor& file);

/// Whether any of the range has pages that were touched, as far as the file system knows: a range that was discarded
/// has none.
bool has_pages(const FileDescriptor& file, std::int64_t offset, std::int64_t length);

/// From now on the file has this size for ever.
base::Result<> fix_size(const FileDescriptor& file);

/// From now on nobody else writes to the file or maps it for writing, whatever descriptor it has; mappings that there
/// are stay. Kernels before 5.1 do not know that, and hold others only to the descriptors that they were given.
void close_for_writing(const FileDescriptor& file);

/// `protocol` unless a descriptor that a peer passed is of a memory file that cannot shrink: whoever maps something
/// else may die of SIGBUS later, when the peer truncates it. If a size is given, it must have that, and have its memory
/// already: else whoever touches it would make it for the peer.
base::Result<> check_shared_memory(const FileDescriptor& file, std::optional<std::int64_t> size = std::nullopt);

base::Result<std::int64_t> size_of_file(const FileDescriptor& file);

std::size_t page_size();

/// A mapped range of a file, unmapped at the end.
class Mapping {
  public:
    Mapping() = default;
    Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
    Mapping& operator=(Mapping&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping();

    /// Maps [offset, offset + length), which must lie within the file: a shorter file is an error here rather
    /// than a SIGBUS at first use.
    static base::Result<Mapping> map(const FileDescriptor& file, std::int64_t offset, std::int64_t length,
                                     Access access, Populate populate);

    [[nodiscard]] std::byte* data() const { return bytes_.data(); }
    [[nodiscard]] std::size_t size() const { return bytes_.size(); }

  private:
    std::span<std::byte> bytes_;
};

}  // namespace staithe::os
