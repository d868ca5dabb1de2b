// A process by a name that no other process ever has: on this host or another, now or after the next boot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace staithe::os {

struct ProcessIdentity {
    std::string boot;                 // the first digits of the number that the kernel drew when it booted
    std::uint64_t pid_namespace = 0;  // as lsns(8) numbers them
    int pid = 0;                      // in that namespace
    std::uint64_t start_time = 0;     // in clock ticks since boot: pids are used again

    bool operator==(const ProcessIdentity&) const = default;
};

ProcessIdentity this_process();

/// Of a process of this pid namespace; `not_found` if there is none of that number.
base::Result<ProcessIdentity> identity_of(int pid);

enum class Life : std::uint8_t {
    alive,
    gone,
    unknown,  // of another kernel, or another pid namespace: here its pid says nothing
};
Life life_of(const ProcessIdentity& process);

/// "4711.918273.3f9a1c2e-4026531836": pid, start time, boot and pid namespace.
std::string to_string(const ProcessIdentity& process);
/// The process that a file is named after: `<process>.<kind>`, or `<name>.<process>.<kind>`.
std::optional<ProcessIdentity> owner_of(std::string_view file);

}  // namespace staithe::os
