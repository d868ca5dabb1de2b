// A pool's blocks by way of a pair of sockets and a thread of this process: for tests of streams, which run over blocks
// that come from elsewhere by the setting STAITHE_TEST_BLOCKS=piped.
#pragma once

#include <memory>

#include "store/block_source.hpp"
#include "transport/mapped_pool.hpp"

namespace staithe::store::piped {

[[nodiscard]] bool is_asked_for_by_tests();

base::Result<std::shared_ptr<BlockSource>> looped(std::shared_ptr<transport::MappedPool> pool);

}  // namespace staithe::store::piped
