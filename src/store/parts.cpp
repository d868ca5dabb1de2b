#include "store/parts.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/rounding.hpp"

namespace staithe::store {
namespace {

struct PartsHeader {
    static constexpr std::uint32_t known_magic = 0x74506253;  // "SbPt"
    std::uint32_t magic = known_magic;
    std::uint32_t version = 1;
    std::uint64_t count = 0;
};
static_assert(sizeof(PartsHeader) == 16);

struct PartHeader {
    std::int64_t data_bytes = 0;
    std::int64_t bytes = 0;
    std::uint32_t is_payload = 0;
    std::uint32_t reserved = 0;
};
static_assert(sizeof(PartHeader) == 24);

constexpr std::int64_t place_alignment = 64;

std::int64_t aligned(std::int64_t bytes) { return base::round_up(bytes, place_alignment); }

std::int64_t head_bytes(std::size_t parts) {
    return static_cast<std::int64_t>(sizeof(PartsHeader) + parts * sizeof(PartHeader));
}

/// If a block can be stored so: each part has an element at least, an entry in the head, and a place of its own.
std::optional<PartsHeader> read_header(std::span<const std::byte> first, std::int64_t stored,
                                       const BlockDescription& block) {
    PartsHeader header;
    if (first.size() < sizeof(header)) {
        return std::nullopt;
    }
    std::memcpy(&header, first.data(), sizeof(header));
    const std::int64_t bytes_of_each = sizeof(PartHeader) + place_alignment;
    const std::int64_t most = std::min(stored / bytes_of_each + 1, volume(block.box.count).value_or(0));
    const bool can_be = header.magic == PartsHeader::known_magic && header.version == 1 &&
                        header.count <= static_cast<std::uint64_t>(most);
    return can_be ? std::optional(header) : std::nullopt;
}

/// Of the dimensions that parts have, which of the block's each is.
PerDimension<std::size_t> dimensions_of(const BlockDescription& block) {
    const std::size_t count = block.box.count.size();
    PerDimension<std::size_t> dimensions;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t dimension = block.column_major ? count - 1 - i : i;
        if (block.box.count[dimension] != 1) {
            dimensions.push_back(dimension);
        }
    }
    return dimensions;
}

Extents shape_as_it_lies(const BlockDescription& block) {
    Extents shape;
    for (const std::size_t dimension : dimensions_of(block)) {
        shape.push_back(block.box.count[dimension]);
    }
    return shape;
}

/// So many elements from the first one on, if they are a box.
std::optional<Box> box_of(const Extents& shape, std::int64_t first, std::int64_t count) {
    Box box = Box::whole(shape);
    std::int64_t behind = volume(shape).value_or(0);  // elements of all dimensions from one on
    for (std::size_t i = 0; i < shape.size(); ++i) {
        behind /= shape[i];
        box.offset[i] = first / behind;
        first %= behind;
        if (count >= behind) {
            box.count[i] = count / behind;
            const bool is_one = first == 0 && count % behind == 0 && box.count[i] <= shape[i] - box.offset[i];
            return is_one ? std::optional(box) : std::nullopt;
        }
        box.count[i] = 1;
    }
    return count == 1 ? std::optional(box) : std::nullopt;
}

}  // namespace

PartPlaces places_of(std::span<const StoredPart> parts) {
    PartPlaces places{{}, aligned(head_bytes(parts.size()))};
    for (const StoredPart& part : parts) {
        places.places.push_back(places.bytes);
        places.bytes = aligned(places.bytes + part.bytes);
    }
    return places;
}

void write_head(std::byte* memory, std::span<const StoredPart> parts) {
    const PartsHeader header{.count = parts.size()};
    std::memcpy(memory, &header, sizeof(header));
    memory += sizeof(header);
    for (const StoredPart& part : parts) {
        const PartHeader each{part.data_bytes, part.bytes, part.is_payload ? 1U : 0U, 0};
        std::memcpy(memory, &each, sizeof(each));
        memory += sizeof(each);
    }
}

std::int64_t bytes_of_head(std::span<const std::byte> first, std::int64_t stored, const BlockDescription& block) {
    const auto header = read_header(first, stored, block);
    return std::min(head_bytes(header ? header->count : 0), stored);
}

base::Result<std::vector<Part>> read_parts(std::span<const std::byte> head, std::int64_t stored,
                                           const BlockDescription& block) {
    const auto refuse = [] { return base::fail(ErrorCode::protocol, "the parts in which it is stored make no sense"); };
    const auto header = read_header(head, stored, block);
    if (!header || head_bytes(header->count) > std::ssize(head)) {
        return refuse();
    }
    const Extents shape = shape_as_it_lies(block);
    const std::int64_t item = size_of(block.dtype);
    const std::int64_t all = block.data_bytes();
    std::vector<Part> parts;
    std::int64_t first = 0;  // byte of the elements
    std::int64_t place = aligned(head_bytes(header->count));
    for (std::size_t i = 0; i < header->count; ++i) {
        PartHeader part;
        std::memcpy(&part, head.data() + head_bytes(i), sizeof(part));
        const bool is_in_block = part.data_bytes > 0 && part.data_bytes <= all - first && part.data_bytes % item == 0;
        const bool is_stored = part.bytes > 0 && place <= stored && part.bytes <= stored - place;
        const bool can_be = part.is_payload == 1 ? is_in_block && part.bytes <= most_payload_bytes(part.data_bytes)
                                                 : part.is_payload == 0 && part.bytes == part.data_bytes;
        const auto box = is_in_block ? box_of(shape, first / item, part.data_bytes / item) : std::nullopt;
        if (!box || !is_stored || !can_be) {
            return refuse();
        }
        parts.push_back({*box, place, part.bytes, part.is_payload == 1});
        first += part.data_bytes;
        place = aligned(place + part.bytes);
    }
    return first == all ? base::Result<std::vector<Part>>(std::move(parts)) : refuse();
}

Box as_it_lies(const BlockDescription& block, const Box& box) {
    Box lying;
    for (const std::size_t dimension : dimensions_of(block)) {
        lying.offset.push_back(box.offset[dimension]);
        lying.count.push_back(box.count[dimension]);
    }
    return lying;
}

MutableArrayView as_it_lies(const BlockDescription& block, const MutableArrayView& elements) {
    MutableArrayView lying{elements.data, elements.dtype, {}, {}};
    for (const std::size_t dimension : dimensions_of(block)) {
        lying.shape.push_back(elements.shape[dimension]);
        lying.strides.push_back(elements.strides[dimension]);
    }
    return lying;
}

}  // namespace staithe::store
