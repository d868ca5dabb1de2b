// The devices that encode for this process: its own, and other processes that are found.
//
// They are looked for in a thread, at most every few seconds and only while something is to be encoded. One that has
// failed is left alone for a while, the longer the more often it did. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "transform/device.hpp"
#include "transport/directory/entry.hpp"
#include "transport/directory/search.hpp"
#include "transport/endpoint.hpp"
#include "transport/errands.hpp"

namespace staithe::store::devices {

using Device = std::shared_ptr<transform::Device>;

class Devices {
  public:
    /// Those of this process alone, besides its cores, or these.
    explicit Devices(const std::vector<Device>& own = transform::devices_here());
    /// Processes, too, that encode for others in the endpoint's run directory, on this host, and those that can be
    /// reached at STAITHE_DEVICES.
    explicit Devices(std::shared_ptr<transport::Endpoint> endpoint);

    /// Those that may take something now. Never waits.
    [[nodiscard]] std::vector<Device> there();
    /// It has failed. One that was only busy (transform::is_busy) stays.
    void avoid(const Device& device, const base::Failure& why);

  private:
    struct Known {
        Device device;
        bool is_own = false;             // of this process
        base::Clock::time_point from{};  // when it may be asked again
        int failures = 0;
    };
    void look();
    [[nodiscard]] std::vector<transport::Entry> entries();
    bool is_wanted(const transport::Entry& entry);
    void take(Device found);

    const std::shared_ptr<transport::Endpoint> endpoint_;  // none: nobody is looked for
    std::optional<transport::Search> elsewhere_;           // of the thread that looks
    std::mutex mutex_;
    std::vector<Known> known_;
    bool is_looking_ = false;
    base::Clock::time_point next_look_{};
    transport::Errands looking_;  // last: its thread must be gone before what it uses
};

}  // namespace staithe::store::devices
