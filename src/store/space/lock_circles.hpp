// Circles of lockers: who is in one waits for ever, unless somebody gives up.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "store/space/lock.hpp"

namespace staithe::store::space {

/// Who waits for a holder, themselves or through others. To be used before the table changes.
class WaitersFor {
  public:
    /// How one of them waits: for what, and what is in the way of that.
    struct Wait {
        const Lock* wanted = nullptr;
        const Lock* in_the_way = nullptr;
        std::size_t distance = 0;  // how many wait for each other from here to the holder
    };

    explicit WaitersFor(const LockHolder& awaited);

    /// Of another holder: how it waits, by the shortest way; nothing if it does not.
    [[nodiscard]] const Wait* find(const LockHolder& waiter) const;

    /// The circle that the holder would close if it waited for `wanted` behind a lock of one of those who wait for it;
    /// in one line, with what to do.
    [[nodiscard]] std::string describe_circle(const Lock& wanted, const Lock& in_the_way) const;

  private:
    std::map<const LockHolder*, Wait> waits_;  // and the holder itself, which waits for nobody
};

}  // namespace staithe::store::space
