// A thing by the addresses of those who know of it: "staithe://node7:7700/melt", in place of its name.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"

namespace staithe::transport {

struct Url {
    std::string addresses;  // "node7:7700", or several with commas between them
    std::string name;
};

/// Nothing if the text is a name.
base::Result<std::optional<Url>> parse_url(const std::string& text);

/// The name that is meant. Where a URL gives it, its addresses become `addresses`, which must not be given then.
base::Result<std::string> name_in(const std::string& name_or_url, std::optional<std::string>& addresses);

}  // namespace staithe::transport
