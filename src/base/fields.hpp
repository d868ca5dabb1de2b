// Fields of a message from another process.
#pragma once

#include <cstdint>
#include <string>

#include <staithe/value.hpp>

#include "base/result.hpp"

namespace staithe::base {

/// `protocol` if it is missing, of another kind, or out of range.
Result<std::int64_t> integer_field(const Attributes& body, const std::string& name, std::int64_t least,
                                   std::int64_t most);
/// `protocol` if it is missing, or no text.
Result<std::string> text_field(const Attributes& body, const std::string& name);
/// nullptr if it is missing, or no list.
const List* list_field(const Attributes& body, const std::string& name);
/// nullptr if it is missing, or no map.
const Attributes* map_field(const Attributes& body, const std::string& name);
/// False if it is missing, or something else.
bool flag_field(const Attributes& body, const std::string& name);

}  // namespace staithe::base
