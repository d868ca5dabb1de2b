#include "format/packing.hpp"

#include <algorithm>
#include <utility>

#include "format/blosc.hpp"
#include "transform/coding.hpp"

namespace staithe::format {
namespace {

/// Other programs that write a chunk (staithe.codecs.zarr) encode the step along with it.
Extents with_a_step(const Extents& shape) {
    Extents all{1};
    for (const std::int64_t length : shape) {
        all.push_back(length);
    }
    return all;
}

base::Result<> unpack_payload(const StoredPart& part, std::span<const std::byte> payload,
                              std::span<std::byte> elements) {
    const auto info = transform::inspect(payload);
    if (!info) {
        return base::fail(info);
    }
    const bool is_the_chunk = info->shape == part.packed_shape || (part.packed_shape.size() < max_dimensions &&
                                                                   info->shape == with_a_step(part.packed_shape));
    if (info->dtype != part.dtype || !is_the_chunk || std::cmp_not_equal(info->raw_bytes, elements.size())) {
        return base::fail(ErrorCode::protocol, "what should be {} {}, encoded, is {} {}", name_of(part.dtype),
                          to_string(part.packed_shape), name_of(info->dtype), to_string(info->shape));
    }
    return transform::decode(payload, MutableArrayView::row_major(elements.data(), info->dtype, info->shape));
}

base::Result<> unpack_all(const StoredPart& part, std::span<const std::byte> packed, std::span<std::byte> elements) {
    return part.packing == Packing::payload ? unpack_payload(part, packed, elements) : unpack_blosc(packed, elements);
}

}  // namespace

base::Result<> pack(const ArrayView& chunk, const ArrayToStore& array, std::vector<std::byte>& packed) {
    if (array.packing == Packing::payload) {
        auto payload = transform::encode(chunk, array.coding);
        if (!payload) {
            return base::fail(std::move(payload));
        }
        packed = *std::move(payload);
        return {};
    }
    const auto bytes = static_cast<std::size_t>(size_in_bytes(chunk.shape, chunk.dtype).value_or(0));
    return pack_blosc({static_cast<const std::byte*>(chunk.data), bytes}, size_of(chunk.dtype), packed);
}

base::Result<> unpack(const StoredPart& part, std::span<const std::byte> packed, std::int64_t first,
                      std::span<std::byte> elements) {
    if (std::cmp_equal(elements.size(), part.packed_bytes)) {
        return unpack_all(part, packed, elements);
    }
    std::vector<std::byte> all(static_cast<std::size_t>(part.packed_bytes));
    auto unpacked = unpack_all(part, packed, all);
    if (unpacked) {
        const auto from = static_cast<std::size_t>(part.offset + first);
        std::ranges::copy(std::span(all).subspan(from, elements.size()), elements.begin());
    }
    return unpacked;
}

}  // namespace staithe::format
