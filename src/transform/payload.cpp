#include "transform/payload.hpp"

#include <array>
#include <cmath>
#include <cstring>

#include "transform/checksum.hpp"
#include "transform/tiling.hpp"

namespace staithe::transform {
namespace {

constexpr std::uint32_t magic = 0x4C505453;  // "STPL"
constexpr std::uint16_t version = 1;
constexpr std::size_t name_bytes = 16;

// The fixed part; shape and tile follow, 8 bytes a dimension each, then the tiles' entries, then the checksum of all
// that.
struct FixedHeader {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint8_t dtype;
    std::uint8_t dimensions;
    double bound;
    std::uint64_t tiles;
    std::array<char, name_bytes> codec;  // filled up with zeros
};
static_assert(sizeof(FixedHeader) == 40 && std::is_trivially_copyable_v<FixedHeader>);

tl::unexpected<base::Failure> damaged(const char* what) {
    return base::fail(ErrorCode::protocol, "this is no whole payload: {}; it was cut off or changed on its way", what);
}

base::Result<> check_tiling(const PayloadHeader& header, std::uint64_t tiles) {
    const auto values = volume(header.shape);
    if (!values || !size_in_bytes(header.shape, header.dtype)) {
        return damaged("its shape cannot be");
    }
    std::uint64_t counted = 1;
    for (std::size_t i = 0; i < header.shape.size(); ++i) {
        if (header.tile[i] < 1 || header.tile[i] > std::max<std::int64_t>(1, header.shape[i])) {
            return damaged("its tiles cannot be");
        }
        counted *= static_cast<std::uint64_t>((header.shape[i] + header.tile[i] - 1) / header.tile[i]);
    }
    const auto in_tile = volume(header.tile);
    if (counted != tiles || !in_tile || *in_tile > tile_values) {
        return damaged("its tiles do not make up its shape");
    }
    return {};
}

}  // namespace

std::size_t header_bytes(std::size_t dimensions, std::size_t tiles) {
    return sizeof(FixedHeader) + 2 * dimensions * sizeof(std::int64_t) + tiles * sizeof(TileEntry) +
           sizeof(std::uint64_t);
}

std::size_t header_bytes(const PayloadHeader& header) { return header_bytes(header.shape.size(), header.tiles.size()); }

void write_header(const PayloadHeader& header, std::span<std::byte> payload) {
    FixedHeader fixed{magic,
                      version,
                      static_cast<std::uint8_t>(header.dtype),
                      static_cast<std::uint8_t>(header.shape.size()),
                      header.bound,
                      header.tiles.size(),
                      {}};
    header.codec.copy(fixed.codec.data(), fixed.codec.size());
    std::byte* to = payload.data();
    const auto put = [&](const void* from, std::size_t bytes) {
        if (bytes > 0) {
            std::memcpy(to, from, bytes);
            to += bytes;
        }
    };
    put(&fixed, sizeof(fixed));
    put(header.shape.data(), header.shape.size() * sizeof(std::int64_t));
    put(header.tile.data(), header.tile.size() * sizeof(std::int64_t));
    put(header.tiles.data(), header.tiles.size() * sizeof(TileEntry));
    const std::uint64_t sum = checksum(payload.first(static_cast<std::size_t>(to - payload.data())));
    put(&sum, sizeof(sum));
}

base::Result<PayloadHeader> read_header(std::span<const std::byte> payload) {
    FixedHeader fixed{};
    if (payload.size() < sizeof(fixed)) {
        return damaged("it ends within its header");
    }
    std::memcpy(&fixed, payload.data(), sizeof(fixed));
    if (fixed.magic != magic) {
        return base::fail(ErrorCode::protocol, "these bytes are no payload of an encoded array");
    }
    if (fixed.version != version) {
        return base::fail(
            ErrorCode::protocol,
            "this payload has format {}, this version of Staithe reads format {}: use one version for both",
            fixed.version, version);
    }
    const auto dtype = dtype_from_code(fixed.dtype);
    if (!dtype || fixed.dimensions > max_dimensions || fixed.tiles > payload.size() / sizeof(TileEntry)) {
        return damaged("its header is garbled");
    }
    const std::size_t bytes = header_bytes(fixed.dimensions, fixed.tiles);
    if (payload.size() < bytes) {
        return damaged("it ends within its header");
    }
    std::uint64_t sum = 0;
    std::memcpy(&sum, payload.data() + bytes - sizeof(sum), sizeof(sum));
    if (sum != checksum(payload.first(bytes - sizeof(sum)))) {
        return damaged("the checksum of its header is wrong");
    }
    PayloadHeader header;
    header.codec.assign(fixed.codec.data(), strnlen(fixed.codec.data(), fixed.codec.size()));
    header.dtype = *dtype;
    header.bound = fixed.bound;
    header.shape.resize(fixed.dimensions);
    header.tile.resize(fixed.dimensions);
    header.tiles.resize(fixed.tiles);
    const std::byte* from = payload.data() + sizeof(fixed);
    const auto get = [&](void* to, std::size_t size) {
        if (size > 0) {
            std::memcpy(to, from, size);
            from += size;
        }
    };
    get(header.shape.data(), fixed.dimensions * sizeof(std::int64_t));
    get(header.tile.data(), fixed.dimensions * sizeof(std::int64_t));
    get(header.tiles.data(), fixed.tiles * sizeof(TileEntry));
    if (auto checked = check_tiling(header, fixed.tiles); !checked) {
        return base::fail(std::move(checked));
    }
    if (!(header.bound >= 0.0) || std::isinf(header.bound)) {
        return damaged("its bound cannot be");
    }
    for (const TileEntry& entry : header.tiles) {
        if (entry.offset < bytes || entry.offset > payload.size() || entry.bytes > payload.size() - entry.offset) {
            return damaged("a tile lies outside of it");
        }
    }
    return header;
}

}  // namespace staithe::transform
