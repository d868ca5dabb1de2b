// The code that does the work of dq, finds the range of values and their errors, and rounds them, once for each kind of
// processor; all of it makes the same bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "transform/dq/coding.hpp"
#include "transform/dq/entropy.hpp"
#include "transform/dq/error_lanes.hpp"
#include "transform/dq/range_lanes.hpp"
#include "transform/dq/rounding_lanes.hpp"

namespace staithe::transform::dq {

/// What a kernel is made for.
enum class Elements : std::uint8_t {
    quantised_f32,
    quantised_f64,
    exact_f32,  // exact: the values bit by bit
    exact_f64,
    exact_i8,
    exact_u8,
    exact_i16,
    exact_u16,
    exact_32,
    exact_64,
};

using EncodeTile = void (*)(EncodeJob&);
using DecodeTile = void (*)(DecodeJob&);

struct Kernels {
    std::string_view name;
    EncodeTile (*encoder)(Elements);  // null for elements that plain C++ alone can code
    DecodeTile (*decoder)(Elements);
    EncodeTile (*interpolating_encoder)(Elements);  // of quantised elements
    DecodeTile (*interpolating_decoder)(Elements);
    void (*encode_residuals)(EntropyEncodeJob&);
    void (*decode_residuals)(EntropyDecodeJob&);
    void (*widen_f32)(RangeLanes<float>&, const std::byte*, std::size_t);
    void (*widen_f64)(RangeLanes<double>&, const std::byte*, std::size_t);
    void (*add_errors_f32)(ErrorLanes<float>&, const std::byte*, const std::byte*, std::size_t);
    void (*add_errors_f64)(ErrorLanes<double>&, const std::byte*, const std::byte*, std::size_t);
    void (*round_f32)(const MultiplesToRoundTo<float>&, std::byte*, const std::byte*, std::size_t);
    void (*round_f64)(const MultiplesToRoundTo<double>&, std::byte*, const std::byte*, std::size_t);
};

/// Bytes of the words that residuals of these elements take.
[[nodiscard]] constexpr std::size_t word_bytes(Elements elements) {
    return elements == Elements::exact_f64 || elements == Elements::exact_64 ? 8 : 4;
}

/// Those that this processor can run, the fastest first. The last one is plain C++.
[[nodiscard]] const std::vector<Kernels>& available_kernels();

/// The code for these elements: plain C++ where the kernels have none.
[[nodiscard]] EncodeTile encoder_for(const Kernels& kernels, Elements elements);
[[nodiscard]] DecodeTile decoder_for(const Kernels& kernels, Elements elements);

// The files that are compiled for one kind of processor. They contain no function that another file could share.
extern const Kernels plain_kernels;
extern const Kernels avx2_kernels;
extern const Kernels avx512_kernels;

}  // namespace staithe::transform::dq
