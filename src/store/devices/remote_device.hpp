// Another process that encodes, as `staithe serve --device` is: on this host it shares memory with this one, from
// another one elements and payloads come over its link.
//
// One part at a time: others wait their turn. Several of them may share a link, each has a window of its own. After a
// failure this is of no use any more: what the process does with the memory that both see is not known. Whoever reaches
// it again goes on with it. One that is only busy goes on; where it was asked, with memory that is new.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "os/fork.hpp"
#include "store/devices/messages.hpp"
#include "store/devices/window.hpp"
#include "transform/device.hpp"
#include "transport/endpoint.hpp"
#include "transport/link.hpp"

namespace staithe::store::devices {

class RemoteDevice final : public transform::Device {
  public:
    /// Of that name, at the other end of the link; fails if it does not say by then what it can do.
    static base::Result<std::shared_ptr<RemoteDevice>> open(std::shared_ptr<transport::Endpoint> endpoint,
                                                            std::shared_ptr<transport::Link> link, std::string name,
                                                            const base::Deadline& deadline);

    ~RemoteDevice() override;
    RemoteDevice(const RemoteDevice&) = delete;
    RemoteDevice& operator=(const RemoteDevice&) = delete;

    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] bool is_there() const override { return !is_lost_ && link_->is_open(); }
    [[nodiscard]] bool suits(const transform::Task& task) const override;
    base::Result<std::vector<std::byte>> encode(const ArrayView& elements, const codecs::EncodeOptions& options,
                                                base::Seconds longest) override;

  private:
    using Payload = std::vector<std::byte>;
    RemoteDevice(std::shared_ptr<transport::Endpoint> endpoint, std::shared_ptr<transport::Link> link, std::string name,
                 std::vector<codecs::CodecInfo> codecs)
        : endpoint_(std::move(endpoint)), link_(std::move(link)), name_(std::move(name)), codecs_(std::move(codecs)) {}
    base::Result<Payload> through_window(const ArrayView& elements, Job& job, const base::Deadline& deadline);
    base::Result<Payload> over_link(const ArrayView& elements, const Job& job, const base::Deadline& deadline);
    base::Result<> share(std::int64_t bytes, const base::Deadline& deadline);
    void drop_window();
    base::Result<transport::Packet> ask(Attributes request, const char* type, const transport::Beside& beside,
                                        const base::Deadline& deadline);

    const std::shared_ptr<transport::Endpoint> endpoint_;  // where the link is looked after
    const std::shared_ptr<transport::Link> link_;
    const std::string name_;
    const std::vector<codecs::CodecInfo> codecs_;
    std::atomic<bool> is_lost_{false};
    std::timed_mutex mutex_;
    std::optional<Window> window_;
    std::int64_t number_of_window_ = 0;
    const os::Home home_{};
};

}  // namespace staithe::store::devices
