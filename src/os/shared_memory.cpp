#include "os/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "base/config.hpp"
#include "os/file_limit.hpp"
#include "os/uninterrupted.hpp"

namespace staithe::os {
namespace {

constexpr std::int64_t worth_a_look = 16 << 20;  // looking takes as long as some dozen pages

/// What the kernel could give without ending a process for it; a very large number if it does not say.
std::int64_t available_memory() {
    std::ifstream lines("/proc/meminfo");
    std::int64_t kibibytes = -1;
    for (std::string name, rest; lines >> name && name != "MemAvailable:"; std::getline(lines, rest)) {
    }
    return lines >> kibibytes ? kibibytes * 1024 : INT64_MAX;
}

}  // namespace

base::Result<FileDescriptor> create_memory_file(const std::string& name) {
    auto file = open_descriptor("create shared memory",
                                [&] { return ::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING); });
    if (!file) {
        return file;
    }
    // A file that shrank under a reader would kill it with SIGBUS.
    if (::fcntl(file->get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
        return fail_with_errno(errno, "seal shared memory against shrinking");
    }
    // Else a reader of another user could open the descriptor that it was given again, for writing.
    if (::fchmod(file->get(), 0600) != 0) {
        return fail_with_errno(errno, "close shared memory to other users");
    }
    return file;
}

base::Result<> check_available_memory(std::int64_t length) {
    if (const std::int64_t available = length < worth_a_look ? length : available_memory(); length > available) {
        return base::fail(ErrorCode::limit_reached,
                          "cannot allocate {} of shared memory: this machine has {} left; use smaller steps or a "
                          "smaller queue (queue_steps, queue_bytes), or free memory",
                          base::format_bytes(length), base::format_bytes(available));
    }
    return {};
}

base::Result<FileDescriptor> create_disk_file(const std::string& directory) {
    return open_descriptor("make a file in " + directory, [&] {
        int file = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (file < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
            // A file system that knows no files without a name (NFS, Lustre): one that loses its name at once.
            std::string path = directory + "/staithe-XXXXXX";
            file = ::mkostemp(path.data(), O_CLOEXEC);
            if (file >= 0) {
                ::unlink(path.c_str());
            }
        }
        return file;
    });
}

base::Result<> allocate_range(const FileDescriptor& file, std::int64_t offset, std::int64_t length) {
    if (auto may = check_size_of_file(static_cast<std::uint64_t>(offset + length), "a file of blocks"); !may) {
        return may;
    }
    if (uninterrupted([&] { return ::fallocate(file.get(), 0, offset, length); }) != 0) {
        return fail_with_errno(errno, fmt::format("allocate {} bytes of shared memory", length));
    }
    return {};
}

void discard_range(const FileDescriptor& file, std::int64_t offset, std::int64_t length) {
    // Failing to give memory back is no failure of the caller's; the range stays usable either way.
    static_cast<void>(::fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length));
}

base::Result<FileDescriptor> duplicate_read_only(const FileDescriptor& file) {
    const std::string path = fmt::format("/proc/self/fd/{}", file.get());
    return open_descriptor("open shared memory for reading through " + path,
                           [&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
}

base::Result<FileDescriptor> duplicate_for_update(const FileDescriptor& file) {
    const std::string path = fmt::format("/proc/self/fd/{}", file.get());
    return open_descriptor("open shared memory for writing through " + path,
                           [&] { return ::open(path.c_str(), O_RDWR | O_CLOEXEC); });
}

bool has_pages(const FileDescriptor& file, std::int64_t offset, std::int64_t length) {
    const off_t next = ::lseek(file.get(), offset, SEEK_DATA);
    return next >= 0 ? next < offset + length : errno != ENXIO;
}

base::Result<> fix_size(const FileDescriptor& file) {
    if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
        return fail_with_errno(errno, "seal the size of shared memory");
    }
    return {};
}

void close_for_writing(const FileDescriptor& file) {
    static_cast<void>(::fcntl(file.get(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE));
}

base::Result<> check_shared_memory(const FileDescriptor& file, std::optional<std::int64_t> size) {
    // Only memory files have seals.
    const int seals = ::fcntl(file.get(), F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
        return base::fail(ErrorCode::protocol, "a peer passed a file that is no shared memory, or could shrink");
    }
    struct stat status{};
    if (::fstat(file.get(), &status) != 0) {
        return fail_with_errno(errno, "look at shared memory");
    }
    constexpr std::int64_t block = 512;  // of st_blocks
    if (size && (status.st_size != *size || status.st_blocks * block < *size)) {
        return base::fail(ErrorCode::protocol,
                          "a peer passed shared memory of {} bytes, {} of them allocated, and says that it has {}",
                          status.st_size, status.st_blocks * block, *size);
    }
    return {};
}

base::Result<std::int64_t> size_of_file(const FileDescriptor& file) {
    struct stat status{};
    if (::fstat(file.get(), &status) != 0) {
        return fail_with_errno(errno, "ask for the size of shared memory");
    }
    return static_cast<std::int64_t>(status.st_size);
}

std::size_t page_size() {
    static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return size;
}

Mapping::~Mapping() {
    if (!bytes_.empty()) {
        ::munmap(bytes_.data(), bytes_.size());
    }
}

base::Result<Mapping> Mapping::map(const FileDescriptor& file, std::int64_t offset, std::int64_t length, Access access,
                                   Populate populate) {
    const auto size = size_of_file(file);
    if (!size) {
        return base::fail(size);
    }
    if (offset < 0 || length <= 0 || offset > *size || length > *size - offset) {
        return base::fail(ErrorCode::protocol, "bytes {} + {} lie outside of shared memory of {} bytes", offset, length,
                          *size);
    }
    const int protection = access == Access::read_only ? PROT_READ : PROT_READ | PROT_WRITE;
    // Pages that were allocated but never written count as holes, too; a reader has no use for them yet.
    const bool read_ahead = populate == Populate::yes && access == Access::read_only &&
                            ::lseek(file.get(), offset, SEEK_HOLE) >= offset + length;
    const int flags = read_ahead ? MAP_SHARED | MAP_POPULATE : MAP_SHARED;
    void* address = ::mmap(nullptr, static_cast<std::size_t>(length), protection, flags, file.get(), offset);
    if (address == MAP_FAILED) {
        return fail_with_errno(errno, fmt::format("map {} bytes of shared memory", length));
    }
    if (populate == Populate::yes && access == Access::read_write) {
        // Clears the pages as well, which fallocate leaves to the first touch. Kernels before 5.14 do not know it.
        static_cast<void>(::madvise(address, static_cast<std::size_t>(length), MADV_POPULATE_WRITE));
    }
    Mapping mapping;
    mapping.bytes_ = {static_cast<std::byte*>(address), static_cast<std::size_t>(length)};
    return mapping;
}

}  // namespace staithe::os
