// How much memory this process can have, of the machine's and of what a batch system or a container leaves it.
#pragma once

#include <cstdint>
#include <string>

namespace staithe::os {

struct MachineMemory {
    std::int64_t bytes = 0;
    std::string of;  // whose limit that is, for messages: "this machine", or a control group's directory
};

/// The least of what the machine has and what the control groups of this process may use, of version 1 or 2. Those that
/// cannot be read say nothing. Where they are found is given for tests.
MachineMemory machine_memory(const std::string& own_groups = "/proc/self/cgroup",
                             const std::string& groups = "/sys/fs/cgroup");

}  // namespace staithe::os
