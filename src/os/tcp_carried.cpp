// In a file of its own: what the kernel counts is in its own header, which does not go with that of the C library.
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>

#include "os/tcp.hpp"

namespace staithe::os {

std::optional<Carried> carried_by(const FileDescriptor& socket) {
    tcp_info info{};
    socklen_t size = sizeof(info);
    constexpr std::size_t needed = offsetof(tcp_info, tcpi_busy_time) + sizeof(info.tcpi_busy_time);
    if (::getsockopt(socket.get(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || size < needed) {
        return std::nullopt;
    }
    return Carried{static_cast<std::int64_t>(info.tcpi_bytes_acked),
                   base::Seconds(static_cast<double>(info.tcpi_busy_time) * 1e-6)};
}

}  // namespace staithe::os
