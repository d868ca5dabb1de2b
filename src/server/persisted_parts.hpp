// The folder of what outlives servers that keep spaces together: the part of each of them, dealt out anew when there
// are more or fewer of them than before.
#pragma once

#include <string>

#include "base/result.hpp"
#include "space/member_name.hpp"

namespace staithe::server {

/// Where that server has its log, in the folder that all of them were given. What servers of another number have left
/// there is theirs from now on: whoever comes first deals it out, the others wait for that. `already_exists` if one of
/// the former still runs. A crash leaves the old parts or the new ones, and the next start the rest.
base::Result<std::string> part_of(const std::string& folder, const space::Member& member);

}  // namespace staithe::server
