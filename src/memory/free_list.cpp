#include "memory/free_list.hpp"

#include <iterator>

namespace staithe::memory {

void FreeList::insert(Range range) {
    by_offset_.emplace(range.offset, range.length);
    by_size_.emplace(range.length, range.offset);
    free_bytes_ += range.length;
}

void FreeList::erase(std::map<std::int64_t, std::int64_t>::iterator at) {
    free_bytes_ -= at->second;
    by_size_.erase({at->second, at->first});
    by_offset_.erase(at);
}

void FreeList::add_extent(Range extent) {
    extents_.emplace(extent.offset, extent.length);
    insert(extent);
}

std::optional<Range> FreeList::take(std::int64_t length) {
    const auto fit = by_size_.lower_bound({length, 0});
    if (fit == by_size_.end()) {
        return std::nullopt;
    }
    const Range found{fit->second, fit->first};
    erase(by_offset_.find(found.offset));
    if (found.length > length) {
        insert({found.offset + length, found.length - length});
    }
    return Range{found.offset, length};
}

void FreeList::give_back(Range range) {
    const auto extent = std::prev(extents_.upper_bound(range.offset));
    const std::int64_t extent_end = extent->first + extent->second;
    const auto next = by_offset_.lower_bound(range.offset);
    if (next != by_offset_.end() && next->first == range.end() && range.end() < extent_end) {
        range.length += next->second;
        erase(next);
    }
    const auto after = by_offset_.lower_bound(range.offset);
    if (after != by_offset_.begin() && range.offset > extent->first) {
        const auto before = std::prev(after);
        if (before->first + before->second == range.offset) {
            range = {before->first, before->second + range.length};
            erase(before);
        }
    }
    insert(range);
}

std::vector<Range> FreeList::remove_free_extents(std::int64_t length) {
    std::vector<Range> removed;
    for (auto extent = extents_.begin(); extent != extents_.end() && length > 0;) {
        const auto free = by_offset_.find(extent->first);
        if (free != by_offset_.end() && free->second == extent->second) {
            removed.push_back({extent->first, extent->second});
            length -= extent->second;
            erase(free);
            extent = extents_.erase(extent);
        } else {
            ++extent;
        }
    }
    return removed;
}

}  // namespace staithe::memory
