// What a device makes of processes that do not ask as they should.
#include "store/devices/device_service.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <staithe/limits.hpp>

#include "base/budget.hpp"
#include "base/fields.hpp"
#include "conformance/device_process.hpp"
#include "store/devices/remote_device.hpp"
#include "support/temporary_directory.hpp"
#include "support/watchdog.hpp"
#include "transform/coding.hpp"

namespace staithe::store::devices {
namespace {

using testing::DeviceProcess;

class DeviceServiceTest : public ::testing::Test {
  protected:
    base::Result<transport::Packet> ask(Attributes request, const char* type, const transport::Beside& beside = {}) {
        request["service"] = service;
        request["type"] = type;
        return link()->call(std::move(request), beside, DeviceProcess::soon());
    }
    ErrorCode refusal(Attributes request, const char* type, const transport::Beside& beside = {}) {
        const auto answer = ask(std::move(request), type, beside);
        return answer ? ErrorCode{} : answer.error().code;
    }
    [[nodiscard]] static Job job(std::int64_t count) {
        return {Dtype::f32, {count}, {.codec = "dq"}, base::Seconds(20)};
    }
    void TearDown() override {
        const std::vector<float> values(1000, 2.0F);
        const auto elements = ArrayView::row_major(values.data(), Dtype::f32, {1000});
        const auto device = RemoteDevice::open(endpoint_, link(), "remote", DeviceProcess::soon()).value();
        EXPECT_EQ(device->encode(elements, {.codec = "dq"}, base::Seconds(20)).value(),
                  transform::encode(elements, {.codec = "dq"}).value())
            << "and goes on";
    }

    std::shared_ptr<transport::Link> link() {
        if (!link_) {
            const auto entry = process_.entry();
            endpoint_ = process_.endpoint();
            link_ = over_tcp_
                        ? endpoint_->connect(transport::Address(entry.ports().at(0)), DeviceProcess::soon()).value()
                        : transport::reach(*endpoint_, entry, DeviceProcess::soon()).value();
        }
        return link_;
    }

    bool over_tcp_ = false;

    testing::TemporaryDirectory directory_;

