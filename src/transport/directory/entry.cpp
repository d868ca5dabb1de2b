#include "transport/directory/entry.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <sodium.h>

#include "base/value_codec.hpp"
#include "os/files.hpp"

namespace staithe::transport {
namespace {

constexpr std::int64_t contact_format = 3;
constexpr std::size_t longest_name = 128;

std::int64_t number_of(const Attributes& fields, const std::string& name) {
    const Value* value = find(fields, name);
    return value == nullptr ? -1 : value->as_int().value_or(-1);
}

/// Empty if they are not as they must be: the name of a socket, then ports of hosts.
std::vector<Address> addresses_in(const Attributes& fields) {
    const Value* value = find(fields, "addresses");
    const List* list = value == nullptr ? nullptr : value->as_list();
    std::vector<Address> addresses;
    if (list == nullptr || list->size() > most_addresses) {
        return addresses;
    }
    for (const Value& each : *list) {
        const std::string* text = each.as_string();
        auto address = Address::parse(text == nullptr ? "" : *text);
        if (!address || (address->socket_file() != nullptr) != addresses.empty()) {
            return {};
        }
        addresses.push_back(*std::move(address));
    }
    return addresses;
}

}  // namespace

std::string to_string(Kind kind) {
    switch (kind) {
        case Kind::stream: return "stream";
        case Kind::space: return "space";
        case Kind::server: return "server";
        case Kind::lease: return "lease";
        case Kind::device: break;
    }
    return "device";
}

std::optional<Kind> kind_of(const std::string& text) {
    for (const Kind kind : {Kind::stream, Kind::space, Kind::server, Kind::lease, Kind::device}) {
        if (to_string(kind) == text) {
            return kind;
        }
    }
    return std::nullopt;
}

std::string Entry::title() const { return fmt::format("{} '{}'", to_string(kind), name); }

std::vector<Address::HostPort> Entry::ports() const {
    std::vector<Address::HostPort> ports;
    for (const Address& address : addresses) {
        if (const auto* place = address.host_port()) {
            ports.push_back(*place);
        }
    }
    return ports;
}

std::string own_machine() {
    // A hash, since what /etc/machine-id says is not for others to know.
    constexpr std::string_view purpose = "staithe contacts";
    static_assert(purpose.size() >= crypto_generichash_KEYBYTES_MIN);
    const auto id = os::read_file("/etc/machine-id", 256);
    if (!id || id->size() <= 1) {
        return "";
    }
    std::array<unsigned char, crypto_generichash_BYTES_MIN> hash{};
    crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(id->data()), id->size(),
                       reinterpret_cast<const unsigned char*>(purpose.data()), purpose.size());
    std::string text(2 * hash.size() + 1, '\0');
    sodium_bin2hex(text.data(), text.size(), hash.data(), hash.size());
    text.pop_back();
    return text;
}

Entry own_entry(Kind kind, const std::string& name, std::vector<Address> addresses, Peer self) {
    return {kind, name, std::move(addresses), std::move(self), os::this_process(), own_machine()};
}

base::Result<> check_name(Kind kind, const std::string& name) {
    const auto allowed = [](unsigned char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
               c == '-';
    };
    if (name.empty() || name.size() > longest_name || name.front() == '.' ||
        !std::all_of(name.begin(), name.end(), allowed)) {
        return base::fail(ErrorCode::invalid_argument,
                          "'{}' is no {} name: use 1 to {} letters, digits, '.', '_' and '-', not '.' first", name,
                          to_string(kind), longest_name);
    }
    return {};
}

std::string to_json(const Entry& entry) {
    std::vector<std::string> texts;
    for (const Address& address : entry.addresses) {
        texts.push_back(to_string(address));
    }
    return base::to_json(Attributes{{"format", contact_format},
                                    {"kind", to_string(entry.kind)},
                                    {"name", entry.name},
                                    {"addresses", List(texts.begin(), texts.end())},
                                    {"program", entry.peer.program},
                                    {"version", entry.peer.version},
                                    {"host", entry.peer.host},
                                    {"machine", entry.machine},
                                    {"boot", entry.process.boot},
                                    {"pid_namespace", entry.process.pid_namespace},
                                    {"pid", entry.process.pid},
                                    {"start_time", entry.process.start_time}},
                         2) +
           "\n";
}

base::Result<Entry> entry_from_json(const std::string& path, Kind kind, const std::string& name,
                                    const std::string& content) {
    const auto parsed = base::from_json(content);
    const Attributes* fields = parsed ? parsed->as_map() : nullptr;
    if (fields == nullptr) {
        return base::fail(ErrorCode::protocol, "{} is not a contact file: remove it", path);
    }
    if (number_of(*fields, "format") != contact_format) {
        return base::fail(ErrorCode::protocol,
                          "{} was written by another version of Staithe: use one version on both sides", path);
    }
    auto addresses = addresses_in(*fields);
    const std::int64_t pid = number_of(*fields, "pid");
    const std::int64_t start_time = number_of(*fields, "start_time");
    const std::int64_t pid_namespace = number_of(*fields, "pid_namespace");
    const Peer peer{text_of(*fields, "program"), text_of(*fields, "host"), static_cast<int>(pid),
                    text_of(*fields, "version")};
    const os::ProcessIdentity process{text_of(*fields, "boot"), static_cast<std::uint64_t>(pid_namespace),
                                      static_cast<int>(pid), static_cast<std::uint64_t>(start_time)};
    if (addresses.empty() || text_of(*fields, "kind") != to_string(kind) || text_of(*fields, "name") != name ||
        peer.program.empty() || peer.host.empty() || process.boot.empty() || pid <= 0 || pid > INT32_MAX ||
        start_time <= 0 || pid_namespace < 0) {
        return base::fail(ErrorCode::protocol, "{} is not a whole contact file: remove it", path);
    }
    return Entry{kind, name, std::move(addresses), peer, process, text_of(*fields, "machine")};
}

}  // namespace staithe::transport
