#include "os/file_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <system_error>

#include "os/fork.hpp"

namespace staithe::os {

FileDescriptor::FileDescriptor(int descriptor, base::Claim claim) : descriptor_(descriptor), claim_(std::move(claim)) {
    withhold_from_children(descriptor_);
}

FileDescriptor::FileDescriptor(int descriptor) {
    if (descriptor >= 0) {
        *this = FileDescriptor(descriptor, base::Claim(base::Resource::descriptors, 1));
    }
}

FileDescriptor::~FileDescriptor() {
    if (descriptor_ >= 0) {
        hand_to_children(descriptor_);  // before its number may be another's
        ::close(descriptor_);
    }
}

int FileDescriptor::release() {
    if (descriptor_ >= 0) {
        hand_to_children(descriptor_);
        claim_ = base::Claim();
        further_ = base::Claim();
    }
    return std::exchange(descriptor_, -1);
}

base::Result<FileDescriptor> FileDescriptor::duplicate() const {
    return open_descriptor("duplicate a file descriptor", [&] { return ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0); });
}

FileDescriptor spare_descriptor() {
    auto spare =
        open_descriptor("keep a descriptor in reserve", [] { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); });
    return spare ? *std::move(spare) : FileDescriptor();
}

tl::unexpected<base::Failure> fail_with_errno(int error, const std::string& action) {
    const std::string reason = std::generic_category().message(error);
    switch (error) {
        case EMFILE:
        case ENFILE:
            return base::fail(ErrorCode::limit_reached, "cannot {}: {}; raise the limit with `ulimit -n`", action,
                              reason);
        case ENOMEM:
            return base::fail(ErrorCode::limit_reached,
                              "cannot {}: {}; use a smaller queue (queue_steps, queue_bytes), free memory, or raise "
                              "the limit with `ulimit -v`",
                              action, reason);
        case ENOSPC:
            return base::fail(ErrorCode::limit_reached,
                              "cannot {}: {}; use a smaller queue (queue_steps, queue_bytes), or give the shared "
                              "memory of this machine or container more room",
                              action, reason);
        case EFBIG:
            return base::fail(ErrorCode::limit_reached, "cannot {}: {}; raise the limit with `ulimit -f`", action,
                              reason);
        default: return base::fail(ErrorCode::system, "cannot {}: {}", action, reason);
    }
}

tl::unexpected<base::Failure> fail_with_errno_in(const std::string& directory, int error, const std::string& action) {
    if (error != ENOSPC && error != EDQUOT) {
        return fail_with_errno(error, action);
    }
    return base::fail(ErrorCode::limit_reached,
                      "cannot {}: {}; free room in {}, or choose another run directory with STAITHE_RUN_DIR", action,
                      std::generic_category().message(error), directory);
}

}  // namespace staithe::os
