#include "os/tcp.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

namespace staithe::os {
namespace {

/// An address as the kernel takes and gives it.
struct SocketName {
    sockaddr_storage name{};
    socklen_t size = sizeof(name);

    [[nodiscard]] const sockaddr* generic() const { return reinterpret_cast<const sockaddr*>(&name); }
    [[nodiscard]] sockaddr* generic() { return reinterpret_cast<sockaddr*>(&name); }
    [[nodiscard]] int family() const { return name.ss_family; }
};

base::Result<tcp_info> info_of(const FileDescriptor& socket) {
    tcp_info info{};
    socklen_t size = sizeof(info);
    if (::getsockopt(socket.get(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) {
        return fail_with_errno(errno, "ask the kernel about a connection");
    }
    return info;
}

std::optional<SocketName> name_of(const NetworkAddress& address) {
    SocketName name;
    auto& ipv4 = reinterpret_cast<sockaddr_in&>(name.name);
    auto& ipv6 = reinterpret_cast<sockaddr_in6&>(name.name);
    if (::inet_pton(AF_INET, address.host.c_str(), &ipv4.sin_addr) == 1) {
        ipv4.sin_family = AF_INET;
        ipv4.sin_port = htons(address.port);
        name.size = sizeof(ipv4);
        return name;
    }
    if (::inet_pton(AF_INET6, address.host.c_str(), &ipv6.sin6_addr) == 1) {
        ipv6.sin6_family = AF_INET6;
        ipv6.sin6_port = htons(address.port);
        name.size = sizeof(ipv6);
        return name;
    }
    return std::nullopt;
}

NetworkAddress address_from(const sockaddr* name) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (name->sa_family == AF_INET) {
        const auto& ipv4 = *reinterpret_cast<const sockaddr_in*>(name);
        ::inet_ntop(AF_INET, &ipv4.sin_addr, text.data(), text.size());
        return {text.data(), ntohs(ipv4.sin_port)};
    }
    const auto& ipv6 = *reinterpret_cast<const sockaddr_in6*>(name);
    ::inet_ntop(AF_INET6, &ipv6.sin6_addr, text.data(), text.size());
    // How a socket of both kinds shows who came over IPv4.
    constexpr std::string_view mapped = "::ffff:";
    const bool is_mapped = IN6_IS_ADDR_V4MAPPED(&ipv6.sin6_addr);
    return {text.data() + (is_mapped ? mapped.size() : 0), ntohs(ipv6.sin6_port)};
}

base::Result<> set_option(const FileDescriptor& socket, int level, int option, int value, const char* what) {
    if (::setsockopt(socket.get(), level, option, &value, sizeof(value)) != 0) {
        return fail_with_errno(errno, what);
    }
    return {};
}

/// Options of Linux 6.15 and later, which the headers of older systems do not name.
constexpr int shortest_time_until_sent_again = 45;   // TCP_RTO_MIN_US
constexpr int longest_time_until_acknowledged = 46;  // TCP_DELACK_MAX_US

/// The kernel's own 200 ms are many steps: so long waits who lost the last bytes that were said, as nothing follows
/// that would tell of it. For that, acknowledgements must not wait as long. Older kernels know neither, and refuse.
void be_quick_about_losses(const FileDescriptor& socket) {
    for (const auto& [option, microseconds] :
         {std::pair(shortest_time_until_sent_again, 25'000), std::pair(longest_time_until_acknowledged, 10'000)}) {
        static_cast<void>(::setsockopt(socket.get(), IPPROTO_TCP, option, &microseconds, sizeof(microseconds)));
    }
}

/// One that sends small messages at once; so do those that a listening one accepts.
base::Result<FileDescriptor> new_tcp_socket(int family) {
    auto socket = open_descriptor("open a TCP socket",
                                  [&] { return ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); });
    if (socket) {
        if (auto set = set_option(*socket, IPPROTO_TCP, TCP_NODELAY, 1, "set up a TCP socket"); !set) {
            return base::fail(std::move(set));
        }
        be_quick_about_losses(*socket);
    }
    return socket;
}

tl::unexpected<base::Failure> cannot_listen(int error, const NetworkAddress& address) {
    const std::string at = to_string(address);
    switch (error) {
        case EADDRINUSE:
            return base::fail(
                ErrorCode::already_exists,
                "cannot listen at {}: the port is taken (`ss -ltnp` says by whom); choose another, or port "
                "0 for any that is free",
                at);
        case EADDRNOTAVAIL:
            return base::fail(ErrorCode::invalid_argument,
                              "cannot listen at {}: that is no address of this host; `ip address` shows those that it "
                              "has, and 0.0.0.0 or [::] stand for all",
                              at);
        case EACCES:
            return base::fail(ErrorCode::system,
                              "cannot listen at {}: ports below 1024 are the system's; use a higher one", at);
        default: return fail_with_errno(error, "listen at " + at);
    }
}

base::Result<FileDescriptor> listen_at_address(const NetworkAddress& address) {
    const auto name = name_of(address);
    if (!name) {
        return base::fail(ErrorCode::invalid_argument,
                          "cannot listen at '{}': give a number of this host's, or 0.0.0.0 or [::] for all",
                          address.host);
    }
    auto socket = new_tcp_socket(name->family());
    if (!socket) {
        return socket;
    }
    // A port whose last connections are still being forgotten is free.
    auto set = set_option(*socket, SOL_SOCKET, SO_REUSEADDR, 1, "set up a TCP socket");
    if (set && name->family() == AF_INET6) {
        set = set_option(*socket, IPPROTO_IPV6, IPV6_V6ONLY, 0, "set up a TCP socket");
    }
    if (!set) {
        return base::fail(std::move(set));
    }
    if (::bind(socket->get(), name->generic(), name->size) != 0 || ::listen(socket->get(), SOMAXCONN) != 0) {
        return cannot_listen(errno, address);
    }
    return socket;
}

tl::unexpected<base::Failure> cannot_connect(int error, const NetworkAddress& address) {
    if (error == ECONNREFUSED) {
        return base::fail(ErrorCode::not_found, "nobody listens at {}", to_string(address));
    }
    if (error == ECONNRESET) {
        return base::fail(ErrorCode::peer_lost, "whoever listened at {} has gone", to_string(address));
    }
    if (error == ETIMEDOUT) {
        return base::fail(ErrorCode::timeout, "{} does not answer", to_string(address));
    }
    return fail_with_errno(error, "connect to " + to_string(address));
}

}  // namespace

std::optional<NetworkAddress> network_address(const std::string& host, std::uint16_t port) {
    const auto name = name_of({host, port});
    return name ? std::optional(address_from(name->generic())) : std::nullopt;  // in the one way of writing it
}

std::string to_string(const NetworkAddress& address) {
    const bool is_ipv6 = address.host.find(':') != std::string::npos;
    return is_ipv6 ? fmt::format("[{}]:{}", address.host, address.port)
                   : fmt::format("{}:{}", address.host, address.port);
}

std::vector<std::string> own_network_addresses() {
    ifaddrs* found = nullptr;
    if (::getifaddrs(&found) != 0) {
        return {};
    }
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(found, &::freeifaddrs);
    std::vector<std::string> addresses;
    std::vector<std::string> loopback;
    for (const ifaddrs* each = all.get(); each != nullptr; each = each->ifa_next) {
        const int family = each->ifa_addr != nullptr ? each->ifa_addr->sa_family : AF_UNSPEC;
        if ((each->ifa_flags & IFF_UP) == 0 || (family != AF_INET && family != AF_INET6)) {
            continue;
        }
        if (family == AF_INET6 &&
            IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(each->ifa_addr)->sin6_addr)) {
            continue;
        }
        ((each->ifa_flags & IFF_LOOPBACK) != 0 ? loopback : addresses).push_back(address_from(each->ifa_addr).host);
    }
    addresses.insert(addresses.end(), loopback.begin(), loopback.end());
    return addresses;
}

