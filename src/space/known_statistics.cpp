#include "space/known_statistics.hpp"

#include <algorithm>

namespace staithe::space {

bool are_same(const Parts& a, const Parts& b) { return a == b || *a == *b; }

Parts KnownStatistics::parts_of(const Listed& version) const {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(key_of(version));
    return known == known_.end() ? nullptr : known->second.all;
}

void KnownStatistics::keep(const Listed& version, const Parts& all) {
    const std::lock_guard lock(mutex_);
    make_room(all->size());
    known_[key_of(version)].all = all;
}

std::shared_ptr<const PartStatistics> KnownStatistics::find(const Listed& version, const Parts& parts) const {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(key_of(version)); known != known_.end()) {
        for (const Way& way : known->second.ways) {
            if (are_same(way.parts, parts)) {
                return way.statistics;
            }
        }
    }
    return std::make_shared<const PartStatistics>(parts->size());
}

void KnownStatistics::keep(const Listed& version, const Parts& parts,
                           std::shared_ptr<const PartStatistics> statistics) {
    const std::lock_guard lock(mutex_);
    auto& ways = known_[key_of(version)].ways;
    const auto same = std::ranges::find_if(ways, [&](const Way& way) { return are_same(way.parts, parts); });
    if (same != ways.end()) {
        same->statistics = std::move(statistics);
        return;
    }
    make_room(parts->size());
    known_[key_of(version)].ways.push_back({parts, std::move(statistics)});
}

void KnownStatistics::make_room(std::size_t parts) {
    if (remembered_ + parts > most_parts) {
        known_.clear();
        remembered_ = 0;
    }
    remembered_ += parts;
}

}  // namespace staithe::space
