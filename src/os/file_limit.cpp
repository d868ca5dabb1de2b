#include "os/file_limit.hpp"

#include <sys/resource.h>

namespace staithe::os {

std::uint64_t most_bytes_of_a_file() {
    rlimit limit{};
    return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : UINT64_MAX;
}

}  // namespace staithe::os
