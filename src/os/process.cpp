#include "os/process.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>
#include <sstream>

#include "os/files.hpp"

namespace staithe::os {

int process_id() { return static_cast<int>(::getpid()); }

unsigned user_id() { return static_cast<unsigned>(::geteuid()); }

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

std::string executable_name() {
    std::array<char, 4096> path{};
    const auto length = ::readlink("/proc/self/exe", path.data(), path.size());
    if (length <= 0) {
        return "program";
    }
    const std::string full(path.data(), static_cast<std::size_t>(length));
    return full.substr(full.rfind('/') + 1);
}

base::Result<std::uint64_t> start_time_of(int pid) {
    constexpr std::uint64_t no_such_process = 0;
    const auto line = read_file(fmt::format("/proc/{}/stat", pid), 4096);
    if (!line) {
        return line.error().code == ErrorCode::not_found ? base::Result<std::uint64_t>(no_such_process)
                                                         : base::fail(line);
    }
    // The second field is the program's name in parentheses and may hold anything, parentheses too.
    const auto name_end = line->rfind(')');
    if (name_end == std::string::npos) {
        return no_such_process;
    }
    std::istringstream fields(line->substr(name_end + 1));
    std::string state;
    fields >> state;
    if (state == "Z" || state == "X") {
        return no_such_process;
    }
    std::string skipped;
    for (int field = 4; field < 22; ++field) {  // proc(5): starttime is field 22
        fields >> skipped;
    }
    std::uint64_t start = no_such_process;
    fields >> start;
    return start;
}

int online_cores() { return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)); }

std::int64_t coarse_monotonic_nanoseconds() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

double wall_clock_seconds() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace staithe::os
