// Memory that a process shares with a device of its host: elements go there, and payloads come back behind them.
//
// Whoever has data makes it, and passes the descriptor once. Its size is fixed for ever, and its memory there, before
// the other side maps it: so neither can end the other by SIGBUS. Each side may change it at any time, and the other
// one believes nothing that lies there.
#pragma once

#include <cstdint>
#include <span>

#include "base/budget.hpp"
#include "base/result.hpp"
#include "os/file_descriptor.hpp"
#include "os/shared_memory.hpp"

namespace staithe::store::devices {

class Window {
  public:
    Window() = default;

    /// `limit_reached` if the process, or the machine, has not so much memory left.
    static base::Result<Window> make(std::int64_t bytes);
    /// Of a descriptor that came from another process: `protocol` unless it is such memory, of that size.
    static base::Result<Window> open(const os::FileDescriptor& file, std::int64_t bytes);

    [[nodiscard]] std::span<std::byte> memory() const { return {mapping_.data(), mapping_.size()}; }
    /// What the other side is to be passed.
    [[nodiscard]] const os::FileDescriptor& file() const { return file_; }

  private:
    base::Claim claim_;
    os::FileDescriptor file_;  // of whoever has made it
    os::Mapping mapping_;
};

}  // namespace staithe::store::devices
