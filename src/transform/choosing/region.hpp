// What is known of a part of an array before it is coded: how a few of its values are, coded the fastest way.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include <staithe/transform.hpp>

#include "transform/scratch.hpp"

namespace staithe::transform {

struct Region {
    std::int64_t bytes = 0;
    double share = 0.5;  // of its bytes that a sample of them took, coded; where nobody looked, the same for all
};

/// Looks at about a twenty-fifth of the values: at boxes of neighbours from all over the array. Bounds other than
/// absolute ones are as good as exact. An array of few values is not looked at: that would take as long as coding it.
[[nodiscard]] Region look_at(const ArrayView& array, const codecs::Bound& bound, std::optional<double> fill,
                             Scratch& scratch);

/// What was seen of regions that come again, as those of a variable do step after step: so a look serves several times.
class SeenRegions {
  public:
    using Place = std::pair<std::int64_t, std::int64_t>;  // where it begins, and how large the whole is

    /// Nothing where it is time to look.
    std::optional<Region> recall(const Place& place, std::int64_t bytes) {
        const auto found = seen_.find(place);
        if (found == seen_.end() || found->second.region.bytes != bytes || found->second.left == 0) {
            return std::nullopt;
        }
        --found->second.left;
        return found->second.region;
    }
    void keep(const Place& place, const Region& region) {
        if (seen_.size() >= most_places) {
            seen_.clear();
        }
        seen_[place] = {region, times};
    }

  private:
    static constexpr int times = 3;  // besides the one at which it was looked at
    static constexpr std::size_t most_places = 1024;
    struct Seen {
        Region region;
        int left = 0;
    };
    std::map<Place, Seen> seen_;
};

}  // namespace staithe::transform
