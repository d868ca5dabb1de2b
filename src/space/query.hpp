// Where in a version a condition holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "space/keeper.hpp"
#include "space/known_statistics.hpp"
#include "store/space/condition.hpp"
#include "store/space/predicate.hpp"

namespace staithe::space {

struct QueryResult {
    std::int64_t version = 0;
    std::vector<std::string> variables;     // that the condition names
    std::vector<std::int64_t> completions;  // of their versions
    std::vector<Box> boxes;                 // whose elements all match, and no others do; each element is in one
    std::int64_t elements = 0;              // that match, those beyond `most` boxes included
};

/// Where the condition of that text holds, in one version that all its variables have: `version`, or the newest that is
/// complete. At most `most` boxes, the first ones. `not_found` for names that are neither variables nor attributes and
/// versions that are not there, `invalid_argument` for conditions that cannot be meant, or variables of several shapes.
base::Result<QueryResult> query(Keeper& keeper, KnownStatistics& known, const std::string& text,
                                std::optional<std::int64_t> version, std::size_t most);

}  // namespace staithe::space
