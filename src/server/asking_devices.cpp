// The public edge of what people ask of devices: what they say of themselves.
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
#include "server/asking.hpp"
#include "store/devices/finding.hpp"
#include "transport/directory/directory.hpp"
#include "transport/endpoint.hpp"

namespace staithe {
namespace {

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
class AskingDevices {
  public:
    AskingDevices(std::shared_ptr<transport::Endpoint> endpoint, const std::vector<transport::Entry>& entries,
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
    return AskingDevices(*endpoint, *entries, deadline).ask_all(stop);
}

}  // namespace

std::vector<Attributes> describe_devices(const std::optional<std::string>& address, double timeout) {
    return base::value_or_raise(describe_all(address, base::Seconds(timeout)));
}

}  // namespace staithe
