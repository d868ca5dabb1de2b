// Which predictor and which coding suit a tile, from a part of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <staithe/transform.hpp>

#include "transform/dq/kernels.hpp"
#include "transform/dq/tile_format.hpp"
#include "transform/scratch.hpp"

namespace staithe::transform::dq {

/// How a tile's values become integers.
struct Manner {
    Kind kind = Kind::exact;
    Elements elements = Elements::exact_32;
    std::size_t item = 0;             // bytes of an element
    const void* quantiser = nullptr;  // Quantiser<T>; none: exactly
    double step = 0.0;
};

struct Choice {
    Predictor predictor = Predictor::lorenzo;
    Coding coding = Coding::planes;
    /// What Lorenzo and planes would likely take. If the choice takes more, the part that was looked at was another
    /// kind than the rest.
    double bytes_of_planes = std::numeric_limits<double>::infinity();
};

/// The code that predicts so.
[[nodiscard]] EncodeTile encoder_for(const Kernels& kernels, Elements elements, Predictor predictor);
[[nodiscard]] DecodeTile decoder_for(const Kernels& kernels, Elements elements, Predictor predictor);

/// Bytes that predicting so takes.
[[nodiscard]] std::size_t workspace_bytes(const TileRows& tile, const Manner& manner, Predictor predictor);

/// What encoding so takes, but for where the result goes.
[[nodiscard]] EncodeJob job_for(const TileRows& tile, const std::byte* values, const Manner& manner,
                                Predictor predictor, Scratch& scratch);

/// Room for the residuals of a tile in words of 32 bits.
[[nodiscard]] std::size_t residual_words(const TileRows& tile);

[[nodiscard]] Choice choose(const Kernels& kernels, const TileRows& tile, const std::byte* values, const Manner& manner,
                            codecs::Mode mode, Scratch& scratch);

}  // namespace staithe::transform::dq
