// The public edge of devices: processes that encode for others.
#include <algorithm>
#include <future>
#include <iterator>
#include <utility>

#include <staithe/server.hpp>

#include "os/process.hpp"
#include "server/asking.hpp"
#include "store/devices/device_service.hpp"
#include "store/devices/finding.hpp"
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
            return offered.error().code == ErrorCode::already_exists
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
    return options.name == "cpu"
               ? base::fail(
                     ErrorCode::invalid_argument,
                     "a process that encodes for others cannot be called '{}', as the cores are that each process "
                     "has itself: give it another --name",
                     options.name)
               : transport::check_name(transport::Kind::device, options.name);
}

Attributes description_of(const std::shared_ptr<transport::Endpoint>& endpoint, const transport::Entry& entry,
                          const base::Deadline& deadline) {
    Attributes description{
        {"name", entry.name}, {"program", entry.peer.program}, {"host", entry.peer.host}, {"pid", entry.peer.pid}};
    auto answer = store::devices::ask_device(*endpoint, entry, deadline);
    if (answer) {
        description.merge(*std::move(answer));
    } else {
        description["error"] = answer.error().message;
    }
    return description;
}

base::Result<std::vector<Attributes>> describe_all(const std::optional<std::string>& address,
                                                   const base::Deadline& deadline) {
    const auto run_directory = server::run_directory_of_servers();
    const auto endpoint = run_directory ? transport::Endpoint::shared(*run_directory) : base::fail(run_directory);
    auto entries = endpoint ? store::devices::find_devices(*endpoint, address, deadline) : base::fail(endpoint);
    if (!entries) {
        return base::fail(std::move(entries));
    }
    // At once: one that says nothing costs the others nothing.
    std::vector<std::future<Attributes>> asked;
    for (const transport::Entry& entry : *entries) {
        asked.push_back(std::async(std::launch::async, description_of, *endpoint, entry, deadline));
    }
    std::vector<Attributes> all;
    std::ranges::transform(asked, std::back_inserter(all), &std::future<Attributes>::get);
    return all;
}

}  // namespace

DeviceServer::DeviceServer(const DeviceOptions& options) {
    base::value_or_raise(check_device(options));
    offer_ = std::make_unique<server::DeviceOffer>(options);
    base::value_or_raise(offer_->make());
}

DeviceServer::~DeviceServer() = default;

Attributes DeviceServer::describe() const { return offer_->describe(); }

std::vector<Attributes> describe_devices(const std::optional<std::string>& address, double timeout) {
    return base::value_or_raise(describe_all(address, base::Deadline(base::Seconds(timeout))));
}

}  // namespace staithe
