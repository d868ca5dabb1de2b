#include "os/direct_writes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string>

#include "os/kept_files.hpp"

namespace staithe::os {
namespace {

constexpr std::size_t bytes_of_buffer = std::size_t{4} << 20;

/// The same file, for what is to go past the cache; nothing where that cannot be. Other threads may write to the file
/// meanwhile, as they do: so it is opened anew.
FileDescriptor past_the_cache(const FileDescriptor& file) {
    const int flags = ::fcntl(file.get(), F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
        return {};
    }
    const std::string path = fmt::format("/proc/self/fd/{}", file.get());
    return FileDescriptor(::open(path.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC));
}

bool is_aligned(const std::byte* memory) {
    return std::bit_cast<std::uintptr_t>(memory) % static_cast<std::uintptr_t>(DirectWrites::alignment) == 0;
}

}  // namespace

/// As much as can be, 0 where the file system has no such writes.
base::Result<std::size_t> DirectWrites::write_aligned(const FileDescriptor& file, std::int64_t offset,
                                                      std::span<const std::byte> bytes) {
    const FileDescriptor direct = past_the_cache(file);
    if (!direct) {
        return 0;
    }
    const bool is_in_place = is_aligned(bytes.data());
    if (!is_in_place && !aligned_) {
        aligned_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, bytes_of_buffer)));
    }
    if (!is_in_place && !aligned_) {
        return 0;
    }
    const std::size_t all = bytes.size() - bytes.size() % static_cast<std::size_t>(alignment);
    std::size_t done = 0;
    while (done < all) {
        const std::byte* from = bytes.data() + done;
        std::size_t count = all - done;
        if (!is_in_place) {
            count = std::min(count, bytes_of_buffer);
            std::memcpy(aligned_.get(), from, count);
            from = aligned_.get();
        }
        const auto written = ::pwrite(direct.get(), from, count, offset + static_cast<std::int64_t>(done));
        if (written >= 0) {
            done += static_cast<std::size_t>(written - written % alignment);
            if (written % alignment != 0 || written == 0) {  // a disk that is nearly full
                break;
            }
        } else if (errno == EINVAL || errno == EFAULT || errno == EOPNOTSUPP) {  // not of that file, or that memory
            break;
        } else if (errno != EINTR) {
            return fail_on_disk(errno, fmt::format("write {} bytes", count));
        }
    }
    return done;
}

base::Result<> DirectWrites::write_at(const FileDescriptor& file, std::int64_t offset,
                                      std::span<const std::byte> bytes) {
    std::size_t written = 0;
    if (bytes.size() >= least_bytes && offset % alignment == 0) {
        const auto aligned = write_aligned(file, offset, bytes);
        if (!aligned) {
            return base::fail(aligned);
        }
        written = *aligned;
    }
    return os::write_at(file, offset + static_cast<std::int64_t>(written), bytes.subspan(written));
}

}  // namespace staithe::os
