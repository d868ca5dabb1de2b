// For where libdeflate is not there: the same format, made and read more slowly.
#include <zlib.h>

#include <algorithm>
#include <cstddef>
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

/// zlib itself unpacks no more than 4 GiB at once: in pieces.
bool decompress_gzip(std::span<const std::byte> from, std::span<std::byte> to, Scratch& /*scratch*/) {
    constexpr int with_head_of_gzip = 16 + MAX_WBITS;
    constexpr std::size_t most_at_once = std::size_t{1} << 30;
    z_stream stream{};
    if (inflateInit2(&stream, with_head_of_gzip) != Z_OK) {
        throw std::bad_alloc();
    }
    int result = Z_OK;
    while (result == Z_OK) {
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(from.data()));
        stream.next_out = reinterpret_cast<Bytef*>(to.data());
        stream.avail_in = static_cast<uInt>(std::min(from.size(), most_at_once));
        stream.avail_out = static_cast<uInt>(std::min(to.size(), most_at_once));
        const std::size_t in = stream.avail_in, out = stream.avail_out;
        result = inflate(&stream, Z_NO_FLUSH);
        from = from.subspan(in - stream.avail_in);
        to = to.subspan(out - stream.avail_out);
    }
    inflateEnd(&stream);
    return result == Z_STREAM_END && from.empty() && to.empty();
}

}  // namespace

const Compressor zlib{"zlib", "Deflate", "", levels, compress, decompress};
const Compressor gzip{.name = "gzip", .library = "Deflate", .missing = "", .decompress = decompress_gzip};

}  // namespace staithe::transform::shuffled
