// Where in a version a condition holds.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "space/keeper.hpp"
#include "store/space/condition.hpp"
#include "store/space/predicate.hpp"

namespace staithe::space {

/// What is known of parts that were looked at before, so that those in which nothing can match are not looked at again.
/// Thread-safe.
class KnownStatistics {
  public:
    /// Of that part of a version.
    [[nodiscard]] std::optional<store::space::Statistics> find(const Found& found, const Box& part) const;
    void keep(const Found& found, const Box& part, const store::space::Statistics& statistics);

  private:
    /// Some 200 MB: beyond that all is forgotten.
    static constexpr std::size_t most = 1'000'000;

    /// The variable, the version's serial number, and the part.
    using Key = std::pair<std::pair<std::string, std::int64_t>, std::vector<std::int64_t>>;
    static Key key_of(const Found& found, const Box& part);

    mutable std::mutex mutex_;
    std::map<Key, store::space::Statistics> known_;
};

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
