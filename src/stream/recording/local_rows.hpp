// Local arrays of several ranks, as files have them: the rows of all ranks one after another in one array, and beside
// it an array of how many each rank has: a contiguous ragged array, as the CF conventions call it (section 9.3.3).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <staithe/reader.hpp>

#include "format/recording.hpp"

namespace staithe::stream {

/// Of the array of how many: the name of the other one, and whether its rows are numbers without dimensions.
inline constexpr const char* rows_of_attribute = "staithe_rows_of";
inline constexpr const char* scalars_attribute = "staithe_scalars";
inline constexpr std::int64_t no_rows = -1;

/// Of the array that says how many rows of the variable each rank has.
[[nodiscard]] std::string rows_name(const std::string& variable);

/// All rows; `held` keeps them. Raises what cannot lie together.
[[nodiscard]] format::ArrayToStore rows_together(const Variable& variable, std::vector<View>& held);
/// How many each of so many ranks has; `no_rows` of one that has put nothing.
[[nodiscard]] format::ArrayToStore rows_of_ranks(const Variable& variable, int ranks, std::vector<View>& held);

}  // namespace staithe::stream
