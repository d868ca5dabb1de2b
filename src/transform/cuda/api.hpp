// CUDA's driver and NVRTC, its compiler, as far as they are called; nvCOMP is in nvcomp.hpp. They are loaded while the
// program runs, and none of their headers is needed to build Staithe: what is declared here has stayed as it is from
// one CUDA to the next.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace staithe::transform::cuda {

/// By what names they are looked for; tests have others.
struct Libraries {
    std::string driver = "libcuda.so.1";
    std::vector<std::string> compilers{"libnvrtc.so.13", "libnvrtc.so.12"};
    std::string nvcomp = "libnvcomp.so.6";
};

/// In the GPU's memory: what CUDA has as an integer, which is passed alike.
using Address = std::byte*;
using Context = struct ContextOfCuda*;
using Module = struct ModuleOfCuda*;
using Function = struct FunctionOfCuda*;
using Stream = struct StreamOfCuda*;

struct Driver {
    static base::Result<Driver> load(const Libraries& libraries);

    /// What a call returned, as a failure if it is one.
    [[nodiscard]] base::Result<> checked(const char* what, int code) const;

    static constexpr int not_ready = 600;
    static constexpr int major_of_architecture = 75;
    static constexpr int minor_of_architecture = 76;
    static constexpr unsigned beside_others = 1;  // a stream that waits for no other one

    int (*init)(unsigned flags) = nullptr;
    int (*get_device)(int* device, int number) = nullptr;
    int (*get_attribute)(int* value, int attribute, int device) = nullptr;
    int (*retain_context)(Context* context, int device) = nullptr;
    int (*release_context)(int device) = nullptr;
    int (*push_context)(Context context) = nullptr;
    int (*pop_context)(Context* context) = nullptr;
    int (*load_module)(Module* module, const void* image) = nullptr;
    int (*unload_module)(Module module) = nullptr;
    int (*get_function)(Function* function, Module module, const char* name) = nullptr;
    int (*allocate)(Address* address, std::size_t bytes) = nullptr;
    int (*free)(Address address) = nullptr;
    int (*allocate_pinned)(void** memory, std::size_t bytes) = nullptr;
    int (*free_pinned)(void* memory) = nullptr;
    int (*create_stream)(Stream* stream, unsigned flags) = nullptr;
    int (*destroy_stream)(Stream stream) = nullptr;
    int (*query_stream)(Stream stream) = nullptr;
    int (*copy_in)(Address to, const void* from, std::size_t bytes, Stream stream) = nullptr;
    int (*copy_out)(void* to, const std::byte* from, std::size_t bytes, Stream stream) = nullptr;
    int (*launch)(Function function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned threads_x,
                  unsigned threads_y, unsigned threads_z, unsigned shared_bytes, Stream stream, void** arguments,
                  void** extra) = nullptr;
    int (*error_name)(int code, const char** name) = nullptr;
    int (*error_text)(int code, const char** text) = nullptr;
};

struct Compiler {
    using Program = struct ProgramOfNvrtc*;

    static base::Result<Compiler> load(const Libraries& libraries);

    int (*create)(Program* program, const char* text, const char* name, int headers, const char* const* texts,
                  const char* const* names) = nullptr;
    int (*compile)(Program program, int options, const char* const* texts) = nullptr;
    int (*destroy)(Program* program) = nullptr;
    int (*code_bytes)(Program program, std::size_t* bytes) = nullptr;
    int (*get_code)(Program program, char* code) = nullptr;
    int (*log_bytes)(Program program, std::size_t* bytes) = nullptr;
    int (*get_log)(Program program, char* log) = nullptr;
    const char* (*error_text)(int code) = nullptr;
};

}  // namespace staithe::transform::cuda
