#if defined(__x86_64__)
#include "transform/dq/kernel_table.hpp"
#include "transform/dq/lanes_avx2.hpp"

namespace staithe::transform::dq {

const Kernels avx2_kernels = kernels_of<Avx2Lanes>("avx2");

}  // namespace staithe::transform::dq
#endif