base::Result<FileDescriptor> listen_at_port(const std::string& host, std::uint16_t port) {
    if (!host.empty()) {
        return listen_at_address({host, port});
    }
    auto socket = listen_at_address({"::", port});
    // It may be a kernel without IPv6.
    const bool is_taken = !socket && socket.error().code == ErrorCode::already_exists;
    return socket || is_taken ? std::move(socket) : listen_at_address({"0.0.0.0", port});
}

base::Result<std::uint16_t> port_of(const FileDescriptor& listener) {
    SocketName name;
    if (::getsockname(listener.get(), name.generic(), &name.size) != 0) {
        return fail_with_errno(errno, "ask for the port of a socket");
    }
    return address_from(name.generic()).port;
}

base::Result<FileDescriptor> begin_connecting(const NetworkAddress& address) {
    const auto name = name_of(address);
    if (!name) {
        return base::fail(ErrorCode::invalid_argument, "'{}' is no number of a host", address.host);
    }
    auto socket = new_tcp_socket(name->family());
    if (!socket) {
        return socket;
    }
    // Interrupted by a signal, it goes on all the same.
    if (::connect(socket->get(), name->generic(), name->size) != 0 && errno != EINPROGRESS && errno != EINTR) {
        return cannot_connect(errno, address);
    }
    return socket;
}

