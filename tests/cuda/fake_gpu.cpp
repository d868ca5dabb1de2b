// Stands for CUDA's driver and NVRTC where there is no GPU: as much of both as Staithe calls, and a few calls for
// tests.
//
// Kernels are the real ones, compiled for the CPU, whose fibers stand for threads. Work of a stream is done when
// somebody asks whether it is done, as late as can be: who does not wait for it sees that. The memory of the GPU is
// only given to kernels and copies that stay within one piece of it.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "cuda/fake_gpu.hpp"
#include "support/cuda_threads.hpp"
#include "transform/cuda/api.hpp"
// Once CUDA's words mean something:
#include "transform/cuda/kernels.cu"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

namespace cuda = staithe::transform::cuda;

constexpr int ok = 0;
constexpr int invalid_value = 1;
constexpr int out_of_memory = 2;
constexpr int not_initialised = 3;
constexpr int no_context = 201;
constexpr int not_ready = 600;
constexpr int no_memory_here = -1;  // no code of CUDA's: the process has none left at that point
constexpr std::size_t all_memory = std::size_t{1} << 30;
constexpr char code[] = "what NVRTC made";

struct Fake {
    std::map<std::uintptr_t, std::size_t> memory;  // of the GPU: where pieces begin, and their bytes
    std::map<void*, std::size_t> pinned;
    std::deque<std::function<void()>> begun;
    std::size_t free = all_memory;
    unsigned threads = 64;
    int contexts = 0;  // on the stack of the thread
    int retained = 0;
    int modules = 0;
    int streams = 0;
    int calls = 0;
    int failing = -1;  // this call
    int failure = 0;
    bool hangs = false;
    bool is_initialised = false;
};
Fake fake;
std::atomic<bool> is_held{false};  // so that nothing begins or ends, until another thread says so

/// The failure that was ordered for this call, or `ok`.
int failure_of_call() {
    if (fake.calls++ != fake.failing) {
        return ok;
    }
    if (fake.failure == no_memory_here) {
        throw std::bad_alloc();
    }
    return fake.failure;
}

/// What this call returns: the failure that was ordered, or what is wrong with it.
int answer(bool is_right = true, int wrong = invalid_value) {
    if (const int failure = failure_of_call(); failure != ok) {
        return failure;
    }
    return !fake.is_initialised ? not_initialised : fake.contexts == 0 ? no_context : is_right ? ok : wrong;
}
int answer_without_context() { return failure_of_call(); }

bool is_in_memory(const std::byte* memory, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    auto next = fake.memory.upper_bound(address);
    if (next == fake.memory.begin()) {
        return false;
    }
    --next;
    return address + bytes <= next->first + next->second;
}
bool is_pinned(const void* address, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    for (const auto& [first, size] : fake.pinned) {
        const auto from = reinterpret_cast<std::uintptr_t>(first);
        if (begin >= from && begin + bytes <= from + size) {
            return true;
        }
    }
    return false;
}

/// Runs that kernel, with arguments that are copied at once, in so many blocks later.
template <class... Arguments>
std::function<void()> prepared(void (*kernel)(Arguments...), unsigned blocks, void** arguments) {
    const auto copies = [&]<std::size_t... i>(std::index_sequence<i...> /*numbers*/) {
        return std::tuple(*static_cast<Arguments*>(arguments[i])...);
    }(std::index_sequence_for<Arguments...>());
    return [=] {
        for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) {
            staithe::testing::CudaBlock::run(fake.threads, [&] { std::apply(kernel, copies); });
        }
    };
}

/// What handles are of.
template <class Handle>
Handle handle_of(int number) {
    static char things[8];
    return reinterpret_cast<Handle>(&things[number]);
}
const auto the_context = handle_of<cuda::Context>(0);
const auto the_module = handle_of<cuda::Module>(1);
const auto the_stream = handle_of<cuda::Stream>(2);
const auto the_program = handle_of<cuda::Compiler::Program>(3);

struct Kernel {
    std::string_view name;
    cuda::Function function;
    std::function<void()> (*prepare)(unsigned blocks, void** arguments);
};
template <auto kernel>
constexpr auto preparing = [](unsigned blocks, void** arguments) { return prepared(kernel, blocks, arguments); };
const Kernel kernels[] = {
    {"encode_tiles_f32", handle_of<cuda::Function>(4), preparing<encode_tiles_f32>},
    {"encode_tiles_f64", handle_of<cuda::Function>(5), preparing<encode_tiles_f64>},
    {"shuffle_tiles", handle_of<cuda::Function>(6), preparing<shuffle_tiles>},
    {"join_tiles", handle_of<cuda::Function>(7), preparing<join_tiles>},
};

}  // namespace

