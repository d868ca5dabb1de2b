// Locks on boxes of variables: what one is, which get in each other's way, and how messages show them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include <staithe/box.hpp>

#include "base/deadline.hpp"
#include "store/space/locked_boxes.hpp"

namespace staithe::store::space {

enum class LockMode : std::uint8_t {
    read,   // shared with other readers
    write,  // exclusive
};

/// Two locks of these modes may not be held on the same elements by two holders.
[[nodiscard]] constexpr bool exclude(LockMode a, LockMode b) { return a == LockMode::write || b == LockMode::write; }

/// Who may hold locks: a line of control that does nothing else while it waits for one, such as a thread.
struct LockHolder {
    std::int64_t number = 0;
    std::string name;                     // for messages: "lmp (pid 12 on a)"
    std::string key;                      // by which other tables know it; empty: it is in none
    std::map<std::int64_t, Lock*> locks;  // that it holds or waits for, by request
};

struct LockedVariable {
    std::string name;
    // By mode:
    std::array<LockedBoxes, 2> held;     // by token
    std::array<LockedBoxes, 2> waiting;  // by request
    std::size_t locks = 0;
};

struct Lock {
    std::int64_t request = 0;  // grows from one to the next: lower ones are served first
    std::int64_t token = 0;    // grows with every grant; 0: it waits
    LockHolder* holder = nullptr;
    LockedVariable* variable = nullptr;
    LockMode mode = LockMode::read;
    Box box;  // of no dimensions: the whole variable
    base::Clock::duration lease{};
    base::Clock::time_point since;    // it waits, or is held
    base::Clock::time_point expires;  // once it is held

    [[nodiscard]] bool is_held() const { return token != 0; }
};

/// Whether `waiting` cannot be granted because of `other`: that is held, or was asked for before. Nobody is in his own
/// way.
[[nodiscard]] bool is_in_the_way(const Lock& other, const Lock& waiting);

/// Calls visit(other) for each lock that is in the way of this one, until it returns false. Returns whether it never
/// did.
template <class Visit>
bool visit_those_in_the_way(const Lock& lock, const Visit& visit) {
    const auto visit_others = [&](const Lock& other) {
        return other.holder == lock.holder || (!other.is_held() && other.request > lock.request) || visit(other);
    };
    for (const LockMode mode : {LockMode::read, LockMode::write}) {
        const auto place = static_cast<std::size_t>(mode);
        if (exclude(mode, lock.mode) && !(lock.variable->held[place].meeting(lock.box, visit_others) &&
                                          lock.variable->waiting[place].meeting(lock.box, visit_others))) {
            return false;
        }
    }
    return true;
}

/// A variable as locks know it, who are in one table for all spaces: these have no / in their names.
[[nodiscard]] inline std::string lock_name(const std::string& space, const std::string& variable) {
    return space + "/" + variable;
}

/// For messages: "'T' [0:10, 3:6] to write", "'T' to read".
[[nodiscard]] std::string to_string(const Lock& lock);
[[nodiscard]] std::string describe_lock(const std::string& variable, LockMode mode, const Box& box);

}  // namespace staithe::store::space
