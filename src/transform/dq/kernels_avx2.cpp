#if defined(__x86_64__)
#include "transform/dq/kernel_table.hpp"
#include "transform/dq/lanes_avx2.hpp"

namespace staithe::transform::dq {

const Kernels avx2_kernels{"avx2", encoder_for<Avx2Lanes>, decoder_for<Avx2Lanes>};

}  // namespace staithe::transform::dq
#endif
