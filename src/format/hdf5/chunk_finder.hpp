// Where the chunks of an array lie, by whichever index the file has of them.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "format/hdf5/checked_blocks.hpp"
#include "format/hdf5/chunk_index.hpp"
#include "format/hdf5/datasets.hpp"
#include "format/hdf5/image.hpp"
#include "format/hdf5/layouts.hpp"

namespace staithe::format::hdf5 {

/// Keeps what it reads of the index: one for all chunks that are looked up at a time. One thread.
class ChunkFinder {
  public:
    /// Of an array that is cut into chunks, which was decoded; both must outlive it.
    ChunkFinder(const Image& image, const Dataset& dataset);

    /// Nothing if nobody has written that chunk; untrusted.
    base::Result<std::optional<ChunkPlace>> find(const ChunkOffset& offset);

  private:
    base::Result<std::optional<ChunkPlace>> look_up(const ChunkOffset& offset);
    base::Result<std::optional<ChunkPlace>> find_in_tree(const ChunkOffset& offset);
    [[nodiscard]] std::optional<std::uint64_t> number_of(const ChunkOffset& offset) const;
    [[nodiscard]] bool reaches_beyond(const ChunkOffset& offset) const;

    const Image& image_;
    const Layout& layout_;
    const ChunkShape shape_;
    const std::uint64_t bytes_;  // of a chunk
    CheckedBlocks blocks_;
};

}  // namespace staithe::format::hdf5
