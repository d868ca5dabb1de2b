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
/// Of what is stored of a block of that description: `protocol` unless these are parts of all of it, and of nothing
/// else.
base::Result<std::vector<Part>> read_parts(std::span<const std::byte> stored, const BlockDescription& block);

/// Elements of a box of the block, as they lie: the same ones, with dimensions as parts have them.
struct Lying {
    Box box;
    MutableArrayView elements;
};
[[nodiscard]] Lying as_it_lies(const BlockDescription& block, const Box& box, const MutableArrayView& elements);

}  // namespace staithe::store
