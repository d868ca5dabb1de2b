// Which server is meant: by its name, by the address at which it listens, or because there is only one. Several that
// keep spaces together (member_name.hpp) are one: it does not matter which of them is found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "space/member_name.hpp"
#include "transport/directory/entry.hpp"

namespace staithe::space {

/// By name in the run directory and at the addresses of STAITHE_ADDRESS; by address, "node7:7700" or
/// "staithe://node7:7700/name"; or, if nothing is said, the only one there is. Nothing if there is none. Who listens at
/// an address may start later: it is waited for.
base::Result<std::optional<transport::Entry>> find_server(const std::optional<std::string>& server,
                                                          const base::Deadline& deadline);
/// Those that keep spaces together with that one, by rank, as far as they can be found now: as `server` says, once it
/// was found there.
base::Result<std::vector<std::optional<transport::Entry>>> find_members(const Member& one,
                                                                        const std::optional<std::string>& server,
                                                                        const base::Deadline& deadline);
/// Where it looks for one of that name, for messages: a server is to be started there.
[[nodiscard]] std::string where_servers_are();
/// All that can be found now: in the run directory and at STAITHE_ADDRESS, or at these addresses alone.
base::Result<std::vector<transport::Entry>> list_servers(const std::optional<std::string>& addresses,
                                                         const base::Deadline& deadline);

}  // namespace staithe::space
