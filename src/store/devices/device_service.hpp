// The other end of RemoteDevices, in a process that encodes for others: `staithe serve --device`.
//
// Requests come in the endpoint's thread; one thread encodes, with as many helpers as the process may have cores, one
// part after the other, so that each takes as little time as it can. What others say is checked; a codec that crashes
// takes this process along, and no other one.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "store/devices/messages.hpp"
#include "store/devices/window.hpp"
#include "transport/endpoint.hpp"
#include "transport/errands.hpp"
#include "transport/link.hpp"

namespace staithe::store::devices {

class DeviceService : public std::enable_shared_from_this<DeviceService> {
  public:
    /// So many cores encode at a time.
    explicit DeviceService(int cores) : cores_(cores) {}

    void handle(const std::shared_ptr<transport::Link>& link, transport::Packet packet);
    /// Codecs, cores, and what was encoded: parts, bytes, coded, seconds.
    [[nodiscard]] Attributes describe() const;

  private:
    using Link = std::shared_ptr<transport::Link>;
    struct Client {
        std::map<std::int64_t, std::shared_ptr<const Window>> windows;
        std::shared_ptr<transport::Link::CloseHandler> on_close;
        int jobs = 0;  // under way
    };
    struct Answer {
        base::Result<Attributes> says{};
        std::vector<std::byte> payload{};
    };
    base::Result<> take_window(const Link& link, const transport::Packet& packet);
    void drop_window(const Link& link, const transport::Packet& packet);
    base::Result<> begin(const Link& link, transport::Packet packet);
    Client* client_of(const Link& link);
    void finish(transport::Link* link);
    Answer work(const Job& job, const std::shared_ptr<const Window>& window, std::span<const std::byte> enclosed,
                bool is_enclosed);
    void count(const Job& job, std::size_t coded, base::Seconds took);

    const int cores_;
    mutable std::mutex mutex_;
    std::map<transport::Link*, Client> clients_;
    struct Done {
        std::int64_t parts = 0;
        std::int64_t bytes = 0;
        std::int64_t coded = 0;
        base::Seconds seconds{};
    };
    Done done_;
    transport::Errands encoding_;  // last: its thread must be gone before what it uses
};

}  // namespace staithe::store::devices
