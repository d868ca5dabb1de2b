#include "transform/dq/kernel_table.hpp"
#include "transform/dq/lanes_plain.hpp"

namespace staithe::transform::dq {
namespace {

using Lanes32 = PlainLanes<std::uint32_t>;
using Lanes64 = PlainLanes<std::uint64_t>;

template <template <class, class, int> class Coder, class Job>
void (*plain_coder_for(Elements elements))(Job&) {
    switch (elements) {
        case Elements::exact_f64: return run_coder<Coder, Lanes64, ExactValues<Lanes64, std::int64_t, true>, Job>;
        case Elements::exact_64: return run_coder<Coder, Lanes64, ExactValues<Lanes64, std::int64_t, false>, Job>;
        default: return coder_for<Coder, Lanes32, Job>(elements);
    }
}

}  // namespace

const Kernels plain_kernels = [] {
    Kernels kernels = kernels_of<Lanes32>("plain");
    kernels.encoder = plain_coder_for<TileEncoder, EncodeJob>;
    kernels.decoder = plain_coder_for<TileDecoder, DecodeJob>;
    return kernels;
}();

}  // namespace staithe::transform::dq
