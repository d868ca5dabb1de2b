// Blocks whose stored bytes can be read, from anywhere in them, but not shown where they lie: a base for such sources.
//
// Fetches read what lies between the first and the last element that is asked for, in pieces where that is much more
// than is wanted, or large.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "store/block_source.hpp"

namespace staithe::store {

class ReadingSource : public BlockSource {
  public:
    /// That many threads read pieces, where there is much to read.
    explicit ReadingSource(int threads = 1) : threads_(threads) {}

    base::Result<> fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                         const MutableArrayView& destination) final;

  protected:
    /// Fills `destination` with what is stored of the block from byte `first` on: no more than the ref's bytes. The ref
    /// has been checked against its description, not against what is there: `protocol` if that is something else. The
    /// failure need not name the block.
    virtual base::Result<> read(const BlockRef& ref, std::int64_t first, std::span<std::byte> destination) = 0;

    /// Bytes that are read, or made, for a piece: whether it is worth a thread.
    [[nodiscard]] virtual std::int64_t work_for(const BlockRef& ref, const Piece& piece) const;
    virtual base::Result<> fetch_piece(const BlockRef& ref, const Piece& piece, const MutableArrayView& destination);

    /// What is said where a piece could not be read.
    [[nodiscard]] static base::Failure unread(const BlockRef& ref, const Piece& piece, const base::Failure& why);

  private:
    const int threads_;
};

}  // namespace staithe::store
