#include "transform/dq/kernels.hpp"

namespace staithe::transform::dq {

const std::vector<Kernels>& available_kernels() {
    static const std::vector<Kernels> found = [] {
        std::vector<Kernels> kernels;
#if defined(__x86_64__)
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
            kernels.push_back(avx512_kernels);
        }
        if (__builtin_cpu_supports("avx2")) {
            kernels.push_back(avx2_kernels);
        }
#endif
        kernels.push_back(plain_kernels);
        return kernels;
    }();
    return found;
}

EncodeTile encoder_for(const Kernels& kernels, Elements elements) {
    const EncodeTile own = kernels.encoder(elements);
    return own != nullptr ? own : plain_kernels.encoder(elements);
}

DecodeTile decoder_for(const Kernels& kernels, Elements elements) {
    const DecodeTile own = kernels.decoder(elements);
    return own != nullptr ? own : plain_kernels.decoder(elements);
}

}  // namespace staithe::transform::dq
