// A process that encodes for others, as `staithe serve --device` is, or that only says so.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "store/devices/device_service.hpp"
#include "store/devices/messages.hpp"
#include "support/child_process.hpp"
#include "support/environment_variable.hpp"
#include "support/temporary_directory.hpp"
#include "transport/directory/directory.hpp"
#include "transport/endpoint.hpp"

namespace staithe::testing {

inline constexpr const char* name_of_device = "remote";

/// What it does with what it is asked; it has the service for whatever it does as it should.
using Manner = std::function<void(store::devices::DeviceService& service, const std::shared_ptr<transport::Link>& link,
                                  transport::Packet packet)>;
inline void as_it_should(store::devices::DeviceService& service, const std::shared_ptr<transport::Link>& link,
                         transport::Packet packet) {
    service.handle(link, std::move(packet));
}

/// It is in the run directory, and listens at a port, too, once `entry` returns.
class DeviceProcess {
  public:
    explicit DeviceProcess(const Manner& manner = as_it_should)
        : process_([this, manner] {
              const auto endpoint = transport::Endpoint::shared(directory_.path()).value();
              const auto service = std::make_shared<store::devices::DeviceService>(2);
              EXPECT_TRUE(endpoint->listen_at("127.0.0.1:0"));
              EXPECT_TRUE(endpoint->offer(store::devices::service, [&](const auto& link, transport::Packet packet) {
                  manner(*service, link, std::move(packet));
              }));
              EXPECT_TRUE(transport::Directory(directory_.path())
                              .publish(transport::own_entry(transport::Kind::device, name_of_device,
                                                            endpoint->addresses(), endpoint->self())));
              is_there_.give();
              wait_for_death();
              return 0;
          }) {}

    /// Of this process, in the same run directory.
    [[nodiscard]] std::shared_ptr<transport::Endpoint> endpoint() const {
        return transport::Endpoint::shared(directory_.path()).value();
    }
    [[nodiscard]] transport::Entry entry() {
        if (!std::exchange(has_come_, true)) {
            is_there_.await();
        }
        return transport::Directory(directory_.path()).find(transport::Kind::device, name_of_device).value().value();
    }
    void signal(int number) { process_.signal(number); }
    void kill() { process_.kill(); }

    static base::Deadline soon() { return base::Deadline(base::Seconds(20)); }

  private:
    TemporaryDirectory directory_;
    EnvironmentVariable run_directory_{"STAITHE_RUN_DIR", directory_.path().c_str()};  // so that it has a key
    Signal is_there_;
    bool has_come_ = false;
    ChildProcess process_;
};

}  // namespace staithe::testing
