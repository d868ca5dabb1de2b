// Parts of blocks, reduced where they are shown, else by and by.
#pragma once

#include <span>

#include "base/result.hpp"
#include "store/block_source.hpp"
#include "store/reducing/reduction.hpp"

namespace staithe::store::reducing {

/// The destinations of the pieces, which are disjoint, are parts of the reduction's box.
base::Result<> reduce_blocks(BlockSource& source, std::span<const BlockRef> refs, std::span<const Piece> pieces,
                             Reduction& into);

}  // namespace staithe::store::reducing