  private:
    testing::Watchdog watchdog_;
    DeviceProcess process_;
    std::shared_ptr<transport::Endpoint> endpoint_;
    std::shared_ptr<transport::Link> link_;
};

TEST_F(DeviceServiceTest, WhatItDoesNotUnderstandItRefuses) {
    EXPECT_EQ(refusal({}, "sing"), ErrorCode::protocol);
    EXPECT_EQ(refusal({}, request::encode), ErrorCode::protocol);
    EXPECT_EQ(refusal(encode_job(job(most_elements_bytes)), request::encode), ErrorCode::protocol);
}

TEST_F(DeviceServiceTest, ElementsHaveToBeInAWindow) {
    EXPECT_EQ(refusal(encode_job(job(10)), request::encode), ErrorCode::protocol);
    const Window small = Window::make(4096).value();
    ASSERT_TRUE(ask({{"window", 0}, {"bytes", 4096}}, request::window, std::vector{small.file().get()}));
    EXPECT_EQ(refusal(encode_job(job(100'000)), request::encode), ErrorCode::protocol);
    EXPECT_EQ(refusal(encode_job(job(1024)), request::encode), ErrorCode::limit_reached) << "nothing fits behind them";
}

TEST_F(DeviceServiceTest, WindowsAreMemoryThatStays) {
    const std::int64_t bytes = 1 << 20;
    const Window good = Window::make(bytes).value();
    EXPECT_EQ(refusal({{"window", 0}, {"bytes", bytes}}, request::window), ErrorCode::protocol) << "none was passed";
    EXPECT_EQ(refusal({{"window", 0}, {"bytes", bytes + 4096}}, request::window, std::vector{good.file().get()}),
              ErrorCode::protocol);
    EXPECT_EQ(refusal({{"window", 0}, {"bytes", -1}}, request::window, std::vector{good.file().get()}),
              ErrorCode::protocol);
    const auto shrinks = os::create_disk_file(directory_.path()).value();
    ASSERT_TRUE(os::allocate_range(shrinks, 0, bytes));
    EXPECT_EQ(refusal({{"window", 0}, {"bytes", bytes}}, request::window, std::vector{shrinks.get()}),
              ErrorCode::protocol);
    const auto much = Window::make(most_window_bytes + 4096).value();
    EXPECT_EQ(
        refusal({{"window", 0}, {"bytes", most_window_bytes + 4096}}, request::window, std::vector{much.file().get()}),
        ErrorCode::protocol);
}

TEST_F(DeviceServiceTest, OfWindowsThereIsAnEnd) {
    const Window window = Window::make(4096).value();
    const auto pass = [&](std::int64_t number) {
        return refusal({{"window", number}, {"bytes", 4096}}, request::window, std::vector{window.file().get()});
    };
    for (std::size_t i = 0; i < most_windows_of_one; ++i) {
        ASSERT_EQ(pass(static_cast<std::int64_t>(i)), ErrorCode{});
    }
    EXPECT_EQ(pass(-1), ErrorCode::protocol);
    EXPECT_EQ(pass(1000), ErrorCode::limit_reached);
    EXPECT_EQ(pass(7), ErrorCode{}) << "in the place of the one before";
    EXPECT_EQ(refusal({{"window", 7}}, request::drop), ErrorCode{});
    EXPECT_EQ(refusal({{"window", 1000}}, request::drop), ErrorCode{}) << "is none";
}

TEST_F(DeviceServiceTest, ACodecThatIsNotThereIsSaidSo) {
    const Window window = Window::make(1 << 20).value();
    ASSERT_TRUE(ask({{"window", 0}, {"bytes", 1 << 20}}, request::window, std::vector{window.file().get()}));
    Job unknown = job(100);
    unknown.options.codec = "nothing";
    EXPECT_EQ(refusal(encode_job(unknown), request::encode), ErrorCode::not_found);
}

TEST_F(DeviceServiceTest, OfAnotherHostElementsComeWithTheirRequest) {
    over_tcp_ = true;
    const std::vector<std::byte> bytes(400);
    EXPECT_EQ(refusal(encode_job(job(10)), request::encode), ErrorCode::protocol);
    EXPECT_EQ(refusal(encode_job(job(10)), request::encode, std::span<const std::byte>(bytes)), ErrorCode::protocol);
    const auto payload = ask(encode_job(job(100)), request::encode, std::span<const std::byte>(bytes)).value().enclosed;
    EXPECT_TRUE(
        transform::check_payload(payload, ArrayView::row_major(bytes.data(), Dtype::f32, {100}), {.codec = "dq"}));
}

TEST_F(DeviceServiceTest, SaysWhatItHasDone) {
    const std::vector<float> values(100'000, 2.0F);
    link();
    const auto device = RemoteDevice::open(nullptr, link(), "remote", DeviceProcess::soon()).value();
    ASSERT_TRUE(
        device->encode(ArrayView::row_major(values.data(), Dtype::f32, {100'000}), {.codec = "dq"}, base::Seconds(20)));
    const Attributes said = ask({}, request::describe).value().body;
    EXPECT_EQ(said.at("parts"), Value(1));
    EXPECT_EQ(said.at("bytes"), Value(400'000));
    EXPECT_EQ(said.at("cores"), Value(2));
    EXPECT_EQ(said.at("clients"), Value(1));
    EXPECT_LT(said.at("coded").as_int().value(), 400'000);
    EXPECT_FALSE(decode_codecs(said).empty());
}

TEST(DeviceService, WhatWaitsForItIsWithinItsLimits) {
    const testing::Watchdog watchdog;
    DeviceProcess process([](DeviceService& service, const auto& link, transport::Packet packet) {
        set_limits({.memory = 1000});
        service.handle(link, std::move(packet));
    });
    const auto entry = process.entry();
    const auto endpoint = process.endpoint();
    const auto link = endpoint->connect(transport::Address(entry.ports().at(0)), DeviceProcess::soon()).value();
    const auto device = RemoteDevice::open(endpoint, link, "remote", DeviceProcess::soon()).value();
    const std::vector<float> values(1000, 2.0F);
    for (const std::int64_t count : {200, 300, 250}) {
        const auto payload = device->encode(ArrayView::row_major(values.data(), Dtype::f32, {count}), {.codec = "dq"},
                                            base::Seconds(20));
        EXPECT_EQ(payload.has_value(), 4 * count <= 1000);
        EXPECT_TRUE(payload || transform::is_busy(payload.error())) << payload.error().message;
    }
    for (int i = 0; i < 300; ++i) {
        const auto payload =
            device->encode(ArrayView::row_major(values.data(), Dtype::f32, {250}), {.codec = "dq"}, base::Seconds(20));
        ASSERT_TRUE(payload) << i << ": what is answered is held no more: " << payload.error().message;
    }
}

TEST(DeviceService, WhatIsInAWindowTakesNothingOfItsLimits) {
    const testing::Watchdog watchdog;
    DeviceProcess process([](DeviceService& service, const auto& link, transport::Packet packet) {
        const base::Claim held(base::Resource::memory, 1000);
        set_limits({.memory = 10});
        service.handle(link, std::move(packet));
    });
    const auto entry = process.entry();
    const auto endpoint = process.endpoint();
    const auto link = transport::reach(*endpoint, entry, DeviceProcess::soon()).value();
    const auto device = RemoteDevice::open(endpoint, link, "remote", DeviceProcess::soon()).value();
    const std::vector<float> values(1000, 2.0F);
    const auto payload =
        device->encode(ArrayView::row_major(values.data(), Dtype::f32, {1000}), {.codec = "dq"}, base::Seconds(20));
    EXPECT_TRUE(payload) << payload.error().message;
}

}  // namespace
}  // namespace staithe::store::devices
