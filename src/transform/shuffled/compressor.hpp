// A library that makes bytes smaller, as the codecs here see it. One file wraps one library, and its header stays
// there.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "transform/scratch.hpp"

namespace staithe::transform::shuffled {

/// From 1 on; of the library, and what modes stand for.
struct Levels {
    int fast = 1;
    int dense = 1;
    int last = 1;
};

struct Compressor {
    std::string_view name;     // in the names of codecs
    std::string_view library;  // in sentences
    std::string_view missing;  // why it is not there; empty: it is
    Levels levels{};
    /// Returns how many bytes it made; 0 if they would not fit. They depend on `from` and `level` alone.
    std::size_t (*compress)(std::span<const std::byte> from, std::span<std::byte> to, int level,
                            Scratch& scratch) = nullptr;
    /// Whether `from`, which may be anything, is whole and fills `to` exactly.
    bool (*decompress)(std::span<const std::byte> from, std::span<std::byte> to, Scratch& scratch) = nullptr;
};

extern const Compressor lz4;
extern const Compressor zstd;
extern const Compressor zlib;
/// The same with another head and checksum, of files of others: it is read alone.
extern const Compressor gzip;

}  // namespace staithe::transform::shuffled
