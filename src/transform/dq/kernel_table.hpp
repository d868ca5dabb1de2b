// Which code a kind of lanes has for which elements; included by the files that are compiled for one processor.
#pragma once

#include "transform/dq/kernels.hpp"
#include "transform/dq/tile_coder.hpp"

namespace staithe::transform::dq {

// Null for elements that need words of 64 bits: those are coded by plain C++ alone.

template <class L>
EncodeTile encoder_for(Elements elements) {
    switch (elements) {
        case Elements::quantised_f32: return run_coder<TileEncoder, L, QuantisedValues<L, float>, EncodeJob>;
        case Elements::quantised_f64: return run_coder<TileEncoder, L, QuantisedValues<L, double>, EncodeJob>;
        case Elements::exact_f32: return run_coder<TileEncoder, L, ExactValues<L, std::int32_t, true>, EncodeJob>;
        case Elements::exact_i8: return run_coder<TileEncoder, L, ExactValues<L, std::int8_t, false>, EncodeJob>;
        case Elements::exact_u8: return run_coder<TileEncoder, L, ExactValues<L, std::uint8_t, false>, EncodeJob>;
        case Elements::exact_i16: return run_coder<TileEncoder, L, ExactValues<L, std::int16_t, false>, EncodeJob>;
        case Elements::exact_u16: return run_coder<TileEncoder, L, ExactValues<L, std::uint16_t, false>, EncodeJob>;
        case Elements::exact_32: return run_coder<TileEncoder, L, ExactValues<L, std::int32_t, false>, EncodeJob>;
        case Elements::exact_f64:
        case Elements::exact_64: return nullptr;
    }
    return nullptr;
}

template <class L>
DecodeTile decoder_for(Elements elements) {
    switch (elements) {
        case Elements::quantised_f32: return run_coder<TileDecoder, L, QuantisedValues<L, float>, DecodeJob>;
        case Elements::quantised_f64: return run_coder<TileDecoder, L, QuantisedValues<L, double>, DecodeJob>;
        case Elements::exact_f32: return run_coder<TileDecoder, L, ExactValues<L, std::int32_t, true>, DecodeJob>;
        case Elements::exact_i8: return run_coder<TileDecoder, L, ExactValues<L, std::int8_t, false>, DecodeJob>;
        case Elements::exact_u8: return run_coder<TileDecoder, L, ExactValues<L, std::uint8_t, false>, DecodeJob>;
        case Elements::exact_i16: return run_coder<TileDecoder, L, ExactValues<L, std::int16_t, false>, DecodeJob>;
        case Elements::exact_u16: return run_coder<TileDecoder, L, ExactValues<L, std::uint16_t, false>, DecodeJob>;
        case Elements::exact_32: return run_coder<TileDecoder, L, ExactValues<L, std::int32_t, false>, DecodeJob>;
        case Elements::exact_f64:
        case Elements::exact_64: return nullptr;
    }
    return nullptr;
}

}  // namespace staithe::transform::dq
