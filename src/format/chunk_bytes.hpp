// The bytes of chunks as they are to be stored: put together from the parts of an array, rounded, compressed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <staithe/box.hpp>

#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "format/plan.hpp"
#include "format/recording.hpp"
#include "transform/in_order.hpp"

namespace staithe::format {

class ChunkBytes {
  public:
    using Store = base::FunctionRef<base::Result<>(std::size_t number, std::span<const std::byte> bytes)>;

    /// Gives `store` the bytes of each of these chunks of a step's array, one after the other: of a chunk that is not
    /// compressed what it has of the array alone; of one that is, all. Several threads compress, and `store` is called
    /// by any of them, one at a time.
    base::Result<> store_all(std::span<const Box> boxes, const ArrayNode& node, const ArrayToStore& array, Store store);

  private:
    struct Chunk {
        std::vector<std::byte> gathered;
        std::vector<std::byte> packed;
        std::span<const std::byte> stored;  // of these, or of the array
    };
    static base::Result<> fill(Chunk& chunk, const Box& box, const ArrayNode& node, const ArrayToStore& array);
    static std::span<const std::byte> gather(Chunk& chunk, const Box& box, const ArrayNode& node,
                                             const ArrayToStore& array);

    transform::Spares<Chunk> spares_;
};

}  // namespace staithe::format
