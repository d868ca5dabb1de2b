#include "store/space/kernels.hpp"

namespace staithe::store::space {

const Kernels& kernels() {
#if defined(__x86_64__)
    static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
    return has_avx2 ? avx2_kernels : plain_kernels;
#else
    return plain_kernels;
#endif
}

}  // namespace staithe::store::space
