// How much room this process has for connections, and for whom the last of it is kept.
//
// A member of another host has a connection for its link, one for its channel, and one for blocks now and then. Who has
// the first gets the others: so some descriptors are kept for channels, and of these some for blocks, of which the
// connections are closed after each fetch once there are few left.
#pragma once

#include <cstdint>

#include "base/result.hpp"

namespace staithe::transport {

/// Whether one more process may be connected; one more member of another host; `limit_reached` if not. Connections of
/// so many strangers do not count.
base::Result<> check_room_for_link(std::int64_t strangers);
base::Result<> check_room_for_channel(std::int64_t strangers);

/// Whether one more stranger leaves half of what is kept for blocks to those that are connected, or is one of a few;
/// `limit_reached` if not.
base::Result<> check_room_for_stranger(std::int64_t strangers);

/// Whether connections that are not used for now had better be others'.
bool are_connections_scarce();

}  // namespace staithe::transport
