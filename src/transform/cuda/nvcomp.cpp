#include "transform/cuda/nvcomp.hpp"

#include "os/shared_library.hpp"
#include "transform/cuda/functions.hpp"

namespace staithe::transform::cuda {

base::Result<Nvcomp> Nvcomp::load(const Libraries& libraries) {
    constexpr const char* how = "pip install 'staithe[cuda]', or nvCOMP 6";
    const auto library = os::SharedLibrary::load(libraries.nvcomp);
    if (!library) {
        return base::fail(ErrorCode::not_found, "nvCOMP cannot be loaded ({}): install it ({})",
                          library.error().message, how);
    }
    Nvcomp nvcomp;
    const char* const missing = Functions(*library)
                                    .get(nvcomp.zstd.alignments, "nvcompBatchedZstdCompressGetRequiredAlignments")
                                    .get(nvcomp.zstd.work_bytes, "nvcompBatchedZstdCompressGetTempSize")
                                    .get(nvcomp.zstd.most_bytes, "nvcompBatchedZstdCompressGetMaxOutputChunkSize")
                                    .get(nvcomp.zstd.compress, "nvcompBatchedZstdCompressAsync")
                                    .get(nvcomp.lz4.alignments, "nvcompBatchedLZ4CompressGetRequiredAlignments")
                                    .get(nvcomp.lz4.work_bytes, "nvcompBatchedLZ4CompressGetTempSize")
                                    .get(nvcomp.lz4.most_bytes, "nvcompBatchedLZ4CompressGetMaxOutputChunkSize")
                                    .get(nvcomp.lz4.compress, "nvcompBatchedLZ4CompressAsync")
                                    .missing();
    if (missing != nullptr) {
        return base::fail(ErrorCode::not_found, "{} has no {}: install another nvCOMP ({})", libraries.nvcomp, missing,
                          how);
    }
    return nvcomp;
}

const Nvcomp::Compressor* Nvcomp::compressor_of(std::string_view codec) const {
    for (const Compressor* const each : {&zstd, &lz4}) {
        if (each->codec == codec) {
            return each;
        }
    }
    return nullptr;
}

}  // namespace staithe::transform::cuda
