#if defined(__x86_64__)
#include "transform/dq/kernel_table.hpp"
#include "transform/dq/lanes_avx512.hpp"

namespace staithe::transform::dq {

const Kernels avx512_kernels{"avx512", encoder_for<Avx512Lanes>, decoder_for<Avx512Lanes>};

}  // namespace staithe::transform::dq
#endif
