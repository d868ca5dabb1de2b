// Which ranges of a pool's file are free: best fit over ranges that merge with their neighbours again. Of those that
// fit equally well the one that was given back last: most of it may still be in a cache.
//
// Not thread-safe; the pool locks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace staithe::memory {

struct Range {
    std::int64_t offset = 0;
    std::int64_t length = 0;
    [[nodiscard]] std::int64_t end() const { return offset + length; }
    bool operator==(const Range&) const = default;
};

class FreeList {
  public:
    /// Adds memory that nothing merges with across its borders: an extent is one mapping, and a block must
    /// not straddle two.
    void add_extent(Range extent);

    /// From the smallest free range that is large enough, the latest of them; its tail stays free.
    std::optional<Range> take(std::int64_t length);

    void give_back(Range range);

    /// Takes wholly free extents, together at least `length` bytes long if there are as many; but not the one at
    /// `kept`.
    std::vector<Range> remove_free_extents(std::int64_t length, std::optional<std::int64_t> kept = std::nullopt);

    [[nodiscard]] std::int64_t free_bytes() const { return free_bytes_; }

  private:
    struct Free {
        std::int64_t length = 0;
        std::int64_t age = 0;  // the less, the later it was given back
    };
    using BySize = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // length, age, offset

    void insert(std::int64_t offset, Free free);
    void erase(std::map<std::int64_t, Free>::iterator at);

    std::map<std::int64_t, std::int64_t> extents_;  // offset → length
    std::map<std::int64_t, Free> by_offset_;        // free
    std::set<BySize> by_size_;                      // free
    std::int64_t free_bytes_ = 0;
    std::int64_t youngest_ = 0;
};

}  // namespace staithe::memory
