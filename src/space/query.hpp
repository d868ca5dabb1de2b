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

/// Disjoint parts of a version, small enough to be looked at at once, in the order of their offsets.
using Parts = std::shared_ptr<const std::vector<Box>>;
/// Of each part, in the same order; nothing: it was not looked at yet.
using PartStatistics = std::vector<std::optional<store::space::Statistics>>;

/// What is known of versions that were looked at before, which do not change once they are complete: they are parted
/// once, and parts in which nothing can match are not looked at again. Thread-safe.
class KnownStatistics {
  public:
    /// All that was put of it; null if that is not known.
    [[nodiscard]] Parts parts_of(const Listed& version) const;
    void keep(const Listed& version, const Parts& all);
    [[nodiscard]] std::shared_ptr<const PartStatistics> find(const Listed& version, const Parts& parts) const;
    void keep(const Listed& version, const Parts& parts, std::shared_ptr<const PartStatistics> statistics);

  private:
    /// Some 200 MB: beyond that all is forgotten.
    static constexpr std::size_t most_parts = 1'000'000;

    struct Way {
        Parts parts;
        std::shared_ptr<const PartStatistics> statistics;
    };
    struct Version {
        Parts all;
        std::vector<Way> ways;  // conditions on several variables look at what all of them have
    };
    using Key = std::pair<std::string, std::int64_t>;  // the variable, and the version's serial number
    static Key key_of(const Listed& version) { return {version.whole.variable, version.serial}; }
    /// Before as many are remembered anew.
    void make_room(std::size_t parts);

    mutable std::mutex mutex_;
    std::map<Key, Version> known_;
    std::size_t remembered_ = 0;  // parts
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
