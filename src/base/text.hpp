// Texts of others, and names as they go into messages: whoever chose a name must not get to write on the reader's
// terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <staithe/export.hpp>

namespace staithe::base {

/// Without the white space around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

[[nodiscard]] bool is_utf8(std::string_view text);

/// The text with everything that a terminal would act on, or show as nothing, escaped as C and Python write it: control
/// characters (newlines, too), characters that turn the direction of writing, and bytes that are no UTF-8.
[[nodiscard]] STAITHE_API std::string printable(std::string_view text);

/// For "it has …", when `wanted` is not among `names`: the ten that are closest to it, and how many more there are.
[[nodiscard]] STAITHE_API std::string closest(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace staithe::base
