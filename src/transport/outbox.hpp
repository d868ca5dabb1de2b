// Frames that wait for the kernel to take them, so that sending never blocks.
//
// Not thread-safe; the link locks.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::transport {

class Outbox {
  public:
    /// Hands over as much as the socket takes now, after all that waits, and keeps the rest, with copies of descriptors
    /// that did not go. `limit_reached` when the peer has not taken anything for too many bytes, or no descriptor is
    /// free for a copy: then nothing of the frame was sent.
    base::Result<> send(const os::FileDescriptor& socket, std::vector<std::byte> frame,
                        const std::vector<int>& descriptors);

    /// Hands over as much of what waits as the socket takes now.
    base::Result<> flush(const os::FileDescriptor& socket);

    [[nodiscard]] bool empty() const { return frames_.empty(); }

  private:
    struct Frame {
        std::vector<std::byte> bytes;
        std::size_t sent = 0;
        std::vector<os::FileDescriptor> descriptors;
    };
    std::deque<Frame> frames_;
    std::size_t waiting_bytes_ = 0;
};

}  // namespace staithe::transport
