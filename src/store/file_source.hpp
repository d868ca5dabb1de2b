// Blocks in a file: read, not mapped, because whoever writes the file may make it shorter at any time, and touching
// mapped bytes that are gone ends the process.
#pragma once

#include <utility>

#include "os/file_descriptor.hpp"
#include "store/block_source.hpp"
#include "transport/pool_file.hpp"

namespace staithe::store {

class FileSource final : public BlockSource {
  public:
    explicit FileSource(os::FileDescriptor file) : file_(std::move(file)) {}

    base::Result<> fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                         const MutableArrayView& destination) override;

  private:
    base::Result<> fetch_piece(const BlockRef& ref, const Piece& piece, const MutableArrayView& destination) const;

    const transport::PoolFile file_;
};

}  // namespace staithe::store
