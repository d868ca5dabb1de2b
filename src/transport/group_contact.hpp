// How the ranks of a group on several hosts find rank 0: where it listens, and a key, told by the way that the group
// has anyway (MPI). Neither a directory that the hosts share nor a setting is needed.
//
// A process keeps what it was told until it ends. Thread-safe; a forked child knows nothing of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "os/process_identity.hpp"
#include "transport/directory/address.hpp"
#include "transport/key.hpp"
#include "transport/link.hpp"

namespace staithe::transport {

struct GroupContact {
    std::shared_ptr<const Key> key;
    Peer peer;
    os::ProcessIdentity process;
    std::vector<Address::HostPort> addresses;

    /// `protocol` if the text is not as `to_text` makes it.
    static base::Result<GroupContact> parse(const std::string& text);
};

/// Line 1: the key; then what a contact file would hold.
[[nodiscard]] std::string to_text(const GroupContact& contact);

/// Of this process, at whichever of STAITHE_LISTEN or any free port it can: it listens from now on until it ends. Empty
/// if STAITHE_LISTEN is "off".
base::Result<std::string> tell_group(const std::string& run_directory);
/// What `tell_group` gave in the process of rank 0.
base::Result<> take_from_group(const std::string& text);

/// The ranks 0 that this process was told of.
[[nodiscard]] std::vector<GroupContact> told_by_groups();
/// That for processes of other hosts, if this one was told one; the last. Else nullptr.
[[nodiscard]] std::shared_ptr<const Key> key_of_groups();

}  // namespace staithe::transport
