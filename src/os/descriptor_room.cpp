#include "os/descriptor_room.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <limits>
#include <system_error>

#include "base/budget.hpp"
#include "base/deadline.hpp"

namespace staithe::os {
namespace {

constexpr std::chrono::milliseconds between_counts{100};

std::int64_t descriptor_limit() {
    constexpr std::int64_t no_limit = std::numeric_limits<std::int32_t>::max();
    rlimit limit{};
    return ::getrlimit(RLIMIT_NOFILE, &limit) == 0
               ? static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, no_limit))
               : no_limit;
}

/// Where nothing can be counted there are none, unless that is because none is left: then there are `most`.
std::int64_t count_descriptors(std::int64_t most) {
    std::error_code error;
    std::filesystem::directory_iterator entry("/proc/self/fd", error);
    if (error) {
        return error == std::errc::too_many_files_open ? most : 0;
    }
    std::int64_t count = -1;  // one is of this look
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        ++count;
    }
    return count;
}

}  // namespace

DescriptorRoom descriptor_room() {
    static std::atomic<base::Clock::time_point> counted{base::Clock::time_point::min()};
    static std::atomic<std::int64_t> unclaimed{0};
    const std::int64_t most = descriptor_limit();
    const auto now = base::Clock::now();
    if (counted.load() < now - between_counts) {
        counted = now;
        unclaimed = std::max<std::int64_t>(count_descriptors(most) - base::used(base::Resource::descriptors), 0);
    }
    const std::int64_t open = unclaimed.load() + base::used(base::Resource::descriptors);
    return {std::max<std::int64_t>(most - open, 0), most};
}

}  // namespace staithe::os
