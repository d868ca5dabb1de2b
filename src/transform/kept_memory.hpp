// Memory that coding gives back and soon takes again.
//
// What malloc has returned to the kernel comes back cleared, a page at a time, on first touch: for a part of 1 MiB that
// can take as long as to code it. So each thread keeps some of what it gave back last, until it ends.
#pragma once

#include <memory_resource>

namespace staithe::transform {

/// For pieces aligned to cache lines at most, which may be given back by another thread than took them.
std::pmr::memory_resource* kept_memory();

}  // namespace staithe::transform
