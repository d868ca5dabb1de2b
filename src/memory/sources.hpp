// The ways to memory for pools, by name: where a new one is registered.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "memory/extents/leased.hpp"
#include "memory/pool.hpp"

namespace staithe::memory {

inline constexpr std::string_view in_memory = "memory";         // of this process, claimed from its budget
inline constexpr std::string_view in_sealed_memory = "sealed";  // the same, for what others are to map, come what may
inline constexpr std::string_view on_disk = "disk";    // of a directory, for what memory has no room for; not claimed
inline constexpr std::string_view on_tmpfs = "tmpfs";  // of a directory on a file system in memory, claimed: one with
                                                       // huge pages, or bound to a part of the memory

/// A pool on a source of that way; `place` says where it is, as far as the way needs to know. `invalid_argument` if
/// there is no such way.
base::Result<std::shared_ptr<Pool>> open_pool(const std::string& name, std::string_view way = in_memory,
                                              const std::string& place = {});

/// The same in memory that a server has lent: `protocol` if it is none, or could shrink.
base::Result<std::shared_ptr<Pool>> open_leased_pool(const std::string& name, os::FileDescriptor file, Lessor lessor);

}  // namespace staithe::memory
