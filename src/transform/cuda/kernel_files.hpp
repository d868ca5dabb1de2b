// The text of what is compiled for GPUs, as it was when Staithe was built.
#pragma once

#include <array>

namespace staithe::transform::cuda {

struct KernelFile {
    const char* name;  // as it is included
    const char* text;
};

extern const KernelFile kernels;
/// That it includes, standard ones too.
extern const std::array<KernelFile, 16> kernel_headers;

}  // namespace staithe::transform::cuda
