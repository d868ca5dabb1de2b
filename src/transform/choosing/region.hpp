// What is known of a part of an array before it is coded: how a few of its values are, coded the fastest way.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
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

    /// How a way did there of late, over what its model says of any region like it: what a sample does not show, and
    /// what goes on each time that it is this one's turn.
    struct Lately {
        std::size_t way = 0;
        double seconds = 1.0;
        double coded = 1.0;
    };
    std::optional<Lately> lately{};
};

/// Looks at about a twenty-fifth of the values: at boxes of neighbours from all over the array. Bounds other than
/// absolute ones are as good as exact. An array of few values is not looked at: that would take as long as coding it.
[[nodiscard]] Region look_at(const ArrayView& array, const codecs::Bound& bound, std::optional<double> fill,
                             Scratch& scratch);

/// What was seen of regions that come again, as those of a variable do step after step: so a look serves several times,
/// and more of them each time that it finds what the last one found.
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
    /// Returns it with what is known of the place.
    Region keep(const Place& place, const Region& region) {
        if (seen_.size() >= most_places) {
            seen_.clear();
        }
        Seen& seen = seen_[place];
        const bool is_as_before = seen.region.bytes == region.bytes && are_alike(seen.region.share, region.share);
        seen.times = is_as_before ? std::min(2 * seen.times + 1, most_times) : times;
        seen.left = seen.times;
        seen.region.bytes = region.bytes;
        seen.region.share = region.share;
        return seen.region;
    }
    /// So many bytes came of it: other than of the last one that went the same way, and it is time to look.
    void came(const Place& place, std::int64_t coded, const Region::Lately& lately) {
        if (const auto found = seen_.find(place); found != seen_.end()) {
            Seen& seen = found->second;
            const auto& last = seen.region.lately;
            if (last && last->way == lately.way &&
                !are_alike(static_cast<double>(seen.coded), static_cast<double>(coded))) {
                seen.left = 0;
            }
            seen.coded = coded;
            seen.region.lately = lately;
        }
    }

  private:
    static constexpr int times = 3;  // besides the one at which it was looked at
    static constexpr int most_times = 15;
    [[nodiscard]] static bool are_alike(double one, double other) {
        return std::abs(one - other) <= 0.125 * std::max(one, other);
    }
    static constexpr std::size_t most_places = 1024;
    struct Seen {
        Region region;
        int times = 0;  // that the last look serves,
        int left = 0;   // and is still to
        std::int64_t coded = 0;
    };
    std::map<Place, Seen> seen_;
};

}  // namespace staithe::transform
