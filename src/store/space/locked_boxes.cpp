#include "store/space/locked_boxes.hpp"

#include <limits>

namespace staithe::store::space {

bool meet(const Box& a, const Box& b) {
    if (is_empty(a) || is_empty(b)) {
        return false;
    }
    for (std::size_t d = 0; d < std::min(a.dimensions(), b.dimensions()); ++d) {
        if (a.offset[d] >= b.offset[d] + b.count[d] || b.offset[d] >= a.offset[d] + a.count[d]) {
            return false;
        }
    }
    return true;
}

bool is_within(const Box& outer, const Box& inner) {
    if (is_empty(inner)) {
        return true;
    }
    if (inner.dimensions() < outer.dimensions()) {
        return false;
    }
    for (std::size_t d = 0; d < outer.dimensions(); ++d) {
        if (inner.offset[d] < outer.offset[d] || inner.offset[d] + inner.count[d] > outer.offset[d] + outer.count[d]) {
            return false;
        }
    }
    return true;
}

void LockedBoxes::add(std::int64_t number, const Box& box, Lock* lock) {
    if (is_empty(box)) {
        return;
    }
    constexpr Range everything{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
    while (ranges_.size() < box.dimensions()) {
        ranges_.emplace_back(entries_.size(), everything);
    }
    for (std::size_t d = 0; d < ranges_.size(); ++d) {
        ranges_[d].push_back(d < box.dimensions() ? Range{box.offset[d], box.offset[d] + box.count[d]} : everything);
    }
    entries_.push_back({number, lock});
}

void LockedBoxes::remove(std::int64_t number) {
    const auto found = std::lower_bound(entries_.begin(), entries_.end(), number,
                                        [](const Entry& entry, std::int64_t wanted) { return entry.number < wanted; });
    if (found == entries_.end() || found->number != number) {
        return;  // it has no elements
    }
    found->lock = nullptr;
    if (++removed_ > entries_.size() / 4) {
        forget_removed();
    }
}

void LockedBoxes::forget_removed() {
    std::size_t left = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (entries_[i].lock != nullptr) {
            for (auto& ranges : ranges_) {
                ranges[left] = ranges[i];
            }
            entries_[left++] = entries_[i];
        }
    }
    entries_.resize(left);
    for (auto& ranges : ranges_) {
        ranges.resize(left);
    }
    removed_ = 0;
}

}  // namespace staithe::store::space
