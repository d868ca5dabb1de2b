// Who keeps a space that a program opens.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <staithe/group.hpp>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "space/keeper.hpp"

namespace staithe::space {

/// The server of that name, or those that have it together; or, if nothing is said, what can be found; "", or none is
/// found: this process.
base::Result<std::shared_ptr<Keeper>> open_keeper(const std::string& space, const std::optional<std::string>& server,
                                                  const base::Deadline& deadline);

/// This process, or its rank of the group, as others are told who has put something.
[[nodiscard]] std::string own_name(const Group& group);

}  // namespace staithe::space
