// The public edge of devices: processes that encode for others.
#include <utility>

#include <staithe/server.hpp>

#include "os/process.hpp"
#include "server/asking.hpp"
#include "store/devices/device_service.hpp"
#include "transport/directory/directory.hpp"
#include "transport/endpoint.hpp"

namespace staithe {
namespace server {

/// The device's name in the run directory, and who answers there; given back with it.
class DeviceOffer {
  public:
    explicit DeviceOffer(DeviceOptions options)
        : options_(std::move(options)),
          service_(std::make_shared<store::devices::DeviceService>(options_.cores.value_or(os::usable_cores()))) {}
    ~DeviceOffer() {
        if (is_published_) {
            transport::Directory(endpoint_->run_directory()).withdraw(transport::Kind::device, options_.name);
        }
        if (endpoint_) {
            endpoint_->withdraw(store::devices::service);
        }
    }
    DeviceOffer(const DeviceOffer&) = delete;
    DeviceOffer& operator=(const DeviceOffer&) = delete;

    base::Result<> make() {
        auto run_directory = run_directory_of_servers();
        auto endpoint = run_directory ? transport::Endpoint::shared(*run_directory) : base::fail(run_directory);
        auto offered = endpoint ? (*endpoint)->offer(
                                      store::devices::service,
                                      [service = service_](const auto& link, transport::Packet packet) {
                                          service->handle(link, std::move(packet));
                                      },
                                      options_.listen)
                                : base::fail(endpoint);
        if (!offered) {
            const bool is_second = endpoint && (*endpoint)->offers(store::devices::service);
            return is_second && offered.error().code == ErrorCode::already_exists
                       ? base::fail(ErrorCode::already_exists,
                                    "this process encodes for others already, and can do so under one name: close that "
                                    "device first, or start another process")
                       : offered;
        }
        endpoint_ = *std::move(endpoint);
        auto published = transport::Directory(endpoint_->run_directory())
                             .publish(transport::own_entry(transport::Kind::device, options_.name,
                                                           endpoint_->addresses(), endpoint_->self()));
        is_published_ = bool(published);
        return published;
    }

    [[nodiscard]] Attributes describe() const {
        Attributes description = service_->describe();
        const transport::Peer& self = endpoint_->self();
        description.merge(
            Attributes{{"name", options_.name}, {"program", self.program}, {"host", self.host}, {"pid", self.pid}});
        return description;
    }

  private:
    const DeviceOptions options_;
    const std::shared_ptr<store::devices::DeviceService> service_;
    std::shared_ptr<transport::Endpoint> endpoint_;
    bool is_published_ = false;
};

}  // namespace server

namespace {

base::Result<> check_device(const DeviceOptions& options) {
    constexpr int most_cores = 1024;
    const int cores = options.cores.value_or(1);
    if (cores < 1 || cores > most_cores) {
        return base::fail(ErrorCode::invalid_argument, "a device has 1 to {} cores, not {}", most_cores, cores);
    }
    // What is learnt of a device is kept by its name.
    return options.name == "cpu" || options.name == "cuda"
               ? base::fail(ErrorCode::invalid_argument,
                            "a process that encodes for others cannot be called '{}', as a device is that programs "
                            "have themselves: give it another --name",
                            options.name)
               : transport::check_name(transport::Kind::device, options.name);
}

}  // namespace

DeviceServer::DeviceServer(const DeviceOptions& options) {
    base::value_or_raise(check_device(options));
    offer_ = std::make_unique<server::DeviceOffer>(options);
    base::value_or_raise(offer_->make());
}

DeviceServer::~DeviceServer() = default;

Attributes DeviceServer::describe() const { return offer_->describe(); }

}  // namespace staithe
