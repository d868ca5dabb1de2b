// The blocks in another process's pool, in memory or on disk, by the descriptor that it passed.
#pragma once

#include <memory>

#include "os/file_descriptor.hpp"
#include "store/block_source.hpp"
#include "transport/peer_pool.hpp"

namespace staithe::store {

/// Shown where they lie if that is memory that stays, else read (transport/peer_pool.hpp); `protocol` if it is no file.
base::Result<std::shared_ptr<BlockSource>> open_pool_source(os::FileDescriptor file);

/// The same of one that was opened.
std::shared_ptr<BlockSource> source_of(transport::PeerPool pool);

/// What `open_pool_source` does from now on in this process, if not null: for tests of streams over other sources.
using PoolSourceOpener = base::Result<std::shared_ptr<BlockSource>> (*)(os::FileDescriptor file);
void open_pool_sources_by(PoolSourceOpener opener);

}  // namespace staithe::store
