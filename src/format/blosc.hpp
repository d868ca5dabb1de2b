// Chunks as c-blosc has them, which Zarr and HDF5 know as one of their codecs: bytes of elements are put beside those
// of the same place in others, and compressed. Each chunk says by what. Format:
// https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace staithe::format {

/// By what, and how far, chunks are compressed.
struct BloscWay {
    std::string_view codec;  // as users call it
    const char* compressor;
    int level;
    std::uint32_t number;  // of the compressor, in c-blosc
};
/// Beyond level 2 of Zstandard little is gained, at a third of the speed; beyond level 5 of LZ4 1 to 4 % at nine
/// tenths.
inline constexpr std::array<BloscWay, 2> blosc_ways{{{"blosc", "lz4", 5, 1}, {"blosc+zstd", "zstd", 2, 5}}};

/// Of a chunk that are compressed together, and decompressed for whoever wants a part of them. Twice as many save 2 %.
inline constexpr std::size_t blosc_block_bytes = std::size_t{64} << 10;

/// nullptr if there is none of that name.
[[nodiscard]] const BloscWay* find_blosc_way(std::string_view codec);
/// Of chunks that are there, of which nobody knows by what: the first.
[[nodiscard]] const BloscWay& blosc_way(std::string_view codec);

/// The elements of a chunk, packed: a part of `room`, until that changes. `not_found` where Staithe was built without
/// the library.
base::Result<std::span<const std::byte>> pack_blosc(std::span<const std::byte> elements, std::int64_t element_bytes,
                                                    const BloscWay& way, std::vector<std::byte>& room);

/// A chunk that is packed, which is untrusted.
class BloscChunk {
  public:
    /// With elements of so many bytes: `protocol` if it has more or fewer, or is damaged.
    static base::Result<BloscChunk> open(std::span<const std::byte> packed, std::int64_t bytes);

    /// That are decompressed together: whoever wants one of them has all decompressed.
    [[nodiscard]] std::int64_t block_bytes() const { return block_bytes_; }
    /// What is decompressed begins and ends at multiples of so many bytes; the chunk ends at one.
    [[nodiscard]] std::int64_t item_bytes() const { return item_bytes_; }

    /// Fills `elements` with bytes of those of the chunk, from byte `first` on. `protocol` if they are damaged.
    base::Result<> unpack(std::int64_t first, std::span<std::byte> elements) const;

  private:
    BloscChunk(std::span<const std::byte> packed, std::int64_t bytes) : packed_(packed), bytes_(bytes) {}

    std::span<const std::byte> packed_;
    std::int64_t bytes_;
    std::int64_t block_bytes_ = 1;
    std::int64_t item_bytes_ = 1;
};

}  // namespace staithe::format
