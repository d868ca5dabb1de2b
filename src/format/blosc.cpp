#include "format/blosc.hpp"

#ifndef STAITHE_BLOSC_MISSING
#include <blosc.h>
#endif

#include <algorithm>
#include <utility>

namespace staithe::format {

const BloscWay* find_blosc_way(std::string_view codec) {
    const auto* const found = std::ranges::find(blosc_ways, codec, &BloscWay::codec);
    return found == blosc_ways.end() ? nullptr : found;
}

const BloscWay& blosc_way(std::string_view codec) {
    const BloscWay* const found = find_blosc_way(codec);
    return found == nullptr ? blosc_ways.front() : *found;
}

#ifdef STAITHE_BLOSC_MISSING

base::Result<> pack_blosc(std::span<const std::byte> /*elements*/, std::int64_t /*element_bytes*/,
                          const BloscWay& /*way*/, std::vector<std::byte>& /*packed*/) {
    return base::fail(ErrorCode::not_found, "{}", STAITHE_BLOSC_MISSING);
}

base::Result<> unpack_blosc(std::span<const std::byte> /*packed*/, std::int64_t /*chunk_bytes*/, std::int64_t /*first*/,
                            std::span<std::byte> /*elements*/) {
    return base::fail(ErrorCode::not_found, "{}", STAITHE_BLOSC_MISSING);
}

#else

namespace {

bool unpack_all(std::span<const std::byte> packed, std::span<std::byte> elements) {
    return std::cmp_equal(blosc_decompress_ctx(packed.data(), elements.data(), elements.size(), 1), elements.size());
}

}  // namespace

base::Result<> pack_blosc(std::span<const std::byte> elements, std::int64_t element_bytes, const BloscWay& way,
                          std::vector<std::byte>& packed) {
    packed.resize(elements.size() + BLOSC_MAX_OVERHEAD);
    const int bytes =
        blosc_compress_ctx(way.level, BLOSC_SHUFFLE, static_cast<std::size_t>(element_bytes), elements.size(),
                           elements.data(), packed.data(), packed.size(), way.compressor, blosc_block_bytes, 1);
    if (bytes <= 0) {
        return base::fail(ErrorCode::system, "c-blosc cannot compress {} bytes ({})", elements.size(), bytes);
    }
    packed.resize(static_cast<std::size_t>(bytes));
    return {};
}

base::Result<> unpack_blosc(std::span<const std::byte> packed, std::int64_t chunk_bytes, std::int64_t first,
                            std::span<std::byte> elements) {
    std::size_t has = 0, item = 0;
    int flags = 0;
    const bool is_sound = blosc_cbuffer_validate(packed.data(), packed.size(), &has) == 0 &&
                          std::cmp_equal(has, chunk_bytes) && first <= chunk_bytes - std::ssize(elements);
    bool is_unpacked = false;
    if (is_sound && std::cmp_equal(elements.size(), has)) {
        is_unpacked = unpack_all(packed, elements);
    } else if (is_sound) {
        blosc_cbuffer_metainfo(packed.data(), &item, &flags);
        const auto each = static_cast<std::int64_t>(item);
        if (each > 0 && first % each == 0 && std::ssize(elements) % each == 0) {
            const int bytes = blosc_getitem(packed.data(), static_cast<int>(first / each),
                                            static_cast<int>(std::ssize(elements) / each), elements.data());
            is_unpacked = std::cmp_equal(bytes, elements.size());
        } else {  // whoever wrote it took other items for elements
            std::vector<std::byte> all(has);
            is_unpacked = unpack_all(packed, all);
            std::ranges::copy(std::span(all).subspan(static_cast<std::size_t>(first), elements.size()),
                              elements.begin());
        }
    }
    return is_unpacked
               ? base::Result<>()
               : base::fail(ErrorCode::protocol, "what should be {} bytes, compressed, is damaged", chunk_bytes);
}

#endif

}  // namespace staithe::format
