#include "os/process_identity.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <concepts>

#include "os/files.hpp"
#include "os/fork.hpp"
#include "os/process.hpp"

namespace staithe::os {
namespace {

// Enough that two kernels do not draw the same, and few enough for the names of files.
constexpr std::size_t digits_of_boot = 8;

struct ThisProcess {
    ThisProcess() {
        const auto drawn = read_file("/proc/sys/kernel/random/boot_id", 64);
        struct stat status{};
        const bool has_namespace = ::stat("/proc/self/ns/pid", &status) == 0;
        identity = {drawn ? drawn->substr(0, digits_of_boot) : std::string(digits_of_boot, '0'),
                    has_namespace ? status.st_ino : 0, process_id(), start_time_of(process_id()).value_or(0)};
        std::array<char, 16> self{};
        const auto length = ::readlink("/proc/self", self.data(), self.size());
        proc_is_ours = length > 0 &&
                       std::string_view(self.data(), static_cast<std::size_t>(length)) == std::to_string(identity.pid);
    }

    ProcessIdentity identity;
    bool proc_is_ours = false;  // a new pid namespace begins with the /proc of the old one
};

const ThisProcess& this_process_as_found() {
    static OnePerProcess<ThisProcess> found;
    return found.get();
}

template <std::unsigned_integral Number>
std::optional<Number> number_in(std::string_view text) {
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// Takes what follows the last `separator` off the text; all of it if there is none.
std::string_view take_last(std::string_view& text, char separator) {
    const auto at = text.rfind(separator);
    const std::string_view part = at == std::string_view::npos ? text : text.substr(at + 1);
    text = at == std::string_view::npos ? std::string_view() : text.substr(0, at);
    return part;
}

}  // namespace

ProcessIdentity this_process() { return this_process_as_found().identity; }

base::Result<ProcessIdentity> identity_of(int pid) {
    ProcessIdentity process = this_process();
    const auto start_time = start_time_of(pid);
    if (!start_time) {
        return base::fail(start_time);
    }
    if (*start_time == 0) {
        return base::fail(ErrorCode::not_found, "there is no process {}", pid);
    }
    process.pid = pid;
    process.start_time = *start_time;
    return process;
}

Life life_of(const ProcessIdentity& process) {
    const auto& [own, proc_is_ours] = this_process_as_found();
    if (process == own) {
        return Life::alive;
    }
    if (process.boot != own.boot || process.pid_namespace != own.pid_namespace || !proc_is_ours) {
        return Life::unknown;
    }
    const auto start_time = start_time_of(process.pid);
    if (!start_time) {
        return Life::unknown;
    }
    return *start_time != 0 && *start_time == process.start_time ? Life::alive : Life::gone;
}

std::string to_string(const ProcessIdentity& process) {
    return fmt::format("{}.{}.{}-{}", process.pid, process.start_time, process.boot, process.pid_namespace);
}

std::optional<ProcessIdentity> owner_of(std::string_view file) {
    take_last(file, '.');  // its kind
    std::string_view boot = take_last(file, '.');
    const auto pid_namespace = number_in<std::uint64_t>(take_last(boot, '-'));
    const auto start_time = number_in<std::uint64_t>(take_last(file, '.'));
    const auto pid = number_in<unsigned>(take_last(file, '.'));
    if (boot.size() != digits_of_boot || !pid_namespace || !start_time || !pid || *pid == 0 || *pid > INT32_MAX) {
        return std::nullopt;
    }
    return ProcessIdentity{std::string(boot), *pid_namespace, static_cast<int>(*pid), *start_time};
}

}  // namespace staithe::os
