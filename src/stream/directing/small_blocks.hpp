// Small blocks that go along with their announcement, to members that would have to ask for them over a network.
//
// Not thread-safe; the director locks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "store/block_ref.hpp"
#include "stream/directing/members.hpp"

namespace staithe::stream {

class SmallBlocks {
  public:
    /// The step's table and behind it its blocks, if they are small and this process has them all; else the table
    /// alone. Good until the next call.
    std::span<const std::byte> behind(std::span<const std::byte> table, std::span<const store::BlockRef> refs,
                                      const Members& members);

  private:
    std::vector<std::byte> enclosed_;
};

}  // namespace staithe::stream
