#include "os/file_limit.hpp"

#include <sys/resource.h>

#include <cerrno>

#include "os/file_descriptor.hpp"

namespace staithe::os {

std::uint64_t most_bytes_of_a_file() {
    rlimit limit{};
    return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : UINT64_MAX;
}

base::Result<> check_size_of_file(std::uint64_t bytes, std::string_view what) {
    return bytes <= most_bytes_of_a_file() ? base::Result<>()
                                           : fail_with_errno(EFBIG, fmt::format("enlarge {} to {} bytes", what, bytes));
}

}  // namespace staithe::os
