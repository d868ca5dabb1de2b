#include "memory/free_list.hpp"

#include <iterator>

namespace staithe::memory {

void FreeList::insert(std::int64_t offset, Free free) {
    by_offset_.emplace(offset, free);
    by_size_.emplace(free.length, free.age, offset);
    free_bytes_ += free.length;
}

void FreeList::erase(std::map<std::int64_t, Free>::iterator at) {
    const auto& [offset, free] = *at;
    free_bytes_ -= free.length;
    by_size_.erase({free.length, free.age, offset});
    by_offset_.erase(at);
}

void FreeList::add_extent(Range extent) {
    extents_.emplace(extent.offset, extent.length);
    insert(extent.offset, {extent.length, 0});  // older than any that was in use
}

std::optional<Range> FreeList::take(std::int64_t length) {
    const auto fit = by_size_.lower_bound({length, youngest_, 0});
    if (fit == by_size_.end()) {
        return std::nullopt;
    }
    const auto found = by_offset_.find(std::get<2>(*fit));
    const auto [offset, free] = *found;
    erase(found);
    if (free.length > length) {
        insert(offset + length, {free.length - length, free.age});
    }
    return Range{offset, length};
}

void FreeList::give_back(Range range) {
    const auto extent = std::prev(extents_.upper_bound(range.offset));
    const std::int64_t extent_end = extent->first + extent->second;
    const auto next = by_offset_.lower_bound(range.offset);
    if (next != by_offset_.end() && next->first == range.end() && range.end() < extent_end) {
        range.length += next->second.length;
        erase(next);
    }
    const auto after = by_offset_.lower_bound(range.offset);
    if (after != by_offset_.begin() && range.offset > extent->first) {
        const auto before = std::prev(after);
        if (before->first + before->second.length == range.offset) {
            range = {before->first, before->second.length + range.length};
            erase(before);
        }
    }
    insert(range.offset, {range.length, --youngest_});
}

std::vector<Range> FreeList::remove_free_extents(std::int64_t length, std::optional<std::int64_t> kept) {
    std::vector<Range> removed;
    for (auto extent = extents_.begin(); extent != extents_.end() && length > 0;) {
        const auto free = by_offset_.find(extent->first);
        if (extent->first != kept && free != by_offset_.end() && free->second.length == extent->second) {
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
