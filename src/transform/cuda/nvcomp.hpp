// nvCOMP, NVIDIA's compressors that run on a GPU, as far as they are called. Like CUDA they are loaded while the
// program runs, may be absent, and are declared here, as nvCOMP 6 has them; where its headers are, tests compare.
//
// What they make of a piece is what the libraries of these names on a CPU read: a Zstandard frame, an LZ4 block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "transform/cuda/api.hpp"

namespace staithe::transform::cuda {

struct Nvcomp {
    static base::Result<Nvcomp> load(const Libraries& libraries);

    /// Of a compressor: nothing but zeros, its defaults. Passed by value, so its size is a part of the calls.
    struct Options {
        std::array<std::int64_t, 8> zeros{};
    };
    /// Of what it is given, gives back and works in.
    struct Alignments {
        std::size_t input = 0;
        std::size_t output = 0;
        std::size_t work = 0;
    };

    struct Compressor {
        std::string_view codec;         // of which it makes tiles
        std::size_t longest_piece = 0;  // of a tile, each of which it makes smaller by itself

        // These return 0, or a number for what is wrong.
        int (*alignments)(Options options, Alignments* alignments) = nullptr;
        /// Bytes of the GPU's memory to work in, for so many pieces.
        int (*work_bytes)(std::size_t pieces, std::size_t longest, Options options, std::size_t* bytes,
                          std::size_t all_bytes, Stream stream) = nullptr;
        /// Room for what it makes of a piece.
        int (*most_bytes)(std::size_t longest, Options options, std::size_t* bytes) = nullptr;
        /// All arrays are in the GPU's memory.
        int (*compress)(const void* const* pieces, const std::size_t* bytes, std::size_t longest, std::size_t count,
                        void* work, std::size_t work_bytes, void* const* made, std::size_t* made_bytes, Options options,
                        std::int32_t* statuses, Stream stream) = nullptr;
    };

    /// The one that makes tiles of that codec; null if there is none.
    [[nodiscard]] const Compressor* compressor_of(std::string_view codec) const;

    // A payload's tile may be several Zstandard frames: so many threads work on it, nvCOMP likes pieces of that size
    // best. It may be one LZ4 block only, and no tile is longer than nvCOMP takes them (16 MiB).
    Compressor zstd{"shuffle+zstd", std::size_t{64} << 10};
    Compressor lz4{"shuffle+lz4", std::size_t{16} << 20};
};

}  // namespace staithe::transform::cuda
