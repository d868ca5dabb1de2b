// Where servers of this user are found.
#pragma once

#include <string>

#include "base/result.hpp"

namespace staithe::server {

/// `invalid_argument` if the environment is mistyped.
base::Result<std::string> run_directory_of_servers();

}  // namespace staithe::server
