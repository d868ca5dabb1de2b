// The bytes of chunks as they are to be stored: put together from the parts of an array, rounded, compressed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <staithe/box.hpp>

#include "base/result.hpp"
#include "format/plan.hpp"
#include "format/recording.hpp"

namespace staithe::format {

class ChunkBytes {
  public:
    /// Of the chunk that has this box of a step's array. They hold until the next call. Of a chunk that is not
    /// compressed only what it has of the array; of one that is, all.
    base::Result<std::span<const std::byte>> of(const Box& box, const ArrayNode& node, const ArrayToStore& array);

  private:
    std::span<const std::byte> gather(const Box& box, const ArrayNode& node, const ArrayToStore& array);

    std::vector<std::byte> gathered_;
    std::vector<std::byte> packed_;
};

}  // namespace staithe::format
