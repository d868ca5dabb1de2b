#include "store/devices/devices.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/device_process.hpp"
#include "store/devices/remote_device.hpp"
#include "support/watchdog.hpp"

namespace staithe::store::devices {
namespace {

class Switched final : public transform::Device {
  public:
    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] bool is_there() const override { return is_on; }
    [[nodiscard]] bool suits(const transform::Task&) const override { return true; }
    base::Result<std::vector<std::byte>> encode(const ArrayView&, const codecs::EncodeOptions&,
                                                base::Seconds) override {
        return base::fail(ErrorCode::peer_lost, "there is nobody");
    }
    std::atomic<bool> is_on{true};

  private:
    const std::string name_ = "switched";
};

TEST(Devices, AreThereWhileTheySaySo) {
    const auto device = std::make_shared<Switched>();
    Devices devices({device});
    EXPECT_EQ(devices.there(), std::vector<Device>{device});
    device->is_on = false;
    EXPECT_TRUE(devices.there().empty());
}

TEST(Devices, OneThatHasFailedIsLeftAlone) {
    const auto device = std::make_shared<Switched>();
    Devices devices({device});
    devices.avoid(device, {ErrorCode::timeout, "device 'switched' was stopped, for this test"});
    EXPECT_TRUE(devices.there().empty());
}

TEST(Devices, OneThatIsBusyStays) {
    const auto device = std::make_shared<Switched>();
    Devices devices({device});
    devices.avoid(device, {ErrorCode::limit_reached, "device 'switched' was busy, for this test"});
    EXPECT_EQ(devices.there().size(), 1);
}

TEST(Devices, OneFailureThatManyTellOfCountsOnce) {
    const auto device = std::make_shared<Switched>(), other = std::make_shared<Switched>();
    Devices devices({device});
    devices.avoid(other, {ErrorCode::peer_lost, "device 'switched' was another one, of before"});
    EXPECT_EQ(devices.there().size(), 1);
    for (int i = 0; i < 6; ++i) {
        devices.avoid(device, {ErrorCode::timeout, "device 'switched' was stopped, for this test"});
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(3100));  // as long as after one failure
    EXPECT_EQ(devices.there().size(), 1);
}

/// Whether it gets there by and by.
bool becomes(const std::function<bool()>& is_so) {
    while (!is_so()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

TEST(Devices, ProcessesAreFoundAndGoneWhenTheyEnd) {
    const testing::Watchdog watchdog;
    testing::DeviceProcess process;
    static_cast<void>(process.entry());
    Devices devices(process.endpoint());
    EXPECT_TRUE(devices.there().empty()) << "nobody has looked yet";
    EXPECT_TRUE(becomes([&] { return devices.there().size() == 1; }));
    EXPECT_EQ(devices.there().front()->name(), testing::name_of_device);
    process.kill();
    EXPECT_TRUE(becomes([&] { return devices.there().empty(); }));
}

}  // namespace
}  // namespace staithe::store::devices
