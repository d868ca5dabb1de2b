#include "conformance/device_process.hpp"
#include "conformance/device_suite.hpp"
#include "store/devices/remote_device.hpp"
#include "support/sanitizers.hpp"
#include "transform/cuda/cuda.hpp"

namespace staithe::testing {
namespace {

/// What any process does with all codecs that are there.
struct AnyTask {
    static bool suits(const transform::Task& task) { return transform::cpu()->suits(task); }
    static bool has_own_bytes(const transform::Task& /*task*/) { return false; }
    static constexpr std::int64_t much = 4 << 20;
};

struct Cores : AnyTask {
    static std::shared_ptr<transform::Device> open() { return transform::cpu(); }
};

std::shared_ptr<transform::Device> opened(const std::shared_ptr<transport::Endpoint>& endpoint,
                                          const base::Result<std::shared_ptr<transport::Link>>& link) {
    return store::devices::RemoteDevice::open(endpoint, link.value(), name_of_device, DeviceProcess::soon()).value();
}

/// Through memory that both see.
struct OfThisHost : AnyTask {
    std::shared_ptr<transform::Device> open() {
        const auto entry = process.entry();
        const auto endpoint = process.endpoint();
        return opened(endpoint, transport::reach(*endpoint, entry, DeviceProcess::soon()));
    }
    DeviceProcess process;
};

/// Over the link.
struct OfAnotherHost : AnyTask {
    std::shared_ptr<transform::Device> open() {
        const auto entry = process.entry();
        const auto endpoint = process.endpoint();
        return opened(endpoint, endpoint->connect(transport::Address(entry.ports().at(0)), DeviceProcess::soon()));
    }
    DeviceProcess process;
};

/// By stand-ins for it and for nvCOMP.
struct OnAGpu {
    static bool suits(const transform::Task& task) {
        const bool is_for_dq = task.codec == "dq" && task.is_lossy && task.dtype != Dtype::i32;
        const bool is_for_nvcomp = task.codec.starts_with("shuffle+") && !task.is_lossy;
        return task.mode == codecs::Mode::fast && (is_for_dq || is_for_nvcomp);
    }
    static bool has_own_bytes(const transform::Task& task) { return task.codec != "dq"; }
    static constexpr std::int64_t much = 1 << 17;  // values, each a step of a thread that is none

    static std::shared_ptr<transform::Device> open() {
        constexpr const char* fake = "libstaithe_fake_gpu.so";
        auto gpu = std::make_shared<transform::cuda::Cuda>(transform::cuda::Libraries{fake, {fake}, fake});
        gpu->open_ahead();
        gpu->wait_until_opened();
        return gpu;
    }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Cpu, DeviceSuite, Cores);
#if defined(STAITHE_HAS_FAKE_NVCOMP) && !defined(STAITHE_THREAD_SANITIZER)  // which does not know its fibers
INSTANTIATE_TYPED_TEST_SUITE_P(Gpu, DeviceSuite, OnAGpu);
#endif
INSTANTIATE_TYPED_TEST_SUITE_P(OfThisHost, DeviceSuite, OfThisHost);
INSTANTIATE_TYPED_TEST_SUITE_P(OfAnotherHost, DeviceSuite, OfAnotherHost);

}  // namespace
}  // namespace staithe::testing
