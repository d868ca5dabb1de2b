// Blocks that another process keeps, and gives over a socket as they are asked for.
//
// One request at a time: who asks while an answer comes waits for it. If the other process keeps blocks that a codec
// encoded, a DecodingSource stands on this. Failures besides those of every source: `peer_lost` if the process is gone,
// `timeout` if it does not answer; from then on no block can be had.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>

#include "base/deadline.hpp"
#include "os/file_descriptor.hpp"
#include "store/reading_source.hpp"

namespace staithe::store::piped {

class PipedSource final : public ReadingSource {
  public:
    /// One end of a pair of sockets (os::create_socket_pair), at whose other end serve_blocks answers, each time
    /// within `timeout`.
    PipedSource(os::FileDescriptor socket, base::Seconds timeout) : socket_(std::move(socket)), timeout_(timeout) {}

  private:
    base::Result<> read(const BlockRef& ref, std::int64_t first, std::span<std::byte> destination) override;
    base::Result<> ask(const BlockRef& ref, std::int64_t first, std::span<std::byte> destination);

    const os::FileDescriptor socket_;
    const base::Seconds timeout_;
    std::mutex mutex_;
    base::Result<> usable_;  // or why not: what comes now may be the rest of an answer that nobody waited for
};

}  // namespace staithe::store::piped
