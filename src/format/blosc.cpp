#include "format/blosc.hpp"

#ifndef STAITHE_BLOSC_MISSING
#include <blosc.h>
#endif

#include <algorithm>
#include <utility>

namespace staithe::format {

#ifdef STAITHE_BLOSC_MISSING

base::Result<> pack_blosc(std::span<const std::byte> /*elements*/, std::int64_t /*element_bytes*/,
                          std::vector<std::byte>& /*packed*/) {
    return base::fail(ErrorCode::not_found, "{}", STAITHE_BLOSC_MISSING);
}

base::Result<> unpack_blosc(std::span<const std::byte> /*packed*/, std::span<std::byte> /*elements*/) {
    return base::fail(ErrorCode::not_found, "{}", STAITHE_BLOSC_MISSING);
}

#else

base::Result<> pack_blosc(std::span<const std::byte> elements, std::int64_t element_bytes,
                          std::vector<std::byte>& packed) {
    packed.resize(elements.size() + BLOSC_MAX_OVERHEAD);
    const int bytes =
        blosc_compress_ctx(packing_level, BLOSC_SHUFFLE, static_cast<std::size_t>(element_bytes), elements.size(),
                           elements.data(), packed.data(), packed.size(), packing_compressor, 0, 1);
    if (bytes <= 0) {
        return base::fail(ErrorCode::system, "c-blosc cannot compress {} bytes ({})", elements.size(), bytes);
    }
    packed.resize(static_cast<std::size_t>(bytes));
    return {};
}

base::Result<> unpack_blosc(std::span<const std::byte> packed, std::span<std::byte> elements) {
    std::size_t bytes = 0;
    const bool is_sound = blosc_cbuffer_validate(packed.data(), packed.size(), &bytes) == 0 && bytes == elements.size();
    const int unpacked = is_sound ? blosc_decompress_ctx(packed.data(), elements.data(), elements.size(), 1) : -1;
    return std::cmp_equal(unpacked, elements.size())
               ? base::Result<>()
               : base::fail(ErrorCode::protocol, "what should be {} bytes, compressed, is damaged", elements.size());
}

#endif

}  // namespace staithe::format