base::Result<> finish_connecting(const FileDescriptor& socket, const NetworkAddress& address) {
    int error = 0;
    socklen_t size = sizeof(error);
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
        error = errno;
    }
    return error == 0 ? base::Result<>() : cannot_connect(error, address);
}

bool is_tcp(const FileDescriptor& socket) {
    int family = AF_UNSPEC;
    socklen_t size = sizeof(family);
    return ::getsockopt(socket.get(), SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 &&
           (family == AF_INET || family == AF_INET6);
}

std::string peer_address_of(const FileDescriptor& socket) {
    SocketName name;
    const bool known = ::getpeername(socket.get(), name.generic(), &name.size) == 0;
    return known ? to_string(address_from(name.generic())) : "";
}

base::Result<Losses> losses_of(const FileDescriptor& socket) {
    return info_of(socket).map([](const tcp_info& info) {
        return Losses{info.tcpi_total_retrans, std::max<std::int64_t>(info.tcpi_snd_mss, 1)};
    });
}

base::Result<base::Seconds> round_trip_of(const FileDescriptor& socket) {
    return info_of(socket).map([](const tcp_info& info) { return base::Seconds(info.tcpi_rtt * 1e-6); });
}

std::string congestion_control_of(const FileDescriptor& socket) {
    std::array<char, 17> name{};  // as long as the kernel's are, and a zero
    socklen_t size = name.size() - 1;
    return ::getsockopt(socket.get(), IPPROTO_TCP, TCP_CONGESTION, name.data(), &size) == 0 ? name.data() : "";
}

bool use_congestion_control(const FileDescriptor& socket, const std::string& name) {
    return ::setsockopt(socket.get(), IPPROTO_TCP, TCP_CONGESTION, name.data(), static_cast<socklen_t>(name.size())) ==
           0;
}

void acknowledge_at_once(const FileDescriptor& socket) {
    const int on = 1;
    static_cast<void>(::setsockopt(socket.get(), IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on)));
}

base::Result<Silence> silence_of(const FileDescriptor& socket) {
    const auto known = info_of(socket);
    if (!known) {
        return base::fail(known);
    }
    const tcp_info& info = *known;
    const auto seconds = [](std::uint32_t milliseconds) { return base::Seconds(milliseconds / 1000.0); };
    // A receiver that takes no more has acknowledged all that it was sent, and is asked from time to time whether it
    // takes more; of these questions one may be on its way.
    return Silence{seconds(info.tcpi_last_data_recv), seconds(info.tcpi_last_ack_recv),
                   info.tcpi_unacked > 0 || info.tcpi_probes > 1};
}

bool is_all_acknowledged(const FileDescriptor& socket) {
    int bytes = 0;
    return ::ioctl(socket.get(), SIOCOUTQ, &bytes) == 0 && bytes == 0;
}

base::Result<> keep_alive(const FileDescriptor& socket) {
    struct Option {
        int level;
        int name;
        int value;
    };
    // After two quiet seconds it asks, and again each second: the fourth question without an answer is the last.
    for (const Option& option : {Option{SOL_SOCKET, SO_KEEPALIVE, 1}, Option{IPPROTO_TCP, TCP_KEEPIDLE, 2},
                                 Option{IPPROTO_TCP, TCP_KEEPINTVL, 1}, Option{IPPROTO_TCP, TCP_KEEPCNT, 4}}) {
        if (auto set = set_option(socket, option.level, option.name, option.value, "set up a TCP socket"); !set) {
            return set;
        }
    }
    return {};
}

}  // namespace staithe::os
