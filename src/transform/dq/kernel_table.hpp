// Which code a kind of lanes has for which elements; included by the files that are compiled for one processor.
#pragma once

#include "transform/dq/entropy_lanes.hpp"
#include "transform/dq/interpolation_coder.hpp"
#include "transform/dq/kernels.hpp"
#include "transform/dq/tile_coder.hpp"

namespace staithe::transform::dq {

/// TileEncoder or TileDecoder for lanes of 32 bits; null for elements that need 64: plain C++ alone has those.
template <template <class, class, int> class Coder, class L, class Job>
void (*coder_for(Elements elements))(Job&) {
    switch (elements) {
        case Elements::quantised_f32: return run_coder<Coder, L, QuantisedValues<L, float>, Job>;
        case Elements::quantised_f64: return run_coder<Coder, L, QuantisedValues<L, double>, Job>;
        case Elements::exact_f32: return run_coder<Coder, L, ExactValues<L, std::int32_t, true>, Job>;
        case Elements::exact_i8: return run_coder<Coder, L, ExactValues<L, std::int8_t, false>, Job>;
        case Elements::exact_u8: return run_coder<Coder, L, ExactValues<L, std::uint8_t, false>, Job>;
        case Elements::exact_i16: return run_coder<Coder, L, ExactValues<L, std::int16_t, false>, Job>;
        case Elements::exact_u16: return run_coder<Coder, L, ExactValues<L, std::uint16_t, false>, Job>;
        case Elements::exact_32: return run_coder<Coder, L, ExactValues<L, std::int32_t, false>, Job>;
        case Elements::exact_f64:
        case Elements::exact_64: break;
    }
    return nullptr;
}

/// InterpolationEncoder or InterpolationDecoder; null for what is not quantised.
template <template <class, class> class Coder, class L, class Job>
void (*interpolating_coder_for(Elements elements))(Job&) {
    switch (elements) {
        case Elements::quantised_f32: return [](Job& job) { Coder<L, float>(job).run(); };
        case Elements::quantised_f64: return [](Job& job) { Coder<L, double>(job).run(); };
        default: return nullptr;
    }
}

template <class L>
constexpr Kernels kernels_of(std::string_view name) {
    return {name,
            coder_for<TileEncoder, L, EncodeJob>,
            coder_for<TileDecoder, L, DecodeJob>,
            interpolating_coder_for<InterpolationEncoder, L, EncodeJob>,
            interpolating_coder_for<InterpolationDecoder, L, DecodeJob>,
            encode_residuals<L>,
            decode_residuals<L>,
            widen<L, float>,
            widen<L, double>,
            add_errors<L, float>,
            add_errors<L, double>,
            round_to_multiples<L, float>,
            round_to_multiples<L, double>};
}

}  // namespace staithe::transform::dq
