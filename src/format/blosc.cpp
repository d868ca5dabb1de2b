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

base::Result<std::span<const std::byte>> pack_blosc(std::span<const std::byte> /*elements*/,
                                                    std::int64_t /*element_bytes*/, const BloscWay& /*way*/,
                                                    std::vector<std::byte>& /*room*/) {
    return base::fail(ErrorCode::not_found, "{}", STAITHE_BLOSC_MISSING);
}

base::Result<BloscChunk> BloscChunk::open(std::span<const std::byte> /*packed*/, std::int64_t /*bytes*/) {
    return base::fail(ErrorCode::not_found, "{}", STAITHE_BLOSC_MISSING);
}

base::Result<> BloscChunk::unpack(std::int64_t /*first*/, std::span<std::byte> /*elements*/) const {
    return base::fail(ErrorCode::not_found, "{}", STAITHE_BLOSC_MISSING);
}

#else

namespace {

tl::unexpected<base::Failure> is_damaged(std::int64_t bytes) {
    return base::fail(ErrorCode::protocol, "what should be {} bytes, compressed, is damaged", bytes);
}

}  // namespace

base::Result<std::span<const std::byte>> pack_blosc(std::span<const std::byte> elements, std::int64_t element_bytes,
                                                    const BloscWay& way, std::vector<std::byte>& room) {
    const std::size_t most = elements.size() + BLOSC_MAX_OVERHEAD;
    room.resize(std::max(room.size(), most));  // made no smaller: to make it larger again would be to clear it
    const int bytes =
        blosc_compress_ctx(way.level, BLOSC_SHUFFLE, static_cast<std::size_t>(element_bytes), elements.size(),
                           elements.data(), room.data(), most, way.compressor, blosc_block_bytes, 1);
    if (bytes <= 0) {
        return base::fail(ErrorCode::system, "c-blosc cannot compress {} bytes ({})", elements.size(), bytes);
    }
    return std::span(room).first(static_cast<std::size_t>(bytes));
}

base::Result<BloscChunk> BloscChunk::open(std::span<const std::byte> packed, std::int64_t bytes) {
    std::size_t has = 0, compressed = 0, block = 0, item = 0;
    int flags = 0;
    if (blosc_cbuffer_validate(packed.data(), packed.size(), &has) != 0 || std::cmp_not_equal(has, bytes)) {
        return is_damaged(bytes);
    }
    blosc_cbuffer_sizes(packed.data(), &has, &compressed, &block);
    blosc_cbuffer_metainfo(packed.data(), &item, &flags);
    BloscChunk chunk(packed, bytes);
    chunk.block_bytes_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(block), 1, bytes);
    const bool is_of_items = item > 0 && has % item == 0;
    chunk.item_bytes_ = is_of_items ? static_cast<std::int64_t>(item) : bytes;
    return chunk;
}

base::Result<> BloscChunk::unpack(std::int64_t first, std::span<std::byte> elements) const {
    const bool is_all = std::ssize(elements) == bytes_;
    const int unpacked = is_all ? blosc_decompress_ctx(packed_.data(), elements.data(), elements.size(), 1)
                                : blosc_getitem(packed_.data(), static_cast<int>(first / item_bytes_),
                                                static_cast<int>(std::ssize(elements) / item_bytes_), elements.data());
    return std::cmp_equal(unpacked, elements.size()) ? base::Result<>() : is_damaged(bytes_);
}

#endif

}  // namespace staithe::format
