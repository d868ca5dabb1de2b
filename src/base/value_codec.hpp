// Values as bytes: CBOR between processes, JSON for people and environment variables.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"

namespace staithe::base {

/// Maps and lists inside each other. Bounded, so that a peer's bytes cannot exhaust the stack of who reads them.
inline constexpr std::size_t max_value_depth = 16;

/// Whether a peer would take this value: nested at most `max_value_depth` deep, all text UTF-8. Checked where a program
/// hands attributes over, so that the mistake is reported to the one who made it.
Result<> check(const Value& value);

/// Every value survives, NaN and infinities included.
std::vector<std::byte> to_cbor(const Value& value);
/// The same after what is there already.
void to_cbor(const Value& value, std::vector<std::byte>& bytes);
/// Of a map that is no value yet.
void to_cbor(const Attributes& map, std::vector<std::byte>& bytes);

/// Untrusted input: fails with `protocol` on anything that is not exactly one value that `check` passes.
Result<Value> from_cbor(std::span<const std::byte> bytes);

using staithe::to_json;  // which users have, too

/// Fails with `invalid_argument`, and says where the text is wrong.
Result<Value> from_json(std::string_view text);

/// As other programs write it, too: NaN, Infinity and -Infinity, which JSON does not have but Python's writes, and
/// integers that no Value holds, become texts. Attributes may have the metadata of a file around them.
Result<Value> from_json_of_others(std::string_view text);

}  // namespace staithe::base