namespace staithe::testing::fake_gpu {

int answer(bool is_right) { return ::answer(is_right); }
bool is_in_memory(const void* memory, std::size_t bytes) {
    return ::is_in_memory(static_cast<const std::byte*>(memory), bytes);
}
bool is_the_stream(cuda::Stream stream) { return stream == the_stream; }
void begin(std::function<void()> work) { fake.begun.push_back(std::move(work)); }

}  // namespace staithe::testing::fake_gpu

/// The device goes away at the call of that number, if FAKE_GPU_LOST_AT has one.
EXPORTED int cuInit(unsigned /*flags*/) {
    constexpr int launch_failure = 719;
    if (const char* const call = std::getenv("FAKE_GPU_LOST_AT")) {
        fake.failing = std::atoi(call);
        fake.failure = launch_failure;
    }
    while (is_held) {
        std::this_thread::yield();
    }
    fake.is_initialised = true;
    return answer_without_context();
}
EXPORTED int cuDeviceGet(int* device, int number) {
    *device = number;
    return answer_without_context();
}
EXPORTED int cuDeviceGetAttribute(int* value, int attribute, int /*device*/) {
    *value = attribute == 75 ? 9 : 0;
    return answer_without_context();
}
EXPORTED int cuDevicePrimaryCtxRetain(cuda::Context* context, int /*device*/) {
    const int code = answer_without_context();
    fake.retained += code == ok ? 1 : 0;
    *context = the_context;
    return code;
}
EXPORTED int cuDevicePrimaryCtxRelease_v2(int /*device*/) {
    --fake.retained;
    return ok;
}
EXPORTED int cuCtxPushCurrent_v2(cuda::Context context) {
    const int code = answer_without_context();
    fake.contexts += code == ok ? 1 : 0;
    return context == the_context ? code : invalid_value;
}
EXPORTED int cuCtxPopCurrent_v2(cuda::Context* context) {
    *context = the_context;
    --fake.contexts;
    return ok;
}
EXPORTED int cuModuleLoadData(cuda::Module* module, const void* image) {
    const int result = answer(std::memcmp(image, code, sizeof(code)) == 0);
    fake.modules += result == ok ? 1 : 0;
    *module = the_module;
    return result;
}
EXPORTED int cuModuleUnload(cuda::Module /*module*/) {
    --fake.modules;
    return ok;
}
EXPORTED int cuModuleGetFunction(cuda::Function* function, cuda::Module module, const char* name) {
    const auto* const kernel = std::ranges::find(kernels, name, &Kernel::name);
    *function = kernel != std::end(kernels) ? kernel->function : nullptr;
    return answer(module == the_module && *function != nullptr);
}
EXPORTED int cuMemAlloc_v2(cuda::Address* address, std::size_t bytes) {
    const int code = answer(bytes <= fake.free, out_of_memory);
    if (code == ok) {
        void* const memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
        std::memset(memory, 0xA5, bytes);
        *address = static_cast<std::byte*>(memory);
        fake.memory[reinterpret_cast<std::uintptr_t>(memory)] = bytes;
        fake.free -= bytes;
    }
    return code;
}
EXPORTED int cuMemFree_v2(cuda::Address address) {
    const auto known = fake.memory.find(reinterpret_cast<std::uintptr_t>(address));
    fake.free += known->second;
    fake.memory.erase(known);
    std::free(address);
    return ok;
}
EXPORTED int cuMemAllocHost_v2(void** memory, std::size_t bytes) {
    const int code = answer();
    if (code == ok) {
        *memory = std::malloc(bytes);
        std::memset(*memory, 0x5A, bytes);
        fake.pinned[*memory] = bytes;
    }
    return code;
}
EXPORTED int cuMemFreeHost(void* memory) {
    fake.pinned.erase(memory);
    std::free(memory);
    return ok;
}
EXPORTED int cuStreamCreate(cuda::Stream* stream, unsigned flags) {
    const int code = answer(flags == 1);
    fake.streams += code == ok ? 1 : 0;
    *stream = the_stream;
    return code;
}
EXPORTED int cuStreamDestroy_v2(cuda::Stream /*stream*/) {
    --fake.streams;
    fake.begun.clear();
    return ok;
}
EXPORTED int cuStreamQuery(cuda::Stream stream) {
    const int code = answer(stream == the_stream);
    if (code != ok || fake.hangs || is_held) {
        return code != ok ? code : not_ready;
    }
    if (fake.begun.empty()) {
        return ok;
    }
    fake.begun.front()();
    fake.begun.pop_front();
    return fake.begun.empty() ? ok : not_ready;
}
EXPORTED int cuMemcpyHtoDAsync_v2(cuda::Address to, const void* from, std::size_t bytes, cuda::Stream stream) {
    const int code = answer(is_in_memory(to, bytes) && is_pinned(from, bytes) && stream == the_stream);
    if (code == ok) {
        fake.begun.emplace_back([=] { std::memcpy(to, from, bytes); });
    }
    return code;
}
EXPORTED int cuMemcpyDtoHAsync_v2(void* to, const std::byte* from, std::size_t bytes, cuda::Stream stream) {
    const int code = answer(is_in_memory(from, bytes) && is_pinned(to, bytes) && stream == the_stream);
    if (code == ok) {
        fake.begun.emplace_back([=] { std::memcpy(to, from, bytes); });
    }
    return code;
}
EXPORTED int cuLaunchKernel(cuda::Function function, unsigned blocks, unsigned /*y*/, unsigned /*z*/, unsigned threads,
                            unsigned /*y*/, unsigned /*z*/, unsigned /*shared*/, cuda::Stream stream, void** arguments,
                            void** /*extra*/) {
    const auto* const kernel = std::ranges::find(kernels, function, &Kernel::function);
    const int code =
        answer(kernel != std::end(kernels) && blocks > 0 && threads == cuda::threads_of_tile && stream == the_stream);
    if (code == ok) {
        fake.begun.push_back(kernel->prepare(blocks, arguments));
    }
    return code;
}
EXPORTED int cuGetErrorName(int code, const char** name) {
    *name = code == out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY" : nullptr;
    return ok;
}
EXPORTED int cuGetErrorString(int code, const char** text) {
    *text = code == out_of_memory ? "out of memory" : nullptr;
    return ok;
}

