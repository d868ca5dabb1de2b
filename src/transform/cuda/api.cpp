#include "transform/cuda/api.hpp"

#include "os/shared_library.hpp"
#include "transform/cuda/functions.hpp"

namespace staithe::transform::cuda {
namespace {

constexpr int out_of_memory = 2;
constexpr int no_device = 100;

}  // namespace

base::Result<Driver> Driver::load(const Libraries& libraries) {
    const auto library = os::SharedLibrary::load(libraries.driver);
    if (!library) {
        return base::fail(ErrorCode::not_found, "there is no driver of NVIDIA's here that could be loaded: {}",
                          library.error().message);
    }
    Driver driver;
    const char* const missing = Functions(*library)
                                    .get(driver.init, "cuInit")
                                    .get(driver.get_device, "cuDeviceGet")
                                    .get(driver.get_attribute, "cuDeviceGetAttribute")
                                    .get(driver.retain_context, "cuDevicePrimaryCtxRetain")
                                    .get(driver.release_context, "cuDevicePrimaryCtxRelease_v2")
                                    .get(driver.push_context, "cuCtxPushCurrent_v2")
                                    .get(driver.pop_context, "cuCtxPopCurrent_v2")
                                    .get(driver.load_module, "cuModuleLoadData")
                                    .get(driver.unload_module, "cuModuleUnload")
                                    .get(driver.get_function, "cuModuleGetFunction")
                                    .get(driver.allocate, "cuMemAlloc_v2")
                                    .get(driver.free, "cuMemFree_v2")
                                    .get(driver.allocate_pinned, "cuMemAllocHost_v2")
                                    .get(driver.free_pinned, "cuMemFreeHost")
                                    .get(driver.create_stream, "cuStreamCreate")
                                    .get(driver.destroy_stream, "cuStreamDestroy_v2")
                                    .get(driver.query_stream, "cuStreamQuery")
                                    .get(driver.copy_in, "cuMemcpyHtoDAsync_v2")
                                    .get(driver.copy_out, "cuMemcpyDtoHAsync_v2")
                                    .get(driver.launch, "cuLaunchKernel")
                                    .get(driver.error_name, "cuGetErrorName")
                                    .get(driver.error_text, "cuGetErrorString")
                                    .missing();
    if (missing != nullptr) {
        return base::fail(ErrorCode::not_found, "NVIDIA's driver here is older than CUDA 11: it has no {}", missing);
    }
    return driver;
}

base::Result<> Driver::checked(const char* what, int code) const {
    if (code == 0) {
        return {};
    }
    const char* name = nullptr;
    const char* text = nullptr;
    error_name(code, &name);
    error_text(code, &text);
    const ErrorCode kind = code == out_of_memory ? ErrorCode::limit_reached
                           : code == no_device   ? ErrorCode::not_found
                                                 : ErrorCode::system;
    return base::fail(kind, "CUDA cannot {}: {} ({}, {})", what, text != nullptr ? text : "an error without a text",
                      name != nullptr ? name : "unknown", code);
}

base::Result<Compiler> Compiler::load(const Libraries& libraries) {
    std::string why;
    for (const std::string& name : libraries.compilers) {
        const auto library = os::SharedLibrary::load(name);
        if (!library) {
            why += (why.empty() ? "" : "; ") + library.error().message;
            continue;
        }
        Compiler compiler;
        const char* const missing = Functions(*library)
                                        .get(compiler.create, "nvrtcCreateProgram")
                                        .get(compiler.compile, "nvrtcCompileProgram")
                                        .get(compiler.destroy, "nvrtcDestroyProgram")
                                        .get(compiler.code_bytes, "nvrtcGetCUBINSize")
                                        .get(compiler.get_code, "nvrtcGetCUBIN")
                                        .get(compiler.log_bytes, "nvrtcGetProgramLogSize")
                                        .get(compiler.get_log, "nvrtcGetProgramLog")
                                        .get(compiler.error_text, "nvrtcGetErrorString")
                                        .missing();
        if (missing == nullptr) {
            return compiler;
        }
        why += std::string(why.empty() ? "" : "; ") + name + " has no " + missing;
    }
    return base::fail(ErrorCode::not_found,
                      "NVRTC, which compiles what runs on a GPU, cannot be loaded ({}): install it "
                      "(pip install 'staithe[cuda]', or CUDA 12)",
                      why);
}

}  // namespace staithe::transform::cuda
