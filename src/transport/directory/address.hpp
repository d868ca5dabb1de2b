// Where a process can be reached: at a socket's file in the run directory, or at a port of a host.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace staithe::transport {

class Address {
  public:
    struct SocketFile {
        std::string name;  // in the run directory
        auto operator<=>(const SocketFile&) const = default;
    };
    struct HostPort {
        std::string host;  // a name, or a number of IPv4 or IPv6
        std::uint16_t port = 0;
        auto operator<=>(const HostPort&) const = default;
    };

    explicit Address(SocketFile file) : place_(std::move(file)) {}
    explicit Address(HostPort place) : place_(std::move(place)) {}

    /// Of "4711.….socket", "node7:7000", "10.0.0.7:7000" or "[fe80::7]:7000". What it names lies in the run directory,
    /// whoever wrote the text.
    static base::Result<Address> parse(const std::string& text);

    /// nullptr if it is the other.
    [[nodiscard]] const SocketFile* socket_file() const { return std::get_if<SocketFile>(&place_); }
    [[nodiscard]] const HostPort* host_port() const { return std::get_if<HostPort>(&place_); }

    auto operator<=>(const Address&) const = default;

  private:
    std::variant<SocketFile, HostPort> place_;
};

/// As `parse` reads it.
std::string to_string(const Address& address);

/// Of "0.0.0.0:7700", "[::]:0" or ":0": a number of this host's, or none, and a port from 0 up.
base::Result<Address::HostPort> parse_place_to_listen(const std::string& text);

/// Of "node7:7700" or "node7:7700,node8:7700".
base::Result<std::vector<Address::HostPort>> parse_places(const std::string& text);

/// That one process tells of itself.
constexpr std::size_t most_addresses = 64;

}  // namespace staithe::transport