EXPORTED int nvrtcCreateProgram(cuda::Compiler::Program* program, const char* text, const char* /*name*/, int headers,
                                const char* const* texts, const char* const* names) {
    bool is_all = std::string_view(text).find("encode_tiles.cu") != std::string_view::npos;
    for (int i = 0; i < headers; ++i) {
        is_all = is_all && texts[i] != nullptr && names[i] != nullptr;
    }
    *program = the_program;
    return is_all ? answer_without_context() : invalid_value;
}
EXPORTED int nvrtcCompileProgram(cuda::Compiler::Program /*program*/, int options, const char* const* texts) {
    bool is_right = false;
    for (int i = 0; i < options; ++i) {
        is_right = is_right || std::string_view(texts[i]) == "--gpu-architecture=sm_90";
    }
    return is_right ? answer_without_context() : invalid_value;
}
EXPORTED int nvrtcDestroyProgram(cuda::Compiler::Program* /*program*/) { return ok; }
EXPORTED int nvrtcGetCUBINSize(cuda::Compiler::Program /*program*/, std::size_t* bytes) {
    *bytes = sizeof(code);
    return answer_without_context();
}
EXPORTED int nvrtcGetCUBIN(cuda::Compiler::Program /*program*/, char* to) {
    std::memcpy(to, code, sizeof(code));
    return answer_without_context();
}
EXPORTED int nvrtcGetProgramLogSize(cuda::Compiler::Program /*program*/, std::size_t* bytes) {
    *bytes = 1;
    return ok;
}
EXPORTED int nvrtcGetProgramLog(cuda::Compiler::Program /*program*/, char* log) {
    *log = '\0';
    return ok;
}
EXPORTED const char* nvrtcGetErrorString(int code) { return code == ok ? "no error" : "an error of NVRTC"; }

/// From now on that call, counted from here, fails; none if it is negative.
EXPORTED void fake_gpu_fail(int call, int failure) {
    fake.failing = call < 0 ? -1 : fake.calls + call;
    fake.failure = failure;
}
EXPORTED int fake_gpu_calls() { return fake.calls; }
EXPORTED void fake_gpu_hang(bool hangs) { fake.hangs = hangs; }
EXPORTED void fake_gpu_hold(bool holds) { is_held = holds; }
EXPORTED void fake_gpu_run_with(unsigned threads) { fake.threads = threads; }
EXPORTED void fake_gpu_leave(std::size_t bytes) { fake.free = bytes; }
/// What has not been given back, and what is current that should not be.
EXPORTED std::size_t fake_gpu_kept() {
    return fake.memory.size() + fake.pinned.size() +
           static_cast<std::size_t>(fake.contexts + fake.retained + fake.modules + fake.streams);
}
EXPORTED int fake_gpu_contexts() { return fake.contexts; }
EXPORTED void fake_gpu_forget() {
    for (const auto& [address, bytes] : fake.memory) {
        std::free(reinterpret_cast<void*>(address));
    }
    for (const auto& [address, bytes] : fake.pinned) {
        std::free(address);
    }
    fake = {};
    fake.is_initialised = true;
}
