#include "transform/cuda/compiling.hpp"

#include <array>
#include <memory>

#include "transform/cuda/kernel_files.hpp"

namespace staithe::transform::cuda {

base::Result<CompiledKernels> compile_kernels(const Compiler& compiler, int major, int minor) {
    std::array<const char*, kernel_headers.size()> texts{};
    std::array<const char*, kernel_headers.size()> names{};
    for (std::size_t i = 0; i < kernel_headers.size(); ++i) {
        texts[i] = kernel_headers[i].text;
        names[i] = kernel_headers[i].name;
    }
    Compiler::Program made = nullptr;
    const int created =
        compiler.create(&made, kernels.text, kernels.name, static_cast<int>(texts.size()), texts.data(), names.data());
    if (created != 0) {
        return base::fail(ErrorCode::system, "NVRTC takes no program: {}", compiler.error_text(created));
    }
    const auto destroy = [&](Compiler::Program program) { compiler.destroy(&program); };
    const std::unique_ptr<struct ProgramOfNvrtc, decltype(destroy)> program(made, destroy);

    const std::string architecture = fmt::format("--gpu-architecture=sm_{}{}", major, minor);
    // No multiplication may be fused with an addition: the bytes are to be those of the CPU. gcc's attributes mean
    // nothing here (1097).
    const std::array options{architecture.c_str(), "--std=c++20", "--fmad=false", "--device-as-default-execution-space",
                             "-diag-suppress=1097"};
    const int compiled = compiler.compile(program.get(), static_cast<int>(options.size()), options.data());
    CompiledKernels result;
    std::size_t bytes = 0;
    if (compiler.log_bytes(program.get(), &bytes) == 0 && bytes > 1) {
        result.log.resize(bytes);
        compiler.get_log(program.get(), result.log.data());
        result.log.resize(bytes - 1);  // it ends with a zero
    }
    if (compiled != 0) {
        return base::fail(ErrorCode::system, "NVRTC cannot compile dq for GPUs of architecture {}.{} ({}): {}", major,
                          minor, compiler.error_text(compiled),
                          result.log.empty() ? "a newer one may know them" : result.log);
    }
    const int sized = compiler.code_bytes(program.get(), &bytes);
    result.code.resize(sized == 0 ? bytes : 0);
    if (sized != 0 || result.code.empty() || compiler.get_code(program.get(), result.code.data()) != 0) {
        return base::fail(ErrorCode::system, "NVRTC gives no code for GPUs of architecture {}.{}", major, minor);
    }
    return result;
}

}  // namespace staithe::transform::cuda
