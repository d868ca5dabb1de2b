#include "transform/dq/kernel_table.hpp"
#include "transform/dq/lanes_plain.hpp"

namespace staithe::transform::dq {
namespace {

using Lanes32 = PlainLanes<std::uint32_t>;
using Lanes64 = PlainLanes<std::uint64_t>;

EncodeTile encoder(Elements elements) {
    switch (elements) {
        case Elements::exact_f64:
            return run_coder<TileEncoder, Lanes64, ExactValues<Lanes64, std::int64_t, true>, EncodeJob>;
        case Elements::exact_64:
            return run_coder<TileEncoder, Lanes64, ExactValues<Lanes64, std::int64_t, false>, EncodeJob>;
        default: return encoder_for<Lanes32>(elements);
    }
}

DecodeTile decoder(Elements elements) {
    switch (elements) {
        case Elements::exact_f64:
            return run_coder<TileDecoder, Lanes64, ExactValues<Lanes64, std::int64_t, true>, DecodeJob>;
        case Elements::exact_64:
            return run_coder<TileDecoder, Lanes64, ExactValues<Lanes64, std::int64_t, false>, DecodeJob>;
        default: return decoder_for<Lanes32>(elements);
    }
}

}  // namespace

const Kernels plain_kernels{"plain", encoder, decoder};

}  // namespace staithe::transform::dq
