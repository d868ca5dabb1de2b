// Patterns of names: * stands for any text, ? for one letter.
#pragma once

#include <string_view>

namespace staithe::store::space {

/// Takes as long as both are, whatever the pattern.
[[nodiscard]] bool fits_pattern(std::string_view name, std::string_view pattern);

}  // namespace staithe::store::space
