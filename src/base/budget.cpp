#include "base/budget.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/config.hpp"
#include "base/interruption.hpp"

namespace staithe {
namespace base {
namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t resource_count = 5;
constexpr std::int64_t default_prefetch = std::int64_t{256} << 20;

struct Account {
    std::atomic<std::int64_t> used{0};
    std::atomic<std::int64_t> limit{unlimited};
};

struct Budget {
    std::array<Account, resource_count> accounts;
    std::atomic<int> waiting{0};
    std::mutex mutex;
    std::condition_variable given_back;
    Limits set;  // by the program
    std::mutex holders_mutex;
    std::vector<const Holding*> holdings;
};

// Never destroyed: what ends last may still give something back.
Budget& budget() {
    static auto* const of_this_process = new Budget;
    return *of_this_process;
}

Account& account(Resource resource) { return budget().accounts.at(static_cast<std::size_t>(resource)); }

/// "480 MB of memory": an amount for people.
std::string described(Resource resource, std::int64_t amount) {
    switch (resource) {
        case Resource::memory: return format_bytes(amount) + " of memory";
        case Resource::descriptors: return fmt::format("{} file descriptors", amount);
        case Resource::connections: return fmt::format("{} connections", amount);
        case Resource::prefetch: return format_bytes(amount) + " fetched ahead";
        case Resource::bytes_in_flight: break;
    }
    return format_bytes(amount) + " in flight";
}

const char* name_of(Resource resource) {
    constexpr std::array<const char*, resource_count> names{"memory", "descriptors", "connections", "bytes_in_flight",
                                                            "prefetch"};
    return names.at(static_cast<std::size_t>(resource));
}

const char* advice_for(Resource resource) {
    switch (resource) {
        case Resource::memory:
            return "hold less at once: smaller queues (queue_steps, queue_bytes), steps that readers release sooner, "
                   "fewer devices";
        case Resource::descriptors: return "have fewer streams and readers open at once";
        case Resource::connections: return "have fewer programs share streams with this one";
        case Resource::prefetch: return "let steps be fetched when they are read";
        case Resource::bytes_in_flight: break;
    }
    return "have readers release steps sooner";
}

std::int64_t sum_of_holdings(Resource resource) {
    Budget& all = budget();
    const std::lock_guard lock(all.holders_mutex);
    std::int64_t sum = 0;
    for (const Holding* const holding : all.holdings) {
        sum += holding->resource() == resource ? holding->amount() : 0;
    }
    return sum;
}

bool take(Resource resource, std::int64_t amount) {
    Account& of = account(resource);
    const std::int64_t left = of.limit.load(std::memory_order_relaxed) - sum_of_holdings(resource);
    std::int64_t used = of.used.load(std::memory_order_relaxed);
    do {
        if (amount > left - used) {
            return false;
        }
    } while (!of.used.compare_exchange_weak(used, used + amount));
    return true;
}

void give_back(Resource resource, std::int64_t amount) {
    account(resource).used.fetch_sub(amount);
    Budget& all = budget();
    if (all.waiting.load() > 0) {
        const std::lock_guard lock(all.mutex);
        all.given_back.notify_all();
    }
}

Result<> check(const Limits& limits) {
    for (const auto& limit :
         {limits.memory, limits.descriptors, limits.connections, limits.bytes_in_flight, limits.prefetch}) {
        if (limit && *limit < 0) {
            return fail(ErrorCode::invalid_argument, "a limit of {} cannot be: give 0 or more, or leave it unset",
                        *limit);
        }
    }
    return {};
}

// The mutex is held.
Result<Limits> apply(Budget& all) {
    auto from_environment = limits_of_environment();
    if (!from_environment) {
        return from_environment;
    }
    const auto chosen = [](const std::optional<std::int64_t>& set, const std::optional<std::int64_t>& otherwise) {
        return set ? set : otherwise;
    };
    const Limits limits{chosen(all.set.memory, from_environment->memory),
                        chosen(all.set.descriptors, from_environment->descriptors),
                        chosen(all.set.connections, from_environment->connections),
                        chosen(all.set.bytes_in_flight, from_environment->bytes_in_flight),
                        chosen(all.set.prefetch, from_environment->prefetch)};
    if (auto checked = check(limits); !checked) {
        return fail(std::move(checked));
    }
    const std::array amounts{limits.memory, limits.descriptors, limits.connections, limits.bytes_in_flight,
                             std::optional(limits.prefetch.value_or(default_prefetch))};
    for (std::size_t i = 0; i < resource_count; ++i) {
        all.accounts.at(i).limit = amounts.at(i).value_or(unlimited);
    }
    all.given_back.notify_all();  // a limit may have been raised
    return limits;
}

}  // namespace

Claim::Claim(Resource resource, std::int64_t amount) : resource_(resource), amount_(amount) {
    account(resource).used.fetch_add(amount);
}

Claim::~Claim() {
    if (amount_ != 0) {
        give_back(resource_, amount_);
    }
}

Holding::Holding(Resource resource) : resource_(resource) {
    Budget& all = budget();
    const std::lock_guard lock(all.holders_mutex);
    all.holdings.push_back(this);
}

Holding::~Holding() {
    Budget& all = budget();
    const std::lock_guard lock(all.holders_mutex);
    std::erase(all.holdings, this);
}

std::int64_t used(Resource resource) { return account(resource).used.load() + sum_of_holdings(resource); }

bool has_room(Resource resource, std::int64_t amount) {
    const std::int64_t limit = account(resource).limit.load(std::memory_order_relaxed);
    return limit == unlimited || amount <= limit - used(resource);
}

Failure no_room(Resource resource, std::int64_t amount, const std::string& action) {
    return {ErrorCode::limit_reached,
            fmt::format("cannot {}: that takes {}, and this process holds {} of the {} that it may: raise the limit "
                        "`{}` (set_limits, STAITHE_LIMITS), or {}",
                        action, described(resource, amount), described(resource, used(resource)),
                        described(resource, account(resource).limit.load()), name_of(resource), advice_for(resource))};
}

Result<Claim> claim(Resource resource, std::int64_t amount, const std::string& action) {
    if (!take(resource, amount)) {
        return tl::unexpected(no_room(resource, amount, action));
    }
    Claim claim;
    claim.resource_ = resource;
    claim.amount_ = amount;
    return claim;
}

Result<Claim> claim(Resource resource, std::int64_t amount, const std::string& action, const Deadline& deadline) {
    auto claimed = claim(resource, amount, action);
    if (claimed) {
        return claimed;
    }
    Budget& all = budget();
    std::unique_lock lock(all.mutex);
    ++all.waiting;
    while (!claimed && amount <= account(resource).limit && !deadline.passed()) {
        // Announced as waiting before it looks again: who gives back later will see it.
        claimed = claim(resource, amount, action);
        if (claimed) {
            break;
        }
        all.given_back.wait_until(lock, next_question(deadline).at());
        lock.unlock();  // whoever is asked may take its time, and locks of its own
        const bool interrupted = base::interrupted();
        lock.lock();
        if (interrupted) {
            break;
        }
    }
    --all.waiting;
    if (!claimed && deadline.passed()) {
        return fail(ErrorCode::limit_reached, "{} (waited {:g} s for others to give some back)",
                    claimed.error().message, deadline.seconds());
    }
    return claimed;
}

Result<> refresh_limits() {
    Budget& all = budget();
    const std::lock_guard lock(all.mutex);
    auto applied = apply(all);
    return applied ? Result<>() : fail(std::move(applied));
}

void forget_claims_of_parent() noexcept {
    Budget& all = budget();
    // Another thread of the parent may have held the lock, and will never let go of it here.
    std::construct_at(&all.mutex);
    std::construct_at(&all.given_back);
    std::construct_at(&all.holders_mutex);
    std::construct_at(&all.holdings);  // the old one may be half changed
    all.waiting = 0;
    for (const Resource resource :
         {Resource::memory, Resource::connections, Resource::bytes_in_flight, Resource::prefetch}) {
        account(resource).used = 0;
    }
}

}  // namespace base

void set_limits(const Limits& limits) {
    base::value_or_raise(base::check(limits));
    base::Budget& all = base::budget();
    const std::lock_guard lock(all.mutex);
    const Limits before = std::exchange(all.set, limits);
    auto applied = base::apply(all);
    if (!applied) {
        all.set = before;
    }
    static_cast<void>(base::value_or_raise(std::move(applied)));
}

Limits limits() {
    base::Budget& all = base::budget();
    const std::lock_guard lock(all.mutex);
    return base::value_or_raise(base::apply(all));
}

std::int64_t parse_bytes(std::string_view text) { return base::value_or_raise(base::parse_bytes(text)); }

Usage usage() noexcept {
    using base::Resource;
    return {base::used(Resource::memory), base::used(Resource::descriptors), base::used(Resource::connections),
            base::used(Resource::bytes_in_flight), base::used(Resource::prefetch)};
}

}  // namespace staithe
