// The kernels, compiled for a kind of GPU.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "transform/cuda/api.hpp"

namespace staithe::transform::cuda {

struct CompiledKernels {
    std::vector<char> code;
    std::string log;  // what the compiler had to say
};

/// For a GPU of that architecture, such as 9.0.
base::Result<CompiledKernels> compile_kernels(const Compiler& compiler, int major, int minor);

}  // namespace staithe::transform::cuda
