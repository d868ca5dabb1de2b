#include "os/tcp.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace staithe::os {
namespace {

NetworkAddress address_from(const sockaddr* name) {
    NetworkAddress address;
    address.size = name->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    std::memcpy(&address.name, name, address.size);
    return address;
}

const sockaddr* generic(const NetworkAddress& address) { return reinterpret_cast<const sockaddr*>(&address.name); }

const sockaddr_in& as_ipv4(const NetworkAddress& address) { return reinterpret_cast<const sockaddr_in&>(address.name); }
const sockaddr_in6& as_ipv6(const NetworkAddress& address) {
    return reinterpret_cast<const sockaddr_in6&>(address.name);
}

/// The number alone.
std::string host_of(const NetworkAddress& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const bool is_ipv6 = address.name.ss_family == AF_INET6;
    const void* const number = is_ipv6 ? static_cast<const void*>(&as_ipv6(address).sin6_addr)
                                       : static_cast<const void*>(&as_ipv4(address).sin_addr);
    ::inet_ntop(address.name.ss_family, number, text.data(), text.size());
    std::string host = text.data();
    // How a socket of both kinds shows who came over IPv4.
    constexpr std::string_view mapped = "::ffff:";
    return is_ipv6 && IN6_IS_ADDR_V4MAPPED(&as_ipv6(address).sin6_addr) ? host.substr(mapped.size()) : host;
}

base::Result<> set_option(const FileDescriptor& socket, int level, int option, int value, const char* what) {
    if (::setsockopt(socket.get(), level, option, &value, sizeof(value)) != 0) {
        return fail_with_errno(errno, what);
    }
    return {};
}

/// One that sends small messages at once; so do those that a listening one accepts.
base::Result<FileDescriptor> new_tcp_socket(int family) {
    auto socket = open_descriptor("open a TCP socket",
                                  [&] { return ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); });
    if (socket) {
        if (auto set = set_option(*socket, IPPROTO_TCP, TCP_NODELAY, 1, "set up a TCP socket"); !set) {
            return base::fail(std::move(set));
        }
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

base::Result<FileDescriptor> listen_at_address(const NetworkAddress& address, bool both_kinds) {
    auto socket = new_tcp_socket(address.name.ss_family);
    if (!socket) {
        return socket;
    }
    // A port whose last connections are still being forgotten is free.
    auto set = set_option(*socket, SOL_SOCKET, SO_REUSEADDR, 1, "set up a TCP socket");
    if (set && address.name.ss_family == AF_INET6) {
        set = set_option(*socket, IPPROTO_IPV6, IPV6_V6ONLY, both_kinds ? 0 : 1, "set up a TCP socket");
    }
    if (!set) {
        return base::fail(std::move(set));
    }
    if (::bind(socket->get(), generic(address), address.size) != 0 || ::listen(socket->get(), SOMAXCONN) != 0) {
        return cannot_listen(errno, address);
    }
    return socket;
}

tl::unexpected<base::Failure> cannot_connect(int error, const NetworkAddress& address) {
    if (error == ECONNREFUSED) {
        return base::fail(ErrorCode::not_found, "nobody listens at {}", to_string(address));
    }
    if (error == ETIMEDOUT) {
        return base::fail(ErrorCode::timeout, "{} does not answer", to_string(address));
    }
    return fail_with_errno(error, "connect to " + to_string(address));
}

}  // namespace

std::optional<NetworkAddress> network_address(const std::string& host, std::uint16_t port) {
    sockaddr_in ipv4{};
    if (::inet_pton(AF_INET, host.c_str(), &ipv4.sin_addr) == 1) {
        ipv4.sin_family = AF_INET;
        ipv4.sin_port = htons(port);
        return address_from(reinterpret_cast<const sockaddr*>(&ipv4));
    }
    sockaddr_in6 ipv6{};
    if (::inet_pton(AF_INET6, host.c_str(), &ipv6.sin6_addr) == 1) {
        ipv6.sin6_family = AF_INET6;
        ipv6.sin6_port = htons(port);
        return address_from(reinterpret_cast<const sockaddr*>(&ipv6));
    }
    return std::nullopt;
}

std::string to_string(const NetworkAddress& address) {
    const std::string host = host_of(address);
    // Both kinds have the port at the same place.
    const unsigned port = ntohs(as_ipv4(address).sin_port);
    return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
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
        const NetworkAddress address = address_from(each->ifa_addr);
        if (family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&as_ipv6(address).sin6_addr)) {
            continue;
        }
        ((each->ifa_flags & IFF_LOOPBACK) != 0 ? loopback : addresses).push_back(host_of(address));
    }
    addresses.insert(addresses.end(), loopback.begin(), loopback.end());
    return addresses;
}

base::Result<FileDescriptor> listen_at_port(const std::string& host, std::uint16_t port) {
    if (!host.empty()) {
        const auto address = network_address(host, port);
        if (!address) {
            return base::fail(ErrorCode::invalid_argument,
                              "cannot listen at '{}': give a number of this host's, or 0.0.0.0 or [::] for all", host);
        }
        return listen_at_address(*address, host == "::");
    }
    auto socket = listen_at_address(*network_address("::", port), true);
    // A kernel without IPv6.
    const bool is_taken = !socket && socket.error().code == ErrorCode::already_exists;
    return socket || is_taken ? std::move(socket) : listen_at_address(*network_address("0.0.0.0", port), false);
}

base::Result<std::uint16_t> port_of(const FileDescriptor& listener) {
    NetworkAddress address;
    address.size = sizeof(address.name);
    if (::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address.name), &address.size) != 0) {
        return fail_with_errno(errno, "ask for the port of a socket");
    }
    return ntohs(as_ipv4(address).sin_port);
}

base::Result<FileDescriptor> begin_connecting(const NetworkAddress& address) {
    auto socket = new_tcp_socket(address.name.ss_family);
    if (!socket) {
        return socket;
    }
    // Interrupted by a signal, it goes on all the same.
    if (::connect(socket->get(), generic(address), address.size) != 0 && errno != EINPROGRESS && errno != EINTR) {
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
    NetworkAddress address;
    address.size = sizeof(address.name);
    const bool known = ::getpeername(socket.get(), reinterpret_cast<sockaddr*>(&address.name), &address.size) == 0;
    return known ? to_string(address) : "";
}

base::Result<Silence> silence_of(const FileDescriptor& socket) {
    tcp_info info{};
    socklen_t size = sizeof(info);
    if (::getsockopt(socket.get(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) {
        return fail_with_errno(errno, "ask the kernel about a connection");
    }
    const auto seconds = [](std::uint32_t milliseconds) { return base::Seconds(milliseconds / 1000.0); };
    // A receiver that takes no more has acknowledged all that it was sent, and is asked from time to time whether it
    // takes more; of these questions one may be on its way.
    return Silence{seconds(info.tcpi_last_data_recv), seconds(info.tcpi_last_ack_recv),
                   info.tcpi_unacked > 0 || info.tcpi_probes > 1};
}

}  // namespace staithe::os
