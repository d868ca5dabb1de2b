#include "store/space/kernel_loops.hpp"

namespace staithe::store::space {
namespace {

struct Plain {};

}  // namespace

constinit const Kernels plain_kernels = Loops<Plain>::all();

}  // namespace staithe::store::space
