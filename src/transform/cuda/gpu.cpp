#include "transform/cuda/gpu.hpp"

#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include "transform/cuda/compiling.hpp"

namespace staithe::transform::cuda {

base::Result<std::unique_ptr<Gpu>> Gpu::open(const Libraries& libraries) {
    const auto driver = Driver::load(libraries);
    if (!driver) {
        return base::fail(driver);
    }
    if (auto begun = driver->checked("begin", driver->init(0)); !begun) {
        return base::fail(std::move(begun));
    }
    int device = 0;
    if (auto found = driver->checked("find a GPU", driver->get_device(&device, 0)); !found) {
        return base::fail(std::move(found));
    }
    std::unique_ptr<Gpu> gpu(new Gpu(*driver, device));
    if (auto done = driver->checked("use a GPU", driver->retain_context(&gpu->context_, device)); !done) {
        gpu->context_ = nullptr;
        return base::fail(std::move(done));
    }
    if (auto done = gpu->prepare(libraries); !done) {
        return base::fail(std::move(done));
    }
    return gpu;
}

base::Result<> Gpu::prepare(const Libraries& libraries) {
    int major = 0;
    int minor = 0;
    auto done = driver_.checked("tell a GPU's architecture",
                                driver_.get_attribute(&major, Driver::major_of_architecture, device_));
    if (done) {
        done = driver_.checked("tell a GPU's architecture",
                               driver_.get_attribute(&minor, Driver::minor_of_architecture, device_));
    }
    const auto compiler = done ? Compiler::load(libraries) : base::fail(done);
    const auto compiled = compiler ? compile_kernels(*compiler, major, minor) : base::fail(compiler);
    if (!compiled) {
        return base::fail(compiled);
    }
    const Current current(*this);
    done = current.done();
    // What a call that failed leaves behind is nobody's.
    const auto then = [&]<class Handle>(Handle& handle, const char* what, auto&& call) {
        Handle made{};
        done = done ? driver_.checked(what, call(&made)) : std::move(done);
        handle = done ? made : Handle{};
    };
    then(module_, "load kernels", [&](Module* made) { return driver_.load_module(made, compiled->code.data()); });
    constexpr std::array<const char*, number_of_kernels> names{"encode_tiles_f32", "encode_tiles_f64", "shuffle_tiles",
                                                               "join_tiles"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        then(kernels_[i], "find a kernel",
             [&](Function* made) { return driver_.get_function(made, module_, names[i]); });
    }
    then(stream_, "make a stream", [&](Stream* made) { return driver_.create_stream(made, Driver::beside_others); });
    return done;
}

/// What fails here has no consequence: the process, or what it does on the GPU, is about to end.
Gpu::~Gpu() {
    if (context_ == nullptr) {
        return;
    }
    {
        const Current current(*this);
        if (stream_ != nullptr) {
            driver_.destroy_stream(stream_);
        }
        drop(memory_, driver_.free);
        drop(pinned_, driver_.free_pinned);
        if (module_ != nullptr) {
            driver_.unload_module(module_);
        }
    }
    driver_.release_context(device_);
}

Gpu::Current::Current(Gpu& gpu)
    : gpu_(gpu), done_(gpu.driver_.checked("turn to a GPU", gpu.driver_.push_context(gpu.context_))) {}

Gpu::Current::~Current() {
    if (done_) {
        Context popped = nullptr;
        gpu_.driver_.pop_context(&popped);
    }
}

template <class At>
void Gpu::drop(Grown<At>& memory, int (*free)(At at)) {
    if (memory.at != nullptr) {
        free(memory.at);
        memory = {};
    }
}

template <class At>
base::Result<std::byte*> Gpu::grow(Grown<At>& memory, std::size_t bytes, const char* what,
                                   int (*allocate)(At* at, std::size_t bytes), int (*free)(At at)) {
    if (bytes > memory.bytes) {
        drop(memory, free);
        if (auto done = driver_.checked(what, allocate(&memory.at, bytes)); !done) {
            memory.at = nullptr;
            return base::fail(std::move(done));
        }
        memory.bytes = bytes;
    }
    return static_cast<std::byte*>(memory.at);
}

base::Result<std::byte*> Gpu::pinned(std::size_t bytes) {
    if (bytes > pinned_.bytes) {
        drop(pinned_, driver_.free_pinned);
        claim_of_pinned_ = base::Claim();
        auto claim = base::claim(base::Resource::memory, static_cast<std::int64_t>(bytes), "pin memory for a GPU");
        if (!claim) {
            return base::fail(std::move(claim));
        }
        claim_of_pinned_ = *std::move(claim);
    }
    auto grown = grow(pinned_, bytes, "pin memory", driver_.allocate_pinned, driver_.free_pinned);
    if (!grown) {
        claim_of_pinned_ = base::Claim();
    }
    return grown;
}

base::Result<std::byte*> Gpu::memory(std::size_t bytes) {
    return grow(memory_, bytes, "get memory of the GPU", driver_.allocate, driver_.free);
}

base::Result<> Gpu::copy_in(std::byte* to, std::span<const std::byte> from) {
    return driver_.checked("copy to the GPU", driver_.copy_in(to, from.data(), from.size(), stream_));
}

base::Result<> Gpu::copy_out(std::span<std::byte> to, const std::byte* from) {
    return driver_.checked("copy from the GPU", driver_.copy_out(to.data(), from, to.size(), stream_));
}

base::Result<> Gpu::launch(Kernel kernel, std::size_t blocks, void** arguments) {
    const Function function = kernels_[static_cast<std::size_t>(kernel)];
    return driver_.checked("start a kernel", driver_.launch(function, static_cast<unsigned>(blocks), 1, 1,
                                                            threads_of_tile, 1, 1, 0, stream_, arguments, nullptr));
}

base::Result<> Gpu::wait(const base::Deadline& deadline) {
    constexpr std::chrono::microseconds between_looks(20);
    while (true) {
        const int code = driver_.query_stream(stream_);
        if (code != Driver::not_ready) {
            return driver_.checked("do what was begun", code);
        }
        if (deadline.passed()) {
            return base::fail(ErrorCode::timeout, "a GPU was not done after {} s", deadline.seconds());
        }
        std::this_thread::sleep_for(between_looks);
    }
}

}  // namespace staithe::transform::cuda
