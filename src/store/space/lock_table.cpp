#include "store/space/lock_table.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace staithe::store::space {
namespace {

// Of the locks that are in the way, messages name a few.
constexpr std::size_t most_named = 3;

double seconds_of(base::Clock::duration duration) { return base::Seconds(duration).count(); }

std::string describe_age(const Lock& lock, base::Clock::time_point now) {
    return fmt::format("{} {} {} for {:.1f} s", lock.holder->name,
                       lock.is_held() ? "has held" : "has waited before for", to_string(lock),
                       seconds_of(now - lock.since));
}

}  // namespace

LockTable::LockTable(const Settings& settings) : settings_(settings), next_token_(settings.first_token) {}

// Holders.
// --------------------------------------------------------------------------------------------------------------

std::int64_t LockTable::join(std::string name, std::string key) {
    const std::int64_t number = next_holder_++;
    if (!key.empty()) {
        known_[key].insert(number);
    }
    holders_.emplace(number, LockHolder{.number = number, .name = std::move(name), .key = std::move(key), .locks = {}});
    return number;
}

void LockTable::drop(std::int64_t holder, Time now) {
    expire(now);
    LockHolder& who = holders_.at(holder);
    Openings openings;
    while (!who.locks.empty()) {
        openings.push_back(remove(*who.locks.begin()->second, Ending::died, now));
    }
    if (const auto known = known_.find(who.key); known != known_.end()) {
        known->second.erase(holder);
        if (known->second.empty()) {
            known_.erase(known);
        }
    }
    holders_.erase(holder);
    fill(openings, now);
}

// Requests.
// -------------------------------------------------------------------------------------------------------------

base::Result<> LockTable::judge(const Wish& wish) const {
    // Whatever the variable's shape is or will be.
    if (!fits(wish.box, Extents::filled(wish.box.dimensions(), std::numeric_limits<std::int64_t>::max()))) {
        return base::fail(ErrorCode::invalid_argument,
                          "a lock on '{}' has the box {}: offsets and counts must not be negative, nor end beyond 2^63",
                          wish.variable, to_string(wish.box));
    }
    if (wish.lease <= Duration::zero() || wish.lease > longest_lease) {
        return base::fail(ErrorCode::invalid_argument,
                          "a lock on '{}' has a lease of {:.1f} s: it must be more than 0, and at most a year",
                          wish.variable, seconds_of(wish.lease));
    }
    if (locks_.size() >= settings_.most_locks) {
        return base::fail(
            ErrorCode::limit_reached,
            "a lock on '{}' finds {} that are held or waited for, which is the most there may be: release "
            "some, or lock larger boxes",
            wish.variable, locks_.size());
    }
    return {};
}

base::Result<LockTable::Answer> LockTable::request(std::int64_t holder, const Wish& wish, Time now) {
    expire(now);
    if (auto judged = judge(wish); !judged) {
        return base::fail(std::move(judged));
    }
    const auto [place, is_new] = variables_.try_emplace(wish.variable);
    if (is_new) {
        place->second.name = wish.variable;
    }
    Lock lock{.request = next_request_,
              .token = 0,
              .holder = &holders_.at(holder),
              .variable = &place->second,
              .mode = wish.mode,
              .box = wish.box,
              .lease = wish.lease,
              .since = now,
              .expires = {}};
    const auto may_be_granted = weigh(lock);
    if (!may_be_granted) {
        return base::fail(may_be_granted);  // the variable has a lock, which is in the way
    }
    const std::int64_t request = next_request_++;
    Lock& entered = locks_.emplace(request, lock).first->second;
    entered.holder->locks.emplace(request, &entered);
    ++entered.variable->locks;
    if (*may_be_granted) {
        grant(entered, now);
        return Answer{.request = request, .token = entered.token};
    }
    entered.variable->waiting[static_cast<std::size_t>(lock.mode)].add(request, lock.box, &entered);
    return Answer{.request = request};
}

