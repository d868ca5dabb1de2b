// The blocks in another process's pool, in memory or on disk, by the descriptor that it passed.
#pragma once

#include <memory>
#include <string>

#include "os/file_descriptor.hpp"
#include "store/block_source.hpp"
#include "transport/peer_pool.hpp"

namespace staithe::store {

/// Shown where they lie if that is memory that stays, else read (transport/peer_pool.hpp); `protocol` if it is no file.
base::Result<std::shared_ptr<BlockSource>> open_pool_source(os::FileDescriptor file);

/// The same of a server's blocks, with checksums where they are in a file (store/checked_file.hpp). `whose` is for
/// people.
base::Result<std::shared_ptr<BlockSource>> open_checked_pool_source(os::FileDescriptor file, const std::string& whose);
/// What it is opened as.
base::Result<transport::PeerPool> open_checked_pool(os::FileDescriptor file, const std::string& whose,
                                                    os::Populate populate = os::Populate::yes);

/// The same of one that was opened.
std::shared_ptr<BlockSource> source_of(transport::PeerPool pool);

/// What `open_pool_source` does from now on in this process, if not null: for tests of streams over other sources.
using PoolSourceOpener = base::Result<std::shared_ptr<BlockSource>> (*)(os::FileDescriptor file);
void open_pool_sources_by(PoolSourceOpener opener);

}  // namespace staithe::store
