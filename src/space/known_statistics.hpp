// What is known of versions that queries have looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <staithe/box.hpp>

#include "space/keeper.hpp"
#include "store/space/statistics.hpp"

namespace staithe::space {

/// Disjoint parts of a version, small enough to be looked at at once, in the order of their offsets.
using Parts = std::shared_ptr<const std::vector<Box>>;
/// Of each part, in the same order; nothing: it was not looked at yet.
using PartStatistics = std::vector<std::optional<store::space::Statistics>>;

[[nodiscard]] bool are_same(const Parts& a, const Parts& b);

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

}  // namespace staithe::space
