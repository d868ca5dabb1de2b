// What the bytes of a chunk went through before another program stored them: Zarr calls it codecs, HDF5 filters. Here
// it is undone. Chunks that Staithe writes are of few kinds, of which parts are unpacked: packing.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <staithe/dtype.hpp>

#include "base/result.hpp"

namespace staithe::format {

enum class FilterKind : std::uint8_t { blosc, gzip, lzf, zlib, zstd, shuffle, crc32c, fletcher32 };

struct Filter {
    FilterKind kind = FilterKind::blosc;
    std::int64_t item_bytes = 1;  // of elements whose bytes are taken apart

    friend bool operator==(const Filter&, const Filter&) = default;
};

/// How elements of a chunk became what is stored of it.
struct ChunkCoding {
    std::vector<std::size_t> axes{};  // of the array, the one whose elements lie farthest apart first; empty: C order
    bool is_big_endian = false;
    std::vector<Filter> filters{};  // in the order in which bytes went through them
};

/// Whether they can be undone, since each says how much it is to make: one of them compresses, at most.
[[nodiscard]] bool can_be_undone(std::span<const Filter> filters);

/// A chunk of so many bytes as they were before these filters: all but those whose bits are set in `left_out`, by their
/// order. What is stored is untrusted: `protocol` if it is damaged, or has more or fewer bytes. `not_found` where
/// Staithe was built without a library.
[[nodiscard]] base::Result<std::unique_ptr<std::byte[]>> undo(std::span<const Filter> filters, std::uint32_t left_out,
                                                              std::span<const std::byte> stored, std::int64_t bytes);

/// Turns the bytes of each number round.
void swap_bytes(std::span<std::byte> elements, Dtype dtype);

}  // namespace staithe::format
