// Stream sockets of any kind: several ranges of memory a call, straight from where they lie and to where they belong.
// Neither call waits.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::os {

/// Ranges of memory, one after the other. No more than `most_parts`.
using Parts = std::span<const std::span<std::byte>>;
constexpr std::size_t most_parts = 64;

/// Hands the kernel what it takes now: the number of bytes, maybe 0. `peer_lost` if it takes no more.
base::Result<std::size_t> send_parts(const FileDescriptor& socket, Parts parts);

/// Fills them with what is there now: the number of bytes, maybe 0. `peer_lost` if no more will come. There is room for
/// one byte at least.
base::Result<std::size_t> receive_parts(const FileDescriptor& socket, Parts parts);

/// From now on a TCP socket is readable once so many bytes are there, no more come, or the kernel has no room for them;
/// others are not changed. Who waits for many is woken less often. The kernel may take a smaller number.
void make_readable_at(const FileDescriptor& socket, int bytes);

}  // namespace staithe::os
