// What a process that has data makes of devices that do not do as they should.
#include "store/devices/remote_device.hpp"

#include <csignal>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/fields.hpp"
#include "conformance/device_process.hpp"
#include "support/watchdog.hpp"
#include "transform/coding.hpp"

namespace staithe::store::devices {
namespace {

using testing::DeviceProcess;
using Service = DeviceService;
using Link = std::shared_ptr<transport::Link>;

constexpr base::Seconds patience{20.0};
const codecs::EncodeOptions options{.codec = "dq", .bound = codecs::Bound::absolute(0.5)};

class RemoteDeviceTest : public ::testing::Test {
  protected:
    /// Of a process that does so with what is to be encoded, and with all else as it should.
    std::shared_ptr<RemoteDevice> device_that(const testing::Manner& encodes) {
        process_ =
            std::make_unique<DeviceProcess>([encodes](Service& service, const Link& link, transport::Packet packet) {
                const bool is_job = base::text_field(packet.body, "type").value_or("") == request::encode;
                (is_job ? encodes : testing::as_it_should)(service, link, std::move(packet));
            });
        const auto entry = process_->entry();
        auto endpoint = process_->endpoint();
        auto link = transport::reach(*endpoint, entry, DeviceProcess::soon()).value();
        return RemoteDevice::open(endpoint, link, entry.name, DeviceProcess::soon()).value();
    }
    std::shared_ptr<RemoteDevice> device_that_answers(const Attributes& answer) {
        return device_that([answer](Service&, const Link& link, const transport::Packet& packet) {
            static_cast<void>(link->reply(packet.id(), answer));
        });
    }
    [[nodiscard]] ArrayView elements() const {
        return ArrayView::row_major(values_.data(), Dtype::f32, {std::ssize(values_)});
    }
    void expect_of_no_more_use(RemoteDevice& device, ErrorCode code) {
        const auto payload = device.encode(elements(), options, patience);
        ASSERT_FALSE(payload);
        EXPECT_EQ(payload.error().code, code) << payload.error().message;
        EXPECT_NE(payload.error().message.find("device 'remote'"), std::string::npos) << payload.error().message;
        EXPECT_FALSE(device.is_there());
        EXPECT_EQ(device.encode(elements(), options, patience).error().code, ErrorCode::peer_lost);
    }

    std::unique_ptr<DeviceProcess> process_;

