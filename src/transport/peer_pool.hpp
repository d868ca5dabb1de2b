// Another process's pool, by the descriptor that it passed: the one place that decides how such a file is looked into.
#pragma once

#include <memory>
#include <variant>

#include "base/result.hpp"
#include "os/shared_memory.hpp"
#include "transport/mapped_pool.hpp"
#include "transport/pool_file.hpp"

namespace staithe::transport {

/// Both give `copy_of` and `file`; what is mapped can be shown where it lies, too.
using PeerPool = std::variant<std::shared_ptr<MappedPool>, std::shared_ptr<PoolFile>>;

/// Memory that stays is mapped, as MappedPool says; any other file is read, and never mapped. `protocol` if it is no
/// file at all.
base::Result<PeerPool> open_peer_pool(os::FileDescriptor file, os::Populate populate = os::Populate::yes,
                                      MappedPool::Stay stay = MappedPool::Stay::always);

}  // namespace staithe::transport
