// The head of a coded tile: docs/formats/dq.md. Compiled for GPUs, too.
#pragma once

#include <cstdint>

namespace staithe::transform::dq {

/// What the tile is made of.
enum class Kind : std::uint8_t {
    zeros = 0,      // nothing else is stored
    quantised = 1,  // and exceptions
    exact = 2,
};

/// How residuals are stored.
enum class Coding : std::uint8_t {
    planes = 0,   // all bits of them by planes
    entropy = 1,  // their upper bits by how often they come
};

enum class Predictor : std::uint8_t {
    lorenzo = 0,        // along all dimensions
    rows = 1,           // Lorenzo along the last dimension alone
    interpolation = 2,  // of quantised values with entropy coding alone
};

/// What layers of exceptions there are.
inline constexpr std::uint8_t has_common = 1;
inline constexpr std::uint8_t has_others = 2;

struct TileHeader {
    Kind kind = Kind::zeros;
    std::uint8_t layers = 0;  // of exceptions
    Coding coding = Coding::planes;
    Predictor predictor = Predictor::lorenzo;
    std::uint32_t width_bytes = 0;
    std::uint32_t planes = 0;  // of 16 bits
    std::uint32_t exception_bytes = 0;
    double step = 0.0;
};
static_assert(sizeof(TileHeader) == 24);

/// What the bytes of an entropy coded tile's widths begin with; tables and words follow.
struct EntropyHeader {
    std::uint32_t form_words = 0;
    std::uint32_t symbol_words = 0;
    std::uint32_t sparse_words = 0;
};
static_assert(sizeof(EntropyHeader) == 12);

}  // namespace staithe::transform::dq
