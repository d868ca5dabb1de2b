// A block that is stored in parts, as it came over a link: each as its elements, or as a payload of them. Bytes:
// docs/formats/block_parts.md.
//
// Parts are boxes of the block as it lies in memory: the slowest dimension first, without those of length 1. Each
// begins there where the one before it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <staithe/array_view.hpp>
#include <staithe/box.hpp>

#include "base/result.hpp"
#include "store/block.hpp"

namespace staithe::store {

/// One, in the order in which they lie.
struct StoredPart {
    std::int64_t data_bytes = 0;  // of its elements
    std::int64_t bytes = 0;       // stored
    bool is_payload = false;
};

/// Where they are stored, from where the block is on: what says which they are, then each at a multiple of 64 bytes.
struct PartPlaces {
    std::vector<std::int64_t> places;
    std::int64_t bytes = 0;  // of all
};
[[nodiscard]] PartPlaces places_of(std::span<const StoredPart> parts);
/// Says which they are, in as many bytes as there are before the first place.
void write_head(std::byte* memory, std::span<const StoredPart> parts);

struct Part {
    Box box;                 // of the block as it lies
    std::int64_t place = 0;  // among the stored bytes
    std::int64_t bytes = 0;
    bool is_payload = false;
};
/// What says which they are takes so many bytes of the `stored` ones of the block, of which at least the first 16 are
/// here; no more than those 16 where they say what no block of that description can be stored as.
[[nodiscard]] std::int64_t bytes_of_head(std::span<const std::byte> first, std::int64_t stored,
                                         const BlockDescription& block);
/// Of a block of that description of which so many bytes are stored, and those that say which parts there are begin
/// `head`: `protocol` unless these are parts of all of it, and of nothing else.
base::Result<std::vector<Part>> read_parts(std::span<const std::byte> head, std::int64_t stored,
                                           const BlockDescription& block);

/// The same elements, with dimensions as parts have them.
[[nodiscard]] Box as_it_lies(const BlockDescription& block, const Box& box);
[[nodiscard]] MutableArrayView as_it_lies(const BlockDescription& block, const MutableArrayView& elements);

}  // namespace staithe::store
