#if defined(__x86_64__)
#include "transform/dq/kernel_table.hpp"
#include "transform/dq/lanes_avx512.hpp"

namespace staithe::transform::dq {

const Kernels avx512_kernels = kernels_of<Avx512Lanes>("avx512");

}  // namespace staithe::transform::dq
#endif
