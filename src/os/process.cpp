#include "os/process.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>
#include <fstream>
#include <sstream>

#include "os/files.hpp"

namespace staithe::os {
namespace {

constexpr unsigned long is_exiting = 0x4;  // PF_EXITING in the kernel's include/linux/sched.h

/// What /proc tells of a process, from the third field on.
base::Result<std::string> stat_from_state_on(int pid) {
    // A /proc of another pid namespace shows others by the numbers of this one, but this process itself.
    auto line = read_file(pid == process_id() ? "/proc/self/stat" : fmt::format("/proc/{}/stat", pid), 4096);
    // The second field is the program's name in parentheses and may hold anything, parentheses too.
    const auto name_end = line ? line->rfind(')') : std::string::npos;
    return name_end == std::string::npos ? line : line->substr(name_end + 1);
}

double seconds_of(clockid_t clock) {
    timespec used{};
    ::clock_gettime(clock, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace

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
    auto fields_of_process = stat_from_state_on(pid);
    if (!fields_of_process) {
        return fields_of_process.error().code == ErrorCode::not_found ? base::Result<std::uint64_t>(no_such_process)
                                                                      : base::fail(std::move(fields_of_process));
    }
    std::istringstream fields(*std::move(fields_of_process));
    // proc(5): state is field 3, flags 9, starttime 22.
    std::string state;
    unsigned long flags = 0;
    std::string skipped;
    fields >> state;
    for (int field = 4; field < 9; ++field) {
        fields >> skipped;
    }
    fields >> flags;
    // Others learn that a process is gone when the kernel closes its descriptors: a moment before it is a zombie.
    if (state == "Z" || state == "X" || (flags & is_exiting) != 0) {
        return no_such_process;
    }
    for (int field = 10; field < 22; ++field) {
        fields >> skipped;
    }
    std::uint64_t start = no_such_process;
    fields >> start;
    return start;
}

bool is_stopped(int pid) {
    const auto fields = stat_from_state_on(pid);
    return fields && (fields->starts_with(" T") || fields->starts_with(" t"));
}

namespace detail {

constinit thread_local int thread_id = 0;

int ask_for_thread_id() {
    thread_id = static_cast<int>(::gettid());
    return thread_id;
}

}  // namespace detail

bool is_thread_here(int thread) { return ::access(fmt::format("/proc/self/task/{}", thread).c_str(), F_OK) == 0; }

double processor_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

double thread_processor_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

std::string processor_name() {
    std::ifstream said("/proc/cpuinfo");
    for (std::string line; std::getline(said, line);) {
        const auto colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "unknown";
}

int online_cores() { return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)); }

int usable_cores() {
    cpu_set_t cores;
    // It fails where there are more cores than the set has room for.
    return ::sched_getaffinity(::getpid(), sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : online_cores();
}

int current_core() { return ::sched_getcpu(); }

void keep_off_core(int thread, int core) {
    cpu_set_t cores;
    if (core < 0 || core >= CPU_SETSIZE || ::sched_getaffinity(::getpid(), sizeof(cores), &cores) != 0) {
        return;
    }
    CPU_CLR(core, &cores);
    static_cast<void>(::sched_setaffinity(thread, sizeof(cores), &cores));  // refused if none is left
}

std::int64_t coarse_monotonic_nanoseconds() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::int64_t wall_clock_microseconds() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

double wall_clock_seconds() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace staithe::os
