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
    const char* compressor = "";
    int level = 1;             // beyond it little is gained, at a third of the speed
    std::uint32_t number = 0;  // of the compressor, in c-blosc
};
inline constexpr std::array<BloscWay, 2> blosc_ways{{{"blosc", "lz4", 9, 1}, {"blosc+zstd", "zstd", 2, 5}}};

/// Of a chunk that are compressed together, and decompressed for whoever wants a part of them. Twice as many save 2 %.
inline constexpr std::size_t blosc_block_bytes = std::size_t{64} << 10;

/// nullptr if there is none of that name.
[[nodiscard]] const BloscWay* find_blosc_way(std::string_view codec);
/// Of chunks that are there, of which nobody knows by what: the first.
[[nodiscard]] const BloscWay& blosc_way(std::string_view codec);

/// Fills `packed` with the elements of a chunk. `not_found` where Staithe was built without the library.
base::Result<> pack_blosc(std::span<const std::byte> elements, std::int64_t element_bytes, const BloscWay& way,
                          std::vector<std::byte>& packed);
/// Fills `elements` with bytes of those of a chunk that has so many, from byte `first` on; little more is decompressed.
/// The chunk is untrusted: `protocol` if it is damaged, or has more or fewer.
base::Result<> unpack_blosc(std::span<const std::byte> packed, std::int64_t chunk_bytes, std::int64_t first,
                            std::span<std::byte> elements);

}  // namespace staithe::format
