// What is known for each kind of offer. Of more kinds than there is room for, what nobody asked for the longest time
// makes place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "store/remote/messages.hpp"

namespace staithe::store::remote {

template <class Known>
class ByOffer {
  public:
    /// As many as large programs have variables; who makes up ever more of them fills no memory.
    static constexpr std::size_t most = 1024;

    struct Entry {
        Offer offer;
        Known known;
        std::uint64_t used = 0;
    };

    [[nodiscard]] Entry* find(const Offer& offer) {
        const auto [begin, end] = entries_.equal_range(offer.variable);
        const auto alike =
            std::find_if(begin, end, [&](const auto& each) { return are_alike(each.second.offer, offer); });
        if (alike == end) {
            return nullptr;
        }
        alike->second.used = ++uses_;
        return &alike->second;
    }
    struct Added {
        Entry& entry;
        std::optional<Entry> oldest;  // that made place
    };
    /// For an offer that there is nothing of.
    Added add(const Offer& offer, Known known) {
        std::optional<Entry> oldest;
        if (entries_.size() >= most) {
            const auto found =
                std::ranges::min_element(entries_, {}, [](const auto& each) { return each.second.used; });
            oldest = std::move(found->second);
            entries_.erase(found);
        }
        const auto added = entries_.emplace(offer.variable, Entry{offer, std::move(known), ++uses_});
        return {added->second, std::move(oldest)};
    }

    [[nodiscard]] auto begin() const { return entries_.begin(); }
    [[nodiscard]] auto end() const { return entries_.end(); }

  private:
    std::multimap<std::string, Entry> entries_;  // by their variables
    std::uint64_t uses_ = 0;
};

}  // namespace staithe::store::remote
