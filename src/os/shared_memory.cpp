#include "os/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace staithe::os {

base::Result<FileDescriptor> create_memory_file(const std::string& name) {
    const int descriptor = ::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) {
        return fail_with_errno(errno, "create shared memory");
    }
    FileDescriptor file(descriptor);
    // A file that shrank under a reader would kill it with SIGBUS.
    if (::fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
        return fail_with_errno(errno, "seal shared memory against shrinking");
    }
    return file;
}

base::Result<FileDescriptor> create_disk_file(const std::string& directory) {
    FileDescriptor file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (!file && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
        // A file system that knows no files without a name (NFS, Lustre): one that loses its name at once.
        std::string path = directory + "/staithe-XXXXXX";
        file = FileDescriptor(::mkostemp(path.data(), O_CLOEXEC));
        if (file) {
            ::unlink(path.c_str());
        }
    }
    if (!file) {
        return fail_with_errno(errno, "make a file in " + directory);
    }
    return file;
}

base::Result<> allocate_range(const FileDescriptor& file, std::int64_t offset, std::int64_t length) {
    int status = 0;
    do {
        status = ::fallocate(file.get(), 0, offset, length);
    } while (status != 0 && errno == EINTR);
    if (status != 0) {
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
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return fail_with_errno(errno, "open shared memory for reading through " + path);
    }
    return FileDescriptor(descriptor);
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
