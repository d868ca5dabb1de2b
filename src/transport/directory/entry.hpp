// What the directory says of one thing: what it is called, who has it, and where that process can be reached.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "os/process_identity.hpp"
#include "transport/directory/address.hpp"
#include "transport/link.hpp"

namespace staithe::transport {

/// Each has names of its own: a stream and a space may be called alike.
enum class Kind : std::uint8_t { stream, space, server, lease, device };

/// "stream", as in names of files and in messages.
[[nodiscard]] std::string to_string(Kind kind);
[[nodiscard]] std::optional<Kind> kind_of(const std::string& text);

struct Entry {
    Kind kind{};
    std::string name;
    std::vector<Address> addresses;  // its socket first
    Peer peer;                       // who has published it
    os::ProcessIdentity process;
    std::string machine = {};  // of its host, from boot to boot; empty if it cannot be told
    os::Life life = os::Life::alive;
    std::string told_by = {};  // the process that told of it; empty: the run directory

    /// "stream 'melt'".
    [[nodiscard]] std::string title() const;
    /// The name of its socket in the run directory.
    [[nodiscard]] const std::string& socket() const { return addresses.front().socket_file()->name; }
    /// Whether its process runs on this host, as far as can be told: under this kernel, since it was booted.
    [[nodiscard]] bool is_here() const { return process.boot == os::this_process().boot; }
    /// Where it listens for processes of other hosts.
    [[nodiscard]] std::vector<Address::HostPort> ports() const;
};

[[nodiscard]] std::string own_machine();
/// Of this process.
[[nodiscard]] Entry own_entry(Kind kind, const std::string& name, std::vector<Address> addresses, Peer self);

/// Names are parts of names of files: letters, digits, '.', '_' and '-'.
base::Result<> check_name(Kind kind, const std::string& name);

/// The content of a contact file: docs/formats/contact_file.md.
[[nodiscard]] std::string to_json(const Entry& entry);
/// `path`, for messages; the file must be of this kind and name.
base::Result<Entry> entry_from_json(const std::string& path, Kind kind, const std::string& name,
                                    const std::string& content);

}  // namespace staithe::transport
