// Unix stream sockets: connections between processes of one machine, which also carry file descriptors.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::os {

struct PeerCredentials {
    int pid = 0;
    unsigned uid = 0;
};

/// Listens at `directory/name`. A socket that a dead process left there is replaced.
base::Result<FileDescriptor> listen_at(const std::string& directory, const std::string& name);

/// Never waits. `not_found` when nobody listens there; `timeout` when so many wait for who listens there to take them
/// that the kernel lets no more wait.
base::Result<FileDescriptor> connect_to(const std::string& directory, const std::string& name);

/// Two that are connected with each other.
base::Result<std::pair<FileDescriptor, FileDescriptor>> create_socket_pair();

/// The kernel's word on who is at the other end.
base::Result<PeerCredentials> credentials_of(const FileDescriptor& socket);

/// Hands the kernel what it takes now, without blocking: the number of bytes, maybe 0. The descriptors travel with the
/// first byte.
base::Result<std::size_t> send_some(const FileDescriptor& socket, std::span<const std::byte> bytes,
                                    std::span<const int> descriptors);

/// What one call of the kernel has to give, without blocking.
struct Received {
    std::size_t bytes = 0;  // 0 with `open`: nothing there now
    bool open = true;
    std::vector<FileDescriptor> descriptors;
};
base::Result<Received> receive_some(const FileDescriptor& socket, std::span<std::byte> buffer);

/// Ends the connection for both sides, while the descriptor stays open.
void shut_down(const FileDescriptor& socket);
/// Whether the other side has ended it, or the kernel has: what came before may still be there.
bool has_ended(const FileDescriptor& socket);

/// The next connection to a listening socket, if one waits.
base::Result<FileDescriptor> accept_from(const FileDescriptor& listener);

/// Descriptors that one message may carry; the kernel allows 253.
constexpr std::size_t max_descriptors_per_message = 64;

}  // namespace staithe::os
