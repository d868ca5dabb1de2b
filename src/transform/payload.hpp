// The payload around coded tiles: docs/formats/payload.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <staithe/array_view.hpp>

#include "base/result.hpp"

namespace staithe::transform {

/// How a tile is stored.
enum class TileMethod : std::uint32_t {
    raw = 0,       // its elements in C order
    codec = 1,     // by the codec of the payload
    fallback = 2,  // by the codec `fallback`, since that of the payload could not keep the bound
};

inline constexpr const char* fallback = "dq";

/// Where a tile lies in the payload.
struct TileEntry {
    std::uint64_t offset = 0;  // from the payload's first byte
    std::uint64_t bytes = 0;
    std::uint64_t checksum = 0;
    TileMethod method = TileMethod::raw;
    std::uint32_t reserved = 0;
};
static_assert(sizeof(TileEntry) == 32);

struct PayloadHeader {
    std::string codec;
    Dtype dtype = Dtype::u8;
    double bound = 0.0;  // absolute; 0: exact
    Extents shape{};
    Extents tile{};
    std::vector<TileEntry> tiles;  // in C order
};

/// Bytes that the header takes, its tiles' entries included.
[[nodiscard]] std::size_t header_bytes(const PayloadHeader& header);
[[nodiscard]] std::size_t header_bytes(std::size_t dimensions, std::size_t tiles);

/// Writes it to the first `header_bytes` of the payload.
void write_header(const PayloadHeader& header, std::span<std::byte> payload);

/// Reads and checks it: each tile lies within the payload, shape and tiles agree.
base::Result<PayloadHeader> read_header(std::span<const std::byte> payload);

}  // namespace staithe::transform
