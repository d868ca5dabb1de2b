// The public edge of devices: processes that encode for others.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <stop_token>
#include <system_error>
#include <utility>

#include <staithe/server.hpp>

#include "base/interruption.hpp"
#include "base/log.hpp"
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

/// Those of the entries that are still to be asked, in the threads that share it.
class Asking {
  public:
    Asking(std::shared_ptr<transport::Endpoint> endpoint, const std::vector<transport::Entry>& entries,
           const base::Deadline& deadline)
        : endpoint_(std::move(endpoint)), entries_(entries), deadline_(deadline), descriptions_(entries.size()) {}

    /// In as many threads as are to be had; `stop`, which the deadline has, ends them where the program is interrupted.
    base::Result<std::vector<Attributes>> ask_all(std::stop_source& stop) {
        constexpr std::size_t most_at_once = 32;  // whoever tells of devices says how many there are
        constexpr std::chrono::milliseconds between_looks(50);
        std::vector<std::future<void>> threads;
        try {
            while (threads.size() < std::min(most_at_once, entries_.size())) {
                threads.push_back(std::async(std::launch::async, [this] { ask_some(); }));
            }
        } catch (const std::system_error& error) {
            base::log(base::LogLevel::debug, "{} threads ask devices, no more: {}", threads.size(), error.what());
        }
        if (threads.empty()) {
            ask_some();
        }
        for (std::future<void>& thread : threads) {
            while (thread.wait_for(between_looks) != std::future_status::ready) {
                if (base::interrupted()) {
                    stop.request_stop();
                }
            }
            thread.get();
        }
        if (base::interrupted()) {
            return base::fail(ErrorCode::timeout, "devices were asked until the program was interrupted");
        }
        return std::move(descriptions_);
    }

  private:
    void ask_some() {
        for (std::size_t i = next_++; i < entries_.size(); i = next_++) {
            descriptions_[i] = description_of(endpoint_, entries_[i], deadline_);
        }
    }

    const std::shared_ptr<transport::Endpoint> endpoint_;
    const std::vector<transport::Entry>& entries_;
    const base::Deadline& deadline_;
    std::vector<Attributes> descriptions_;
    std::atomic<std::size_t> next_{0};
};

base::Result<std::vector<Attributes>> describe_all(const std::optional<std::string>& address, base::Seconds timeout) {
    std::stop_source stop;
    const base::Deadline deadline(timeout, stop.get_token());
    const auto run_directory = server::run_directory_of_servers();
    const auto endpoint = run_directory ? transport::Endpoint::shared(*run_directory) : base::fail(run_directory);
    auto entries = endpoint ? store::devices::find_devices(*endpoint, address, deadline) : base::fail(endpoint);
    if (!entries) {
        return base::fail(std::move(entries));
    }
    // At once: one that says nothing costs the others nothing.
    return Asking(*endpoint, *entries, deadline).ask_all(stop);
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
    return base::value_or_raise(describe_all(address, base::Seconds(timeout)));
}

}  // namespace staithe
