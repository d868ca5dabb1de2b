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

std::string describe_step(const Lock& wanted, const Lock& in_the_way) {
    return wanted.holder->name + " wants " + to_string(wanted) + " behind " + in_the_way.holder->name + ", who " +
           (in_the_way.is_held() ? "holds " : "asked before for ") + to_string(in_the_way);
}

/// What the holder waits for; nullptr if it does not.
const Lock* wait_of(const LockHolder& holder) {
    const auto found = std::ranges::find_if(holder.locks, [](const auto& entry) { return !entry.second->is_held(); });
    return found == holder.locks.end() ? nullptr : found->second;
}

std::vector<const Lock*> all_locks(const LockedVariable& variable) {
    std::vector<const Lock*> locks = waiting_for(variable);
    for (const LockedBoxes& boxes : variable.held) {
        boxes.meeting(Box{}, [&](const Lock& lock) {
            locks.push_back(&lock);
            return true;
        });
    }
    return locks;
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
    std::vector<std::string> steps{describe_step(wanted, in_the_way)};
    for (Wait wait = *find(*in_the_way.holder); wait.wanted != nullptr; wait = *find(*wait.in_the_way->holder)) {
        steps.push_back(describe_step(*wait.wanted, *wait.in_the_way));
    }
    return space::describe_circle(steps);
}

std::vector<WayOut> find_ways_out(std::span<const LockHolder* const> holders, const std::string& target) {
    struct Step {
        const Lock* waiting = nullptr;
        const Lock* in_the_way = nullptr;
    };
    std::map<const LockHolder*, Step> last_steps;  // of the ways to them
    std::deque<const LockHolder*> front;
    for (const LockHolder* holder : holders) {
        if (last_steps.try_emplace(holder).second) {
            front.push_back(holder);
        }
    }
    std::vector<const LockHolder*> ends;
    // As among those who wait for a holder, who is found leaves the lists.
    std::map<const LockedVariable*, std::vector<const Lock*>> others;
    for (; !front.empty(); front.pop_front()) {
        const Lock* const waiting = wait_of(*front.front());
        if (waiting == nullptr) {
            continue;
        }
        const auto [place, is_new] = others.try_emplace(waiting->variable);
        if (is_new) {
            place->second = all_locks(*waiting->variable);
        }
        std::erase_if(place->second, [&](const Lock* other) {
            if (!is_in_the_way(*other, *waiting)) {
                return false;
            }
            if (last_steps.try_emplace(other->holder, Step{waiting, other}).second) {
                front.push_back(other->holder);
                if (!other->holder->key.empty() &&
                    (wait_of(*other->holder) == nullptr || other->holder->key == target)) {
                    ends.push_back(other->holder);
                }
            }
            return true;
        });
    }
    std::vector<WayOut> ways;
    for (const LockHolder* const end : ends) {
        WayOut way{.from = {}, .to = end->key, .steps = {}};
        const LockHolder* holder = end;
        for (Step step = last_steps.at(holder); step.waiting != nullptr; step = last_steps.at(holder)) {
            holder = step.waiting->holder;
            way.steps.push_back({step.waiting->request, step.in_the_way->request, holder->key,
                                 describe_step(*step.waiting, *step.in_the_way)});
        }
        std::ranges::reverse(way.steps);
        way.from = holder->key;
        ways.push_back(std::move(way));
    }
    return ways;
}

std::string describe_circle(std::span<const std::string> steps) {
    std::string text = "these would wait for each other in a circle: ";
    for (std::size_t i = 0; i < std::min(steps.size(), most_described); ++i) {
        text += (i == 0 ? "" : "; ") + steps[i];
    }
    if (steps.size() > most_described) {
        text += "; and so on, " + std::to_string(steps.size() - most_described) + " more";
    }
    return text +
           ". None of them could go on: release what is held and start again. Let all take their locks in the same "
           "order, and ask to write at once where they read first and then write";
}

}  // namespace staithe::store::space
