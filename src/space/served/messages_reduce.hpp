// Parts of blocks that a server is to reduce, and what it makes of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "store/block_source.hpp"
#include "store/reducing/reduction.hpp"

namespace staithe::space {

/// So many pieces are asked for at once, at most.
inline constexpr std::size_t most_pieces_at_once = 4096;
/// What comes back: to more it is not worth it to reduce.
inline constexpr std::size_t most_reduced_bytes = 1 << 20;

/// What is asked for, as the server has it.
struct ToReduce {
    store::reducing::Reduction reduction;
    std::vector<store::BlockRef> refs{};
    std::vector<store::BlockDescription> descriptions{};  // to which the pieces point
    std::vector<store::Piece> pieces{};
};

/// The pieces are of blocks of one dtype.
Attributes encode(const store::reducing::Reduction& reduction, std::span<const store::BlockRef> refs,
                  std::span<const store::Piece> pieces);
/// Of pieces that lie in their blocks and in the box. `protocol` if it cannot be, or is too large.
base::Result<ToReduce> decode_to_reduce(const Attributes& body);

/// Any bytes, as numbers of eight each.
List encode(std::span<const std::byte> bytes);
base::Result<std::vector<std::byte>> decode_bytes(const List& words, std::size_t expected);

}  // namespace staithe::space