  private:
    testing::Watchdog watchdog_;
    std::vector<float> values_ = std::vector<float>(100'000, 1.5F);
};

TEST_F(RemoteDeviceTest, HasTheCodecsOfItsProcess) {
    const auto device = device_that(testing::as_it_should);
    EXPECT_EQ(device->name(), "remote");
    EXPECT_TRUE(device->suits({"dq", codecs::Mode::fast, Dtype::f32, true}));
    EXPECT_FALSE(device->suits({"shuffle+lz4", codecs::Mode::fast, Dtype::f32, true})) << "it is exact";
    EXPECT_FALSE(device->suits({"nothing"}));
}

TEST_F(RemoteDeviceTest, LengthsThatCannotBeAreNotBelieved) {
    const auto most = static_cast<std::int64_t>(transform::payload_bound({100'000}, Dtype::f32).value());
    for (const Value& bytes : {Value(most + 1), Value(-1), Value(INT64_MAX), Value("many"), Value()}) {
        expect_of_no_more_use(*device_that_answers({{"bytes", bytes}}), ErrorCode::protocol);
    }
    expect_of_no_more_use(*device_that_answers({}), ErrorCode::protocol);
}

TEST_F(RemoteDeviceTest, WhatItReportsIsAFailure) {
    const auto device = device_that([](Service&, const Link& link, const transport::Packet& packet) {
        static_cast<void>(link->reply(packet.id(), base::fail(ErrorCode::system, "its codec has failed")));
    });
    expect_of_no_more_use(*device, ErrorCode::system);
}

TEST_F(RemoteDeviceTest, OneThatIsBusyGoesOn) {
    int asked = 0;
    const auto device = device_that([&asked](Service& service, const Link& link, transport::Packet packet) {
        if (++asked % 2 == 1) {
            static_cast<void>(link->reply(packet.id(), base::fail(ErrorCode::limit_reached, "it has too much to do")));
        } else {
            testing::as_it_should(service, link, std::move(packet));
        }
    });
    for (int turn = 0; turn < 3; ++turn) {
        EXPECT_TRUE(transform::is_busy(device->encode(elements(), options, patience).error()));
        EXPECT_EQ(device->encode(elements(), options, patience).value(),
                  transform::encode(elements(), options).value());
    }
}

TEST_F(RemoteDeviceTest, WhoHasNoTurnIsToldThatItIsBusy) {
    const testing::Signal asked;
    const testing::Signal told;
    const auto device = device_that([&](Service& service, const Link& link, transport::Packet packet) {
        asked.give();
        told.await();
        testing::as_it_should(service, link, std::move(packet));
    });
    std::thread other([&] { EXPECT_TRUE(device->encode(elements(), options, patience)); });
    asked.await();
    EXPECT_TRUE(transform::is_busy(device->encode(elements(), options, base::Seconds(0.01)).error()));
    told.give();
    other.join();
}

TEST_F(RemoteDeviceTest, DeathIsNoticedAtOnce) {
    const auto device = device_that([](Service&, const Link&, const transport::Packet&) { std::raise(SIGKILL); });
    expect_of_no_more_use(*device, ErrorCode::peer_lost);
}

TEST_F(RemoteDeviceTest, SilenceEndsWithPatience) {
    const auto device = device_that([](Service&, const Link&, const transport::Packet&) {});
    EXPECT_EQ(device->encode(elements(), options, base::Seconds(0.05)).error().code, ErrorCode::timeout);
    EXPECT_FALSE(device->is_there());
}

TEST_F(RemoteDeviceTest, IsOfUseAgainOnceItIsOpenedAnew) {
    const auto device = device_that(testing::as_it_should);
    process_->signal(SIGSTOP);
    EXPECT_EQ(device->encode(elements(), options, base::Seconds(0.05)).error().code, ErrorCode::timeout);
    process_->signal(SIGCONT);
    const auto endpoint = process_->endpoint();
    const auto link = transport::reach(*endpoint, process_->entry(), DeviceProcess::soon()).value();
    const auto again = RemoteDevice::open(endpoint, link, "remote", DeviceProcess::soon()).value();
    EXPECT_EQ(again->encode(elements(), options, patience).value(), transform::encode(elements(), options).value());
}

TEST_F(RemoteDeviceTest, ThoseThatShareALinkHaveEachItsOwn) {
    const auto one = device_that(testing::as_it_should);
    const auto endpoint = process_->endpoint();
    const auto other =
        RemoteDevice::open(endpoint, transport::reach(*endpoint, process_->entry(), DeviceProcess::soon()).value(),
                           "remote", DeviceProcess::soon());
    std::vector<float> values(1000);
    for (int turn = 0; turn < 6; ++turn) {
        std::iota(values.begin(), values.end(), static_cast<float>(turn));
        const auto array = ArrayView::row_major(values.data(), Dtype::f32, {std::ssize(values)});
        EXPECT_EQ((turn % 2 == 0 ? one : *other)->encode(array, options, patience).value(),
                  transform::encode(array, options).value());
    }
}

TEST_F(RemoteDeviceTest, APayloadThatWasThereBeforeIsNone) {
    int asked = 0;
    const auto device = device_that([&asked](Service& service, const Link& link, transport::Packet packet) {
        if (++asked == 1) {
            testing::as_it_should(service, link, std::move(packet));
        } else {
            static_cast<void>(link->reply(packet.id(), Attributes{{"bytes", 2000}}));
        }
    });
    ASSERT_TRUE(device->encode(elements(), options, patience));
    const auto again = device->encode(elements(), options, patience);
    EXPECT_FALSE(again && transform::check_payload(*again, elements(), options));
}

TEST_F(RemoteDeviceTest, MoreThanIsEncodedAtATimeIsRefusedHere) {
    const auto device = device_that(testing::as_it_should);
    const float one = 1.0F;
    const ArrayView much{&one, Dtype::f32, {most_elements_bytes / 4 + 1}, {0}};
    EXPECT_EQ(device->encode(much, options, patience).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace staithe::store::devices
