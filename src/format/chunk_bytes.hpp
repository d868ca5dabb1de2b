// The bytes of chunks as they are to be stored: put together from the parts of an array, rounded, compressed.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <staithe/box.hpp>

#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "format/plan.hpp"
#include "format/recording.hpp"
#include "transform/in_order.hpp"

namespace staithe::format {

/// Of a chunk.
struct BytesToStore {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> keeps{};  // has them; null: they are there until they were given on
};

class ChunkBytes {
  public:
    using Store = base::FunctionRef<base::Result<>(std::size_t number, const BytesToStore& chunk)>;

    /// Gives `store` the bytes of each of these chunks of a step's array, one after the other: of a chunk that is not
    /// compressed what it has of the array alone; of one that is, all. Several threads compress, and `store` is called
    /// by any of them, one at a time.
    base::Result<> store_all(std::span<const Box> boxes, const ArrayNode& node, const ArrayToStore& array, Store store);

  private:
    /// Memory for the bytes of a chunk, which is used again.
    struct Buffers {
        std::vector<std::byte> gathered;
        std::vector<std::byte> packed;
    };
    using Spares = transform::Spares<Buffers>;

    [[nodiscard]] std::shared_ptr<Buffers> buffers() const;
    base::Result<BytesToStore> bytes_of_chunk(const Box& box, const ArrayNode& node, const ArrayToStore& array) const;
    static std::span<const std::byte> gather(std::vector<std::byte>& gathered, const Box& box, const ArrayNode& node,
                                             const ArrayToStore& array);

    const std::shared_ptr<Spares> spares_ = std::make_shared<Spares>();
};

}  // namespace staithe::format
