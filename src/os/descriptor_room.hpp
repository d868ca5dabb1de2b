// How many file descriptors this process may still open.
#pragma once

#include <cstdint>

namespace staithe::os {

struct DescriptorRoom {
    std::int64_t left = 0;
    std::int64_t most = 0;  // that the process may have: `ulimit -n`
};

/// Those that nobody claims, since they are the program's own, are counted ten times a second at most.
DescriptorRoom descriptor_room();

}  // namespace staithe::os
