#include "transport/directory/address.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

#include <asio/ip/address.hpp>

namespace staithe::transport {
namespace {

constexpr std::string_view socket_suffix = ".socket";
constexpr std::size_t longest_host = 253, longest_label = 63;  // RFC 1035

bool is_letter_or_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_label(std::string_view label) {
    return !label.empty() && label.size() <= longest_label && is_letter_or_digit(label.front()) &&
           is_letter_or_digit(label.back()) &&
           std::all_of(label.begin(), label.end(), [](char c) { return is_letter_or_digit(c) || c == '-'; });
}

/// One whose last part is a number is no name: it would be taken for a number of IPv4.
bool is_host_name(std::string_view host) {
    if (host.size() > longest_host) {
        return false;
    }
    for (;;) {
        const auto dot = host.find('.');
        const std::string_view label = host.substr(0, dot);
        if (!is_label(label)) {
            return false;
        }
        if (dot == std::string_view::npos) {
            return !std::all_of(label.begin(), label.end(), [](char c) { return c >= '0' && c <= '9'; });
        }
        host.remove_prefix(dot + 1);
    }
}

/// In the one way of writing it, if it is a host.
std::optional<std::string> checked_host(const std::string& host, bool in_brackets) {
    asio::error_code error;
    if (in_brackets) {
        const auto number = asio::ip::make_address_v6(host, error);
        return error ? std::nullopt : std::optional(number.to_string());
    }
    const auto number = asio::ip::make_address_v4(host, error);
    if (!error) {
        return number.to_string();
    }
    return is_host_name(host) ? std::optional(host) : std::nullopt;
}

std::optional<std::uint16_t> checked_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(port) : std::nullopt;
}

struct Parts {
    std::string host;
    bool in_brackets = false;
    std::optional<std::uint16_t> port;
};

/// At the last colon.
std::optional<Parts> split(const std::string& text) {
    const auto colon = text.rfind(':');
    if (colon == std::string::npos) {
        return std::nullopt;
    }
    const bool in_brackets = colon >= 2 && text.front() == '[' && text[colon - 1] == ']';
    return Parts{in_brackets ? text.substr(1, colon - 2) : text.substr(0, colon), in_brackets,
                 checked_port(std::string_view(text).substr(colon + 1))};
}

}  // namespace

base::Result<Address> Address::parse(const std::string& text) {
    if (text.ends_with(socket_suffix) && text.find('/') == std::string::npos && text.find('\0') == std::string::npos) {
        return Address(SocketFile{text});
    }
    if (const auto parts = split(text); parts && parts->port.value_or(0) != 0) {
        if (auto host = checked_host(parts->host, parts->in_brackets)) {
            return Address(HostPort{*std::move(host), *parts->port});
        }
    }
    return base::fail(ErrorCode::invalid_argument,
                      "'{}' is no address: use host:port, with a number of IPv6 in brackets, as in [fe80::7]:7000, or "
                      "the name of a socket in the run directory, which ends with {}",
                      text, socket_suffix);
}

std::string to_string(const Address& address) {
    if (const auto* file = address.socket_file()) {
        return file->name;
    }
    const auto& [host, port] = *address.host_port();
    return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

base::Result<Address::HostPort> parse_place_to_listen(const std::string& text) {
    if (const auto parts = split(text); parts && parts->port) {
        auto host = parts->host.empty() && !parts->in_brackets ? std::optional<std::string>("")
                                                               : checked_host(parts->host, parts->in_brackets);
        if (host && !is_host_name(*host)) {
            return Address::HostPort{*std::move(host), *parts->port};
        }
    }
    return base::fail(ErrorCode::invalid_argument,
                      "'{}' is no place to listen at: give a number of this host's and a port, such as 0.0.0.0:7700, "
                      "[::]:7700 or 10.0.0.7:7700, :0 for all addresses and any port that is free, or off",
                      text);
}

base::Result<std::vector<Address::HostPort>> parse_places(const std::string& text) {
    std::vector<Address::HostPort> places;
    std::istringstream each_in(text);
    for (std::string each; std::getline(each_in, each, ',');) {
        const auto address = Address::parse(each);
        if (!address || address->host_port() == nullptr) {
            places.clear();
            break;
        }
        places.push_back(*address->host_port());
    }
    if (places.empty() || places.size() > most_addresses) {
        return base::fail(ErrorCode::invalid_argument,
                          "'{}' gives no address of a process: use host:port, with a number of IPv6 in brackets, as in "
                          "node7:7700 or [fe80::7]:7700, and commas between several, {} at most",
                          text, most_addresses);
    }
    return places;
}

}  // namespace staithe::transport
