#include "store/devices/devices.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/config.hpp"
#include "base/log.hpp"
#include "os/process_identity.hpp"
#include "store/devices/finding.hpp"
#include "store/devices/remote_device.hpp"
#include "transport/directory/directory.hpp"

namespace staithe::store::devices {
namespace {

constexpr std::chrono::seconds between_looks{3};
/// A device that has failed so often in a row is left alone for this times two to that power.
constexpr int most_doublings = 5;
/// What it has done as it should for so long says more than what it did before.
constexpr std::chrono::minutes forgiven_after{1};
/// Of one device: the others are to be reached, too.
constexpr base::Seconds longest_reach{1.0};
/// Each makes all ways be tried once more.
constexpr std::size_t most_devices = 8;

constexpr auto name_of_known = [](const auto& known) -> const std::string& { return known.device->name(); };

/// Another process that has gone.
constexpr auto may_be_replaced = [](const auto& known) { return !known.is_own && !known.device->is_there(); };

}  // namespace

Devices::Devices(const std::vector<Device>& own) {
    for (const Device& device : own) {
        known_.push_back({.device = device, .is_own = true});
    }
}

Devices::Devices(std::shared_ptr<transport::Endpoint> endpoint) : endpoint_(std::move(endpoint)) {
    for (const Device& device : transform::devices_here()) {
        known_.push_back({.device = device, .is_own = true});
    }
    if (const auto addresses = base::devices_to_ask()) {
        if (auto search = search_at(endpoint_, *addresses)) {
            elsewhere_ = *std::move(search);
        } else {
            base::log(base::LogLevel::warn, "STAITHE_DEVICES: {}", search.error().message);
        }
    }
}

std::vector<Device> Devices::there() {
    const std::lock_guard lock(mutex_);
    const auto now = base::Clock::now();
    if (endpoint_ && !is_looking_ && now >= next_look_) {
        next_look_ = now + between_looks;
        is_looking_ = looking_.add([this] { look(); }).has_value();  // without a thread there are no other devices
    }
    std::vector<Device> there;
    for (const Known& each : known_) {
        if (now >= each.from && each.device->is_there()) {
            there.push_back(each.device);
        }
    }
    return there;
}

/// Of several who tell of the same failure the first counts, and of a device that another one has replaced none.
void Devices::avoid(const Device& device, const base::Failure& why) {
    const std::lock_guard lock(mutex_);
    const auto now = base::Clock::now();
    const auto known = std::ranges::find(known_, device, &Known::device);
    if (transform::is_busy(why) || known == known_.end() || now < known->from) {
        return;
    }
    known->failures = now - known->from > forgiven_after ? 0 : known->failures;
    const auto rest = between_looks * (1 << std::min(known->failures++, most_doublings));
    known->from = now + rest;
    base::log(base::LogLevel::warn, "{}; nothing is given to it for {} s", why.message,
              std::chrono::seconds(rest).count());
}

/// In the thread that looks.
void Devices::look() {
    for (const transport::Entry& entry : entries()) {
        if (!is_wanted(entry)) {
            continue;
        }
        const base::Deadline deadline(longest_reach);
        auto link = transport::reach(*endpoint_, entry, deadline);
        auto device = link ? RemoteDevice::open(endpoint_, *std::move(link), entry.name, deadline) : base::fail(link);
        if (device) {
            take(*std::move(device));
        }
    }
    const std::lock_guard lock(mutex_);
    is_looking_ = false;
    next_look_ = base::Clock::now() + between_looks;
}

std::vector<transport::Entry> Devices::entries() {
    auto all = devices_of_host(endpoint_->run_directory());
    auto told = elsewhere_ ? elsewhere_->list(base::Deadline(longest_reach)) : std::vector<transport::Entry>();
    if (told) {
        std::ranges::move(*told, std::back_inserter(all));
    }
    return all;
}

/// Of several of one name the first.
bool Devices::is_wanted(const transport::Entry& entry) {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find(known_, entry.name, name_of_known);
    if (entry.process == os::this_process() || entry.name == transform::cpu()->name()) {
        return false;
    }
    if (known == known_.end()) {
        return known_.size() < most_devices || std::ranges::any_of(known_, may_be_replaced);
    }
    return may_be_replaced(*known) && base::Clock::now() >= known->from;
}

void Devices::take(Device found) {
    const std::lock_guard lock(mutex_);
    const auto same = std::ranges::find(known_, found->name(), name_of_known);
    if (same != known_.end()) {
        same->device = std::move(found);
        return;
    }
    if (known_.size() >= most_devices) {
        std::erase_if(known_, may_be_replaced);
    }
    if (known_.size() < most_devices) {
        known_.push_back({.device = std::move(found)});
    }
}

}  // namespace staithe::store::devices
