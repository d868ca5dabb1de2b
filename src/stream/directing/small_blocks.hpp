// What is enclosed with the announcement of a step to a reader that sees no memory of the director: its table and, if
// they are small and lie in pools that are here, its blocks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "store/block_ref.hpp"
#include "stream/directing/members.hpp"

namespace staithe::stream {

class SmallBlocks {
  public:
    /// Until the next call. The table alone, if not all blocks can go along.
    std::span<const std::byte> with(std::span<const std::byte> table, std::span<const store::BlockRef> refs,
                                    const std::vector<WriterRank>& writers);

  private:
    std::vector<std::byte> enclosed_;
};

}  // namespace staithe::stream
