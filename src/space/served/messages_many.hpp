// Many small blocks in one message: what they have in common is said once, and of each where it lies.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "space/keeper.hpp"

namespace staithe::space {

/// So many are put at once, at most.
inline constexpr std::size_t most_blocks_at_once = 4096;

Attributes encode(std::span<const Parcel> parcels);
/// Who puts them the server knows, and where they lie.
base::Result<std::vector<store::space::Put>> decode_puts(const Attributes& body);

/// As which versions they were put, or why not.
List encode(std::span<const base::Result<std::int64_t>> results);
base::Result<std::vector<base::Result<std::int64_t>>> decode_results(const Attributes& body, std::size_t expected);

/// What is looked for: so many at once, at most, as blocks that are put.
Attributes encode(std::span<const store::space::Wanted> wanted);
base::Result<std::vector<store::space::Wanted>> decode_wanted_many(const Attributes& body);

/// What was found of many, with its bytes: `enclosed_bytes` of each. None: it has to be looked for alone.
using FoundOrNot = std::optional<base::Result<Found>>;
Attributes encode(std::span<const FoundOrNot> found);
/// Their refs say where in the enclosed bytes they lie.
base::Result<std::vector<FoundOrNot>> decode_found_many(const Attributes& body, std::size_t expected);

}  // namespace staithe::space
