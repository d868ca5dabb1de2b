#include "store/space/lock_circles.hpp"

#include <algorithm>
#include <deque>
#include <vector>

namespace staithe::store::space {
namespace {

// Of a larger circle the rest is counted: the message goes to other processes.
constexpr std::size_t most_described = 8;

std::vector<const Lock*> waiting_for(const LockedVariable& variable) {
    std::vector<const Lock*> locks;
    for (const LockedBoxes& boxes : variable.waiting) {
        boxes.meeting(Box{}, [&](const Lock& lock) {
            locks.push_back(&lock);
            return true;
        });
    }
    return locks;
}

std::string describe_link(const WaitersFor::Wait& wait) {
    return wait.wanted->holder->name + " wants " + to_string(*wait.wanted) + " behind " +
           wait.in_the_way->holder->name + ", who " + (wait.in_the_way->is_held() ? "holds " : "asked before for ") +
           to_string(*wait.in_the_way);
}

}  // namespace

WaitersFor::WaitersFor(const LockHolder& awaited) {
    waits_.emplace(&awaited, Wait{});
    // Those who are found leave the lists: many who wait for one lock are looked at once, not once for each other.
    std::map<const LockedVariable*, std::vector<const Lock*>> others;
    for (std::deque<const LockHolder*> front{&awaited}; !front.empty(); front.pop_front()) {
        const std::size_t distance = waits_.at(front.front()).distance + 1;
        for (const auto& entry : front.front()->locks) {
            const Lock* lock = entry.second;
            const auto [place, is_new] = others.try_emplace(lock->variable);
            if (is_new) {
                place->second = waiting_for(*lock->variable);
            }
            std::erase_if(place->second, [&](const Lock* other) {
                if (waits_.contains(other->holder)) {
                    return true;
                }
                if (!is_in_the_way(*lock, *other)) {
                    return false;
                }
                waits_.emplace(other->holder, Wait{.wanted = other, .in_the_way = lock, .distance = distance});
                front.push_back(other->holder);
                return true;
            });
        }
    }
}

const WaitersFor::Wait* WaitersFor::find(const LockHolder& waiter) const {
    const auto found = waits_.find(&waiter);
    return found == waits_.end() ? nullptr : &found->second;
}

std::string WaitersFor::describe_circle(const Lock& wanted, const Lock& in_the_way) const {
    const std::size_t length = find(*in_the_way.holder)->distance + 1;
    std::string text = "these would wait for each other in a circle: ";
    Wait wait{.wanted = &wanted, .in_the_way = &in_the_way, .distance = length};
    for (std::size_t i = 0; i < std::min(length, most_described); ++i) {
        text += (i == 0 ? "" : "; ") + describe_link(wait);
        if (i + 1 < length) {
            wait = *find(*wait.in_the_way->holder);
        }
    }
    if (length > most_described) {
        text += "; and so on, " + std::to_string(length - most_described) + " more";
    }
    return text +
           ". None of them could go on: release what is held and start again. Let all take their locks in the same "
           "order, and ask to write at once where they read first and then write";
}

}  // namespace staithe::store::space
