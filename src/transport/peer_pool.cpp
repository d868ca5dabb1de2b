#include "transport/peer_pool.hpp"

#include <utility>

namespace staithe::transport {

base::Result<PeerPool> open_peer_pool(os::FileDescriptor file, os::Populate populate, MappedPool::Stay stay) {
    if (os::check_shared_memory(file)) {
        return std::make_shared<MappedPool>(std::move(file), os::Access::read_only, populate, stay);
    }
    if (auto checked = PoolFile::check(file); !checked) {
        return base::fail(std::move(checked));
    }
    return std::make_shared<PoolFile>(std::move(file));
}

}  // namespace staithe::transport
