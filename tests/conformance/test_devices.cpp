#include "conformance/device_process.hpp"
#include "conformance/device_suite.hpp"
#include "store/devices/remote_device.hpp"

namespace staithe::testing {
namespace {

/// What any process does with all codecs that are there.
struct AnyTask {
    static bool suits(const transform::Task& task) { return transform::cpu()->suits(task); }
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

INSTANTIATE_TYPED_TEST_SUITE_P(Cpu, DeviceSuite, Cores);
INSTANTIATE_TYPED_TEST_SUITE_P(OfThisHost, DeviceSuite, OfThisHost);
INSTANTIATE_TYPED_TEST_SUITE_P(OfAnotherHost, DeviceSuite, OfAnotherHost);

}  // namespace
}  // namespace staithe::testing
