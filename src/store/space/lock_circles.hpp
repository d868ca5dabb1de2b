// Circles of lockers: who is in one waits for ever, unless somebody gives up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

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

/// How a holder waits for one who does not wait in the same table, and so may wait in another one.
struct WayOut {
    /// One waits behind the next. Two locks of one table that are in each other's way stay so until one of them ends.
    struct Step {
        std::int64_t waiting = 0;     // requests
        std::int64_t in_the_way = 0;  // held, or asked for before
        std::string holder;           // the key of who waits
        std::string text;             // "lmp (pid 12 on a) wants … behind …, who holds …"
    };
    std::string from;  // keys of holders
    std::string to;
    std::vector<Step> steps;  // not empty
};

/// The ways by which some of these holders wait for others, each found once, by a shortest way. Who has the key
/// `target` is found though it waits here. To be used before the table changes.
[[nodiscard]] std::vector<WayOut> find_ways_out(std::span<const LockHolder* const> holders, const std::string& target);

/// In one line, with what to do; of who would wait, and who waits behind whom.
[[nodiscard]] std::string describe_circle(std::span<const std::string> steps);

}  // namespace staithe::store::space