base::Result<bool> LockTable::weigh(const Lock& lock) {
    if (visit_those_in_the_way(lock, [](const Lock& /*other*/) { return false; })) {
        return true;
    }
    if (lock.holder->locks.empty()) {
        return false;  // nobody can wait for it
    }
    const WaitersFor waiters(*lock.holder);
    bool may_pass = true;
    const Lock* nearest = nullptr;
    std::size_t shortest = 0;
    visit_those_in_the_way(lock, [&](const Lock& other) {
        const auto* wait = waiters.find(*other.holder);
        may_pass = may_pass && wait != nullptr && !other.is_held();
        if (wait != nullptr && (nearest == nullptr || wait->distance < shortest)) {
            nearest = &other;
            shortest = wait->distance;
        }
        return true;
    });
    if (nearest != nullptr && !may_pass) {
        return base::fail(ErrorCode::deadlock, "{}", waiters.describe_circle(lock, *nearest));
    }
    return may_pass;
}

void LockTable::grant(Lock& lock, Time now) {
    lock.token = next_token_++;
    lock.since = now;
    lock.expires = now + lock.lease;
    lock.variable->held[static_cast<std::size_t>(lock.mode)].add(lock.token, lock.box, &lock);
    tokens_.emplace(lock.token, &lock);
    expiries_.emplace(lock.expires, lock.request);
}

bool LockTable::cancel(std::int64_t request, Time now) {
    expire(now);
    const auto found = locks_.find(request);
    if (found == locks_.end()) {
        return false;
    }
    fill({remove(found->second, Ending::released, now)}, now);
    return true;
}

// Locks that are held.
// --------------------------------------------------------------------------------------------------

base::Result<> LockTable::release(std::int64_t token, Time now) {
    const auto lock = held_by(token, now);
    if (!lock) {
        return base::fail(lock);
    }
    fill({remove(**lock, Ending::released, now)}, now);
    return {};
}

base::Result<> LockTable::renew(std::int64_t token, Time now) {
    const auto lock = held_by(token, now);
    if (!lock) {
        return base::fail(lock);
    }
    expiries_.erase({(*lock)->expires, (*lock)->request});
    (*lock)->expires = now + (*lock)->lease;
    expiries_.emplace((*lock)->expires, (*lock)->request);
    return {};
}

base::Result<> LockTable::check(std::int64_t token, const std::string& variable, LockMode mode, const Box& box,
                                Time now) {
    const auto found = held_by(token, now);
    if (!found) {
        return base::fail(found);
    }
    const Lock& lock = **found;
    if (lock.variable->name != variable || (mode == LockMode::write && lock.mode == LockMode::read) ||
        !is_within(lock.box, box)) {
        return base::fail(ErrorCode::invalid_argument,
                          "lock {} of {} is on {}, and does not allow {}: take a lock on all that is used", token,
                          lock.holder->name, to_string(lock), describe_lock(variable, mode, box));
    }
    return {};
}

void LockTable::expire(Time now) {
    Openings openings;
    while (!expiries_.empty() && expiries_.begin()->first <= now) {
        Lock& lock = locks_.at(expiries_.begin()->second);
        events_.push_back(
            {.kind = Event::Kind::lapsed, .holder = lock.holder->number, .request = lock.request, .token = lock.token});
        openings.push_back(remove(lock, Ending::lapsed, lock.expires));
    }
    fill(openings, now);
}

std::optional<LockTable::Time> LockTable::next_expiry() const {
    return expiries_.empty() ? std::nullopt : std::optional(expiries_.begin()->first);
}

// What ends, and who is next.
// -------------------------------------------------------------------------------------------

LockTable::Opening LockTable::remove(Lock& lock, Ending how, Time now) {
    const Opening opening{.variable = lock.variable, .mode = lock.mode, .box = lock.box};
    const auto mode = static_cast<std::size_t>(lock.mode);
    if (lock.is_held()) {
        remember(lock, how, now);
        lock.variable->held[mode].remove(lock.token);
        tokens_.erase(lock.token);
        expiries_.erase({lock.expires, lock.request});
    } else {
        lock.variable->waiting[mode].remove(lock.request);
    }
    --lock.variable->locks;
    lock.holder->locks.erase(lock.request);
    locks_.erase(lock.request);
    return opening;
}

