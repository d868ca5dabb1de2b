#include "os/file_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace staithe::os {

FileDescriptor::~FileDescriptor() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

base::Result<FileDescriptor> FileDescriptor::duplicate() const {
    const int copy = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
        return fail_with_errno(errno, "duplicate a file descriptor");
    }
    return FileDescriptor(copy);
}

FileDescriptor spare_descriptor() { return FileDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

tl::unexpected<base::Failure> fail_with_errno(int error, const std::string& action) {
    const std::string reason = std::generic_category().message(error);
    switch (error) {
        case EMFILE:
        case ENFILE:
            return base::fail(ErrorCode::limit_reached, "cannot {}: {}; raise the limit with `ulimit -n`", action,
                              reason);
        case ENOMEM:
            return base::fail(ErrorCode::limit_reached,
                              "cannot {}: {}; use a smaller queue (queue_steps, queue_bytes) or free memory", action,
                              reason);
        case ENOSPC:
            return base::fail(ErrorCode::limit_reached,
                              "cannot {}: {}; use a smaller queue (queue_steps, queue_bytes), or give the shared "
                              "memory of this machine or container more room",
                              action, reason);
        default: return base::fail(ErrorCode::system, "cannot {}: {}", action, reason);
    }
}

}  // namespace staithe::os
