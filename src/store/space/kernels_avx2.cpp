#include "store/space/kernel_loops.hpp"

#if defined(__x86_64__)

namespace staithe::store::space {
namespace {

struct Avx2 {};

}  // namespace

constinit const Kernels avx2_kernels = Loops<Avx2>::all();

}  // namespace staithe::store::space

#endif