void LockTable::fill(const Openings& openings, Time now) {
    std::map<std::int64_t, Lock*> candidates;
    for (const Opening& opening : openings) {
        for (const LockMode mode : {LockMode::read, LockMode::write}) {
            if (exclude(mode, opening.mode)) {
                opening.variable->waiting[static_cast<std::size_t>(mode)].meeting(opening.box, [&](Lock& lock) {
                    candidates.emplace(lock.request, &lock);
                    return true;
                });
            }
        }
    }
    for (const auto& [request, lock] : candidates) {
        if (visit_those_in_the_way(*lock, [](const Lock& /*other*/) { return false; })) {
            lock->variable->waiting[static_cast<std::size_t>(lock->mode)].remove(request);
            grant(*lock, now);
            events_.push_back({.kind = Event::Kind::granted,
                               .holder = lock->holder->number,
                               .request = request,
                               .token = lock->token});
        }
    }
    std::set<LockedVariable*> variables;
    for (const Opening& opening : openings) {
        variables.insert(opening.variable);
    }
    std::erase_if(variables, [](const LockedVariable* variable) { return variable->locks > 0; });
    for (const LockedVariable* variable : variables) {
        variables_.erase(variables_.find(variable->name));
    }
}

void LockTable::remember(const Lock& lock, Ending how, Time now) {
    ended_.push_back({.token = lock.token,
                      .how = how,
                      .when = now,
                      .holder = lock.holder->name,
                      .variable = lock.variable->name,
                      .mode = lock.mode,
                      .box = lock.box,
                      .lease = lock.lease});
    if (ended_.size() > settings_.remembered_endings) {
        ended_.pop_front();
    }
}

// What is told of it.
// ---------------------------------------------------------------------------------------------------

base::Result<Lock*> LockTable::held_by(std::int64_t token, Time now) {
    expire(now);
    if (const auto found = tokens_.find(token); found != tokens_.end()) {
        return found->second;
    }
    if (token < settings_.first_token || token >= next_token_) {
        return base::fail(ErrorCode::invalid_argument,
                          "no lock was granted here with the token {}: pass the one that came with the grant", token);
    }
    const auto ended = std::find_if(ended_.begin(), ended_.end(), [&](const Ended& one) { return one.token == token; });
    if (ended == ended_.end()) {
        return base::fail(ErrorCode::closed,
                          "lock {} ended long ago. Take a new lock, and read again what it is to protect", token);
    }
    return base::fail(ErrorCode::closed, "{}", describe(*ended, now));
}

std::vector<WayOut> LockTable::ways_out(const std::vector<std::string>& keys, const std::string& target) const {
    std::vector<const LockHolder*> holders;
    for (const std::string& key : keys) {
        if (const auto known = known_.find(key); known != known_.end()) {
            std::ranges::transform(known->second, std::back_inserter(holders),
                                   [&](std::int64_t number) { return &holders_.at(number); });
        }
    }
    return find_ways_out(holders, target);
}

std::string LockTable::describe_wait(std::int64_t request, Time now) const {
    const auto found = locks_.find(request);
    if (found == locks_.end() || found->second.is_held()) {
        return "nothing is in its way";
    }
    std::string text;
    std::size_t others = 0;
    visit_those_in_the_way(found->second, [&](const Lock& other) {
        if (others++ < most_named) {
            text += (text.empty() ? "" : "; ") + describe_age(other, now);
        }
        return true;
    });
    return others <= most_named ? text : fmt::format("{}; and {} more are in its way", text, others - most_named);
}

std::string LockTable::describe(const Ended& ended, Time now) const {
    std::string text = fmt::format("lock {} of {} on {} ", ended.token, ended.holder,
                                   describe_lock(ended.variable, ended.mode, ended.box));
    const double ago = seconds_of(now - ended.when);
    switch (ended.how) {
        case Ending::released: text += fmt::format("was released {:.1f} s ago", ago); break;
        case Ending::died: text += fmt::format("ended {:.1f} s ago, when its holder was lost", ago); break;
        case Ending::lapsed:
            text += fmt::format("ran out {:.1f} s ago, as it was not renewed within {:.1f} s", ago,
                                seconds_of(ended.lease));
            break;
    }
    if (const auto variable = variables_.find(ended.variable); variable != variables_.end()) {
        for (const LockMode mode : {LockMode::write, LockMode::read}) {
            if (exclude(mode, ended.mode) &&
                !variable->second.held[static_cast<std::size_t>(mode)].meeting(ended.box, [&](const Lock& lock) {
                    text += "; " + describe_age(lock, now);
                    return false;
                })) {
                break;
            }
        }
    }
    return text + ". Take a new lock, and read again what it is to protect";
}

}  // namespace staithe::store::space
