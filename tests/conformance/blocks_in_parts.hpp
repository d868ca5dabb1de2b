// Blocks that are kept in parts, every other one of which a codec encoded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <staithe/transform.hpp>

#include "conformance/bytes_in_a_map.hpp"
#include "store/decoding_source.hpp"
#include "store/parts.hpp"

namespace staithe::testing {

/// What is stored of a block in up to four parts.
inline std::vector<std::byte> in_parts(const store::BlockDescription& block, std::span<const std::byte> elements) {
    Extents shape;
    for (std::size_t i = 0; i < block.box.count.size(); ++i) {
        const std::int64_t count = block.box.count[block.column_major ? block.box.count.size() - 1 - i : i];
        if (count != 1) {
            shape.push_back(count);
        }
    }
    const std::int64_t rows = elements.empty() ? 0 : shape.empty() ? 1 : shape[0];
    const std::int64_t row = elements.empty() ? 0 : block.data_bytes() / rows;
    std::vector<store::StoredPart> parts;
    std::vector<std::vector<std::byte>> stored;
    for (std::int64_t first = 0; first < rows; first += (rows + 3) / 4) {
        const std::int64_t count = std::min((rows + 3) / 4, rows - first);
        const auto bytes =
            elements.subspan(static_cast<std::size_t>(first * row), static_cast<std::size_t>(count * row));
        const bool is_payload = parts.size() % 2 == 0;
        Extents part = shape;
        if (!part.empty()) {
            part[0] = count;
        }
        stored.emplace_back(bytes.begin(), bytes.end());
        if (is_payload) {
            stored.back() = codecs::encode(ArrayView::row_major(bytes.data(), block.dtype, part));
        }
        parts.push_back({count * row, static_cast<std::int64_t>(stored.back().size()), is_payload});
    }
    const store::PartPlaces places = store::places_of(parts);
    std::vector<std::byte> whole(static_cast<std::size_t>(places.bytes));
    store::write_head(whole.data(), parts);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        std::ranges::copy(stored[i], whole.begin() + places.places[i]);
    }
    return whole;
}

struct InParts {
    store::BlockRef keep(std::uint32_t store, const store::BlockDescription& block,
                         std::span<const std::byte> elements) {
        store::BlockRef ref = map->keep(store, in_parts(block, elements));
        ref.encoding = store::Encoding::parts;
        return ref;
    }
    [[nodiscard]] std::shared_ptr<store::BlockSource> source() const {
        return std::make_shared<store::DecodingSource>(map);
    }
    static constexpr bool shows = false;

    std::shared_ptr<BytesInAMap> map = std::make_shared<BytesInAMap>();
};

}  // namespace staithe::testing
