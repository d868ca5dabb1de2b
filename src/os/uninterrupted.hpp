// Calls of the system that a signal may break off, and that are made again then.
#pragma once

#include <cerrno>

namespace staithe::os {

/// What the last one gave: 0, or errno is something else than EINTR.
template <class Call>
int uninterrupted(const Call& call) {
    int result = 0;
    do {
        result = call();
    } while (result != 0 && errno == EINTR);
    return result;
}

}  // namespace staithe::os
