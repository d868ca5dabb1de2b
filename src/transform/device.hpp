// Where data is encoded: on the cores of this process, or by something that it hands the elements to and that gives
// the payload back.
//
// All devices make payloads of the same format, which hosts without that device decode. What a device takes for it,
// the way there and back included, its models learn (choosing/). One that fails, or does not come back, is avoided for
// a while, one that is busy for what it was to be given, and whoever wanted something of it goes another way: so an
// implementation reports a failure and does not try again. Thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <staithe/transform.hpp>

#include "base/deadline.hpp"
#include "base/result.hpp"

namespace staithe::transform {

/// What a device is asked to do with elements, but for their values.
struct Task {
    std::string codec;
    codecs::Mode mode = codecs::Mode::fast;
    Dtype dtype = Dtype::u8;
    bool is_lossy = false;  // under a bound
};

class Device {
  public:
    virtual ~Device() = default;

    /// As ways are called by it: "dq on remote".
    [[nodiscard]] virtual const std::string& name() const = 0;
    /// Whether it may take something now, as far as is known. Never waits.
    [[nodiscard]] virtual bool is_there() const = 0;
    /// Whether it does such work at all. Never waits.
    [[nodiscard]] virtual bool suits(const Task& task) const = 0;
    /// The payload of the elements. Of a bound that is a share of their range, the caller has made an absolute one. A
    /// device that may hang gives up after `longest`, with `timeout`; one that is busy, with `limit_reached`.
    virtual base::Result<std::vector<std::byte>> encode(const ArrayView& elements, const codecs::EncodeOptions& options,
                                                        base::Seconds longest) = 0;
};

/// Whether a device has failed at nothing but having room, or a turn, for this: for the next one it may have.
[[nodiscard]] inline bool is_busy(const base::Failure& failure) { return failure.code == ErrorCode::limit_reached; }

/// This process's own cores, which are always there.
[[nodiscard]] const std::shared_ptr<Device>& cpu();

/// The devices that this process has besides its cores.
[[nodiscard]] std::vector<std::shared_ptr<Device>> devices_here();

/// Whether what a device gave back is the payload that was asked for, as far as its header and its checksums tell:
/// `protocol` if it is not.
base::Result<> check_payload(std::span<const std::byte> payload, const ArrayView& elements,
                             const codecs::EncodeOptions& options);

}  // namespace staithe::transform
