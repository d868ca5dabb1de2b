// For where libdeflate is not there: the same format, made and read more slowly.
#include <zlib.h>

#include <new>

#include "transform/shuffled/compressor.hpp"

namespace staithe::transform::shuffled {
namespace {

constexpr Levels levels{.fast = 1, .dense = 6, .last = 9};

std::size_t compress(std::span<const std::byte> from, std::span<std::byte> to, int level, Scratch& /*scratch*/) {
    uLongf made = to.size();
    const int result = compress2(reinterpret_cast<Bytef*>(to.data()), &made,
                                 reinterpret_cast<const Bytef*>(from.data()), from.size(), level);
    if (result == Z_MEM_ERROR) {
        throw std::bad_alloc();
    }
    return result == Z_OK ? made : 0;
}

bool decompress(std::span<const std::byte> from, std::span<std::byte> to, Scratch& /*scratch*/) {
    uLongf made = to.size();
    uLong taken = from.size();
    const int result =
        uncompress2(reinterpret_cast<Bytef*>(to.data()), &made, reinterpret_cast<const Bytef*>(from.data()), &taken);
    if (result == Z_MEM_ERROR) {
        throw std::bad_alloc();
    }
    return result == Z_OK && taken == from.size() && made == to.size();
}

}  // namespace

const Compressor zlib{"zlib", "Deflate", "", levels, compress, decompress};

}  // namespace staithe::transform::shuffled
