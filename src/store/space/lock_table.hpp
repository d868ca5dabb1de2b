// Who holds and who waits for locks on boxes of variables: the rules alone.
//
// Events go in as calls, with the time at which they happen; what is to be told to whom comes out as events. There is
// no clock, thread or message in it. Every call that takes a time first takes back the locks whose lease ran out by
// then.
//
// - Who asked first is served first: a request waits for the locks that are in its way, and behind requests that are.
//   One that nothing is in the way of is granted at once.
// - What a holder has itself is never in its way: it may lock again what it holds, and each lock has a token of its
//   own. It may ask to write what it reads; that is granted once nobody else reads there.
// - A request passes those that wait for its own holder, themselves or through others: they cannot go on before it
//   does. Whoever holds what it asks for again is so never kept waiting.
// - A request that would close a circle of holders that wait for each other fails with `deadlock`. Two that read and
//   both ask to write are one; so is a reader that asks to write while another one reads and a third waits to write.
// - A token is never given out twice. One whose lock has ended, by release, lease or death, is refused for ever.
//
// A holder does nothing else while it waits: a program that locks from several threads is several holders. Whoever has
// a token speaks for its holder. Numbers of holders are the owner's own, and must be right; all else may be anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "store/space/lock.hpp"
#include "store/space/lock_circles.hpp"

namespace staithe::store::space {

class LockTable {
  public:
    using Time = base::Clock::time_point;
    using Duration = base::Clock::duration;

    struct Settings {
        std::int64_t first_token = 1;           // above all that another table gave out before, in its place
        std::size_t most_locks = 1'000'000;     // that are held or waited for
        std::size_t remembered_endings = 1000;  // that can be told of
    };
    struct Wish {
        std::string variable;
        LockMode mode = LockMode::read;
        Box box{};  // of no dimensions: the whole variable
        Duration lease{};
    };
    struct Answer {
        std::int64_t request = 0;
        std::optional<std::int64_t> token{};  // none: it waits, and an event tells when it is granted
    };
    struct Event {
        enum class Kind : std::uint8_t {
            granted,  // a request that waited
            lapsed,   // a lock whose lease ran out
        };
        Kind kind = Kind::granted;
        std::int64_t holder = 0;
        std::int64_t request = 0;
        std::int64_t token = 0;
    };
    /// A year stands for as long as it takes.
    static constexpr Duration longest_lease = std::chrono::hours(365 * 24);

    explicit LockTable(const Settings& settings);
    LockTable(const LockTable&) = delete;
    LockTable& operator=(const LockTable&) = delete;

    /// In order; the owner clears them.
    [[nodiscard]] std::vector<Event>& events() { return events_; }

    /// A holder's number. The name is for messages; the key is by which other tables know it, if it is in others.
    std::int64_t join(std::string name, std::string key = {});
    /// It died or went away: nothing is held or waited for by it any more.
    void drop(std::int64_t holder, Time now);

    base::Result<Answer> request(std::int64_t holder, const Wish& wish, Time now);
    /// It is no longer wanted; if it was granted meanwhile, it is released. False if it has ended.
    bool cancel(std::int64_t request, Time now);

    base::Result<> release(std::int64_t token, Time now);
    /// The lease starts anew.
    base::Result<> renew(std::int64_t token, Time now);
    /// Whether the lock still holds, and allows this.
    base::Result<> check(std::int64_t token, const std::string& variable, LockMode mode, const Box& box, Time now);

    void expire(Time now);
    /// When the next lease runs out, if any does.
    [[nodiscard]] std::optional<Time> next_expiry() const;

    /// All that are held or waited for, by request. Nobody but the table changes them.
    [[nodiscard]] const std::map<std::int64_t, Lock>& locks() const { return locks_; }
    /// How holders with these keys wait for such as may wait in another table.
    [[nodiscard]] std::vector<WayOut> ways_out(const std::vector<std::string>& keys, const std::string& target) const;
    /// What a request waits for, for the message that it did so in vain: "lmp (pid 12 on a) has held …".
    [[nodiscard]] std::string describe_wait(std::int64_t request, Time now) const;

  private:
    enum class Ending : std::uint8_t { released, lapsed, died };
    /// A lock that was held.
    struct Ended {
        std::int64_t token = 0;
        Ending how = Ending::released;
        Time when;
        std::string holder;
        std::string variable;
        LockMode mode = LockMode::read;
        Box box;
        Duration lease{};
    };
    /// Where a lock was that may have been in the way of others.
    struct Opening {
        LockedVariable* variable = nullptr;
        LockMode mode = LockMode::read;
        Box box;
    };
    using Openings = std::vector<Opening>;

    [[nodiscard]] base::Result<> judge(const Wish& wish) const;
    /// Whether it may be granted at once; `deadlock` if it would wait for ever.
    [[nodiscard]] static base::Result<bool> weigh(const Lock& lock);
    void enter(Lock& lock);
    void grant(Lock& lock, Time now);
    Opening remove(Lock& lock, Ending how, Time now);
    /// Grants what waited for nothing but these.
    void fill(const Openings& openings, Time now);
    void remember(const Lock& lock, Ending how, Time now);

    /// The lock of a token; if it has ended, how.
    [[nodiscard]] base::Result<Lock*> held_by(std::int64_t token, Time now);
    [[nodiscard]] std::string describe(const Ended& ended, Time now) const;

    const Settings settings_;
    std::vector<Event> events_;
    std::int64_t next_holder_ = 1;
    std::int64_t next_request_ = 1;
    std::int64_t next_token_;
    std::map<std::int64_t, LockHolder> holders_;
    std::map<std::string, std::set<std::int64_t>> known_;  // by key, the holders that have one
    std::map<std::string, LockedVariable> variables_;      // with a lock
    std::map<std::int64_t, Lock> locks_;
    std::map<std::int64_t, Lock*> tokens_;
    std::set<std::pair<Time, std::int64_t>> expiries_;  // with the request
    std::deque<Ended> ended_;                           // oldest first
};

}  // namespace staithe::store::space
