#include "space/spread/spread_keeper.hpp"

#include <algorithm>
#include <cstring>
#include <future>
#include <iterator>
#include <set>
#include <thread>
#include <utility>

#include "base/interruption.hpp"
#include "memory/pool.hpp"
#include "os/process.hpp"
#include "space/spread/lock_circle.hpp"
#include "space/spread/server_order.hpp"
#include "store/space/home.hpp"

namespace staithe::space {
namespace {

/// For answers of servers that live.
constexpr base::Seconds time_to_answer{60.0};

/// Where nobody has room: before all are asked again.
constexpr base::Seconds between_rounds{0.05};

/// For answers of servers that are asked who waits for whom: those that take longer are asked again soon.
constexpr base::Seconds time_of_look{0.5};

/// For a server to go on for one that is gone.
constexpr base::Seconds time_to_go_on{5.0};
constexpr auto until_it_is_asked_again = std::chrono::milliseconds(2);

base::Result<Room> reserved_at(ServedKeeper& at, int rank, const store::space::Put& put,
                               const base::Deadline& deadline) {
    auto room = at.reserve(put, deadline);
    if (room) {
        room->is_at(rank, at.shared());
    }
    return room;
}

}  // namespace

base::Result<std::shared_ptr<Keeper>> SpreadKeeper::open(const std::string& space, const Member& one,
                                                         const std::optional<std::string>& server,
                                                         const base::Deadline& deadline) {
    auto group = ServerGroup::of(one, server, deadline);
    return group ? base::Result<std::shared_ptr<Keeper>>(
                       std::shared_ptr<Keeper>(new SpreadKeeper(space, *std::move(group))))
                 : base::fail(std::move(group));
}

std::string SpreadKeeper::title() const { return fmt::format("{} servers '{}'", group_->size(), group_->name()); }

int SpreadKeeper::home_of(const std::string& name) const { return store::space::home_of(space_, name, group_->size()); }

base::Result<SpreadKeeper::Part> SpreadKeeper::part(int rank, const base::Deadline& deadline) {
    auto link = group_->link(rank, deadline);
    if (!link) {
        return base::fail(std::move(link));
    }
    Part& known = parts_[static_cast<std::size_t>(rank)];
    {
        const std::lock_guard lock(mutex_);
        if (known && known->server() == *link) {
            return known;
        }
    }
    auto opened = ServedKeeper::open(space_, *std::move(link), group_, deadline);
    if (opened) {
        has_replicas_ = (*opened)->has_replicas();
        const std::lock_guard lock(mutex_);
        known = *opened;
    }
    return opened;
}

// Who leads -------------------------------------------------------------------------------------------------------

bool SpreadKeeper::has_replicas() {
    const auto is_known = [this] {
        const std::lock_guard lock(mutex_);
        return std::ranges::any_of(parts_, [](const Part& part) { return part != nullptr; });
    };
    for (int rank = 0; rank < group_->size() && !is_known(); ++rank) {
        static_cast<void>(part(rank, base::Deadline(time_to_go_on)));
    }
    return has_replicas_;
}

bool SpreadKeeper::find_leader(int home, const base::Deadline& patience) {
    const auto ask = [this](int rank) {
        const base::Deadline soon(time_to_go_on);
        const auto at = part(rank, soon);
        return at ? (*at)->homes(soon) : base::fail(at);
    };
    if (!has_replicas() || patience.passed()) {
        return false;
    }
    const bool is_led = leaders_.look(home, ask, patience).has_value();
    std::this_thread::sleep_for(until_it_is_asked_again);
    return is_led;
}

template <class Call>
auto SpreadKeeper::at_leader(int home, const base::Deadline& deadline, const Call& call)
    -> decltype(call(std::declval<ServedKeeper&>(), 0)) {
    std::optional<base::Deadline> patience;
    for (;;) {
        const int rank = leaders_.of(home);
        const auto at = part(rank, deadline);
        auto result = at ? call(**at, rank) : base::fail(at);
        if (result || result.error().code != ErrorCode::peer_lost) {
            return result;
        }
        patience = patience.value_or(base::Deadline(time_to_go_on));
        if (!find_leader(home, *patience)) {
            return result;
        }
    }
}

// Putting ---------------------------------------------------------------------------------------------------------

std::vector<int> SpreadKeeper::ranks_for(const store::space::Put& put) {
    const auto own = static_cast<std::size_t>(os::process_id());
    std::vector<KnownServer> servers;
    for (const bool is_near : group_->near()) {
        servers.push_back({.is_near = is_near});
    }
    const int turn = server_order(servers, put, own).front();
    {
        const std::lock_guard lock(mutex_);
        for (std::size_t rank = 0; rank < servers.size(); ++rank) {
            servers[rank].bytes = parts_[rank] ? parts_[rank]->load() : 0;
        }
    }
    auto ranks = server_order(servers, put, own);
    // What a rank of a group knows of servers that it seldom puts at is old: it asks before it leaves its turn.
    std::set<int> asked;
    while (put.by.ranks > 1 && ranks.front() != turn && asked.insert(ranks.front()).second) {
        const auto at = part(ranks.front(), base::Deadline(time_to_answer));
        const auto load = at ? (*at)->ask_load() : base::fail(at);
        servers[static_cast<std::size_t>(ranks.front())].bytes = load.value_or(INT64_MAX);
        ranks = server_order(servers, put, own);
    }
    return ranks;
}

base::Result<Room> SpreadKeeper::reserve(const store::space::Put& put, const base::Deadline& deadline) {
    if (put.persist || put.block.data_bytes() <= memory::Pool::small_limit) {
        return at_leader(home_of(put.block.variable), deadline,
                         [&](ServedKeeper& at, int rank) { return reserved_at(at, rank, put, deadline); });
    }
    return reserve_anywhere(put, ranks_for(put), deadline);
}

base::Result<Room> SpreadKeeper::reserve_anywhere(const store::space::Put& put, const std::vector<int>& ranks,
                                                  const base::Deadline& deadline) {
    std::optional<base::Deadline> patience;
    for (;;) {
        auto room = reserve_once(put, ranks);
        const bool is_full = !room && room.error().code == ErrorCode::limit_reached;
        const bool is_lost = !room && room.error().code == ErrorCode::peer_lost;
        if (room || (!is_full && !is_lost)) {
            return room;
        }
        patience = patience.value_or(base::Deadline(time_to_go_on));
        if (is_lost && (!has_replicas() || patience->passed())) {
            return room;
        }
        if (deadline.passed() || base::interrupted()) {
            return base::fail(room.error().code,
                              "waited {:g} s, and none of the {} servers '{}' has room; the last: {}",
                              deadline.seconds(), group_->size(), group_->name(), room.error().message);
        }
        std::this_thread::sleep_for(std::min<base::Seconds>(deadline.left(), between_rounds));
    }
}

/// With a twin, if servers go on for each other and there are two that live.
base::Result<Room> SpreadKeeper::reserve_once(const store::space::Put& put, const std::vector<int>& ranks) {
    std::optional<Room> first;
    std::optional<base::Failure> full, lost;
    for (const int rank : ranks) {
        const auto at = part(rank, base::Deadline(time_to_answer));
        auto room = at ? (*at)->reserve_now(put, base::Deadline(time_to_answer)) : base::fail(at);
        if (room) {
            room->is_at(rank, *at);
            if (!first && !has_replicas_) {
                return room;
            }
            if (first) {
                first->have_twin(*std::move(room));
                return *std::move(first);
            }
            first.emplace(*std::move(room));
        } else if (room.error().code == ErrorCode::limit_reached) {
            full = room.error();
        } else if (room.error().code == ErrorCode::peer_lost) {
            lost = room.error();
        } else {
            return room;
        }
    }
    if (full || !first) {  // of two rooms one is none
        return tl::unexpected(full ? *full : *lost);
    }
    return *std::move(first);
}

base::Result<> SpreadKeeper::take_tokens(store::space::Put& put, int rank) const {
    for (std::int64_t& token : put.locks) {
        if (has_replicas_ && rank_in(token) != rank) {
            return base::fail(ErrorCode::closed,
                              "the lock on '{}' has ended with the server that had granted it: lock it again, and put "
                              "the block then",
                              put.block.variable);
        }
        token = of_its_server(token);
    }
    return {};
}

base::Result<std::int64_t> SpreadKeeper::put(store::space::Put put, Room room, const base::Deadline& deadline) {
    if (has_replicas_) {
        return put_again(std::move(put), std::move(room), deadline);
    }
    return put_in(put, room, home_of(put.block.variable), deadline);
}

/// Where the room is.
base::Result<std::int64_t> SpreadKeeper::put_in(const store::space::Put& put, Room& room, int leader,
                                                const base::Deadline& deadline) {
    store::space::Put its = put;
    if (const auto taken = take_tokens(its, leader); !taken) {
        return base::fail(taken);
    }
    if (const auto& twin = room.twin()) {
        const auto filled = static_cast<ServedKeeper&>(*twin->keeper()).fill(*twin, room.memory(), deadline);
        its.twin = filled ? std::optional(store::space::place_of(twin->ref())) : std::nullopt;
    }
    auto& at = static_cast<ServedKeeper&>(*room.keeper());
    return at.put_for(leader == room.server() ? std::nullopt : std::optional(leader), its, room, deadline);
}

/// Whatever server goes meanwhile: the others know if it was put before.
base::Result<std::int64_t> SpreadKeeper::put_again(store::space::Put put, Room room, const base::Deadline& deadline) {
    const int home = home_of(put.block.variable);
    put.id = numbers_.begin();
    std::vector<Room> rooms;
    rooms.push_back(std::move(room));
    std::optional<base::Deadline> patience;
    for (;;) {
        auto result = put_in(put, rooms.back(), leaders_.of(home), deadline);
        const bool is_lost = !result && result.error().code == ErrorCode::peer_lost;
        patience = patience.value_or(base::Deadline(time_to_go_on));
        if (!is_lost || !find_leader(home, *patience)) {
            numbers_.end(put.id);
            return result;
        }
        const Room& last = rooms.back();
        if (!static_cast<ServedKeeper&>(*last.keeper()).server()->is_open()) {
            auto other = reserve(put, deadline);
            if (!other) {
                numbers_.end(put.id);
                return base::fail(other);
            }
            if (other->memory() != last.memory() && last.ref().bytes > 0) {
                std::memcpy(other->memory(), last.memory(), static_cast<std::size_t>(last.ref().bytes));
            }
            rooms.push_back(*std::move(other));  // what the one before has is copied: it goes with the last
        }
    }
}

/// The home has what is small, and what is to persist.
base::Result<std::int64_t> SpreadKeeper::put(const Parcel& parcel, const base::Deadline& deadline) {
    if (parcel.put.block.data_bytes() > memory::Pool::small_limit) {
        return Keeper::put(parcel, deadline);
    }
    Parcel numbered = parcel;
    numbered.put.id = has_replicas() ? numbers_.begin() : store::space::PutId{};
    auto result = at_leader(home_of(parcel.put.block.variable), deadline,
                            [&](ServedKeeper& at, int rank) -> base::Result<std::int64_t> {
                                Parcel its = numbered;
                                const auto taken = take_tokens(its.put, rank);
                                return taken ? at.put(its, deadline) : base::fail(taken);
                            });
    numbers_.end(numbered.put.id);
    return result;
}

std::vector<base::Result<std::int64_t>> SpreadKeeper::put_many(std::span<const Parcel> parcels,
                                                               const base::Deadline& deadline) {
    std::vector<base::Result<std::int64_t>> results(parcels.size(), 0);
    std::vector<std::vector<std::size_t>> by_home(parts_.size());  // places among the parcels
    for (std::size_t place = 0; place < parcels.size(); ++place) {
        by_home[static_cast<std::size_t>(home_of(parcels[place].put.block.variable))].push_back(place);
    }
    for (std::size_t home = 0; home < by_home.size(); ++home) {
        std::vector<Parcel> of_home;
        const auto id = has_replicas() ? numbers_.begin(std::ssize(by_home[home])) : store::space::PutId{};
        for (const std::size_t place : by_home[home]) {
            of_home.push_back(parcels[place]);
            of_home.back().put.id = {id.program, id.number + std::ssize(of_home) - 1, id.settled};
        }
        if (of_home.empty()) {
            continue;
        }
        auto of_these = put_many_at(static_cast<int>(home), of_home, deadline);
        numbers_.end(id);
        for (std::size_t i = 0; i < of_these.size(); ++i) {
            results[by_home[home][i]] = std::move(of_these[i]);
        }
    }
    return results;
}

/// As one result for all, where these were lost with their server.
std::vector<base::Result<std::int64_t>> SpreadKeeper::put_many_at(int home, std::span<const Parcel> parcels,
                                                                  const base::Deadline& deadline) {
    using Results = std::vector<base::Result<std::int64_t>>;
    const auto put = [&](ServedKeeper& at, int rank) -> base::Result<Results> {
        std::vector<Parcel> its(parcels.begin(), parcels.end());
        for (Parcel& parcel : its) {
            if (const auto taken = take_tokens(parcel.put, rank); !taken) {
                return Results(parcels.size(), base::fail(taken));
            }
        }
        auto results = at.put_many(its, deadline);
        const auto lost = std::ranges::find_if(
            results, [](const auto& result) { return !result && result.error().code == ErrorCode::peer_lost; });
        return lost == results.end() ? base::Result<Results>(std::move(results)) : base::fail(*lost);
    };
    auto results = at_leader(home, deadline, put);
    return results ? *std::move(results) : Results(parcels.size(), base::fail(results));
}

// Finding ---------------------------------------------------------------------------------------------------------

void SpreadKeeper::found_at(const ServedKeeper& at, int rank, Found& found) {
    found.serial = of_all_servers(found.serial, rank);
    if (found.pin && at.has_replicas()) {
        found.pin = pins_.keep(at.server(), std::move(found.pin), found.blocks);
    }
}

base::Result<Found> SpreadKeeper::find(const store::space::Wanted& wanted, const base::Deadline& deadline) {
    auto found = at_leader(home_of(wanted.variable), base::Deadline(time_to_answer), [&](ServedKeeper& at, int rank) {
        auto found_there = at.find(wanted, deadline);
        if (found_there) {
            found_at(at, rank, *found_there);
        }
        return found_there;
    });
    return found ? std::move(found) : tl::unexpected(explained(found.error(), wanted.variable, &deadline));
}

std::vector<base::Result<Found>> SpreadKeeper::find_many(std::span<const store::space::Wanted> wanted,
                                                         const base::Deadline& deadline) {
    std::vector<std::vector<std::size_t>> by_home(parts_.size());  // places among the wanted
    for (std::size_t place = 0; place < wanted.size(); ++place) {
        by_home[static_cast<std::size_t>(home_of(wanted[place].variable))].push_back(place);
    }
    std::vector<base::Result<Found>> results(wanted.size());
    for (std::size_t home = 0; home < by_home.size(); ++home) {
        std::vector<store::space::Wanted> of_home;
        std::ranges::transform(by_home[home], std::back_inserter(of_home),
                               [&](std::size_t place) { return wanted[place]; });
        auto of_these = find_many_at(static_cast<int>(home), of_home, deadline);
        for (std::size_t i = 0; i < of_these.size(); ++i) {
            auto& result = results[by_home[home][i]] = std::move(of_these[i]);
            if (!result) {
                result = tl::unexpected(explained(result.error(), of_home[i].variable, &deadline));
            }
        }
    }
    return results;
}

std::vector<base::Result<Found>> SpreadKeeper::find_many_at(int home, std::span<const store::space::Wanted> wanted,
                                                            const base::Deadline& deadline) {
    using Results = std::vector<base::Result<Found>>;
    if (wanted.empty()) {
        return {};
    }
    auto results =
        at_leader(home, base::Deadline(time_to_answer), [&](ServedKeeper& at, int rank) -> base::Result<Results> {
            auto found = at.find_many(wanted, deadline);
            for (auto& each : found) {
                if (!each && each.error().code == ErrorCode::peer_lost) {
                    return base::fail(each);
                }
                if (each) {
                    found_at(at, rank, *each);
                }
            }
            return found;
        });
    return results ? *std::move(results) : Results(wanted.size(), base::fail(results));
}

/// Each server reduces its own at the same time as the others.
base::Result<> SpreadKeeper::reduce(store::BlockSource& source, std::span<const store::BlockRef> refs,
                                    std::span<const store::Piece> pieces, store::reducing::Reduction& into,
                                    const base::Deadline& deadline) {
    std::vector<std::vector<store::Piece>> by_server(parts_.size());
    for (const store::Piece& piece : pieces) {
        by_server[refs[piece.block].store % by_server.size()].push_back(piece);
    }
    const store::reducing::Reduction nothing = into;
    const auto reduced_by = [&](int rank) -> base::Result<store::reducing::Reduction> {
        store::reducing::Reduction reduction = nothing;
        const auto at = part(rank, deadline);
        const auto reduced =
            at ? (*at)->reduce(source, refs, by_server[static_cast<std::size_t>(rank)], reduction, deadline)
               : base::fail(at);
        return reduced ? base::Result<store::reducing::Reduction>(std::move(reduction)) : base::fail(reduced);
    };
    std::vector<std::future<base::Result<store::reducing::Reduction>>> all;
    for (int rank = 0; rank < group_->size(); ++rank) {
        if (!by_server[static_cast<std::size_t>(rank)].empty()) {
            all.push_back(std::async(std::launch::async, reduced_by, rank));
        }
    }
    base::Result<> outcome;
    for (auto& each : all) {
        const auto reduced = each.get();
        const auto added = reduced ? into.add(reduced->parts()) : base::fail(reduced);
        outcome = outcome ? added : outcome;
    }
    return outcome;
}

base::Failure SpreadKeeper::explained(base::Failure failure, const std::string& variable,
                                      const base::Deadline* waited) {
    const bool is_timeout = waited != nullptr && failure.code == ErrorCode::timeout && waited->passed();
    if (!is_timeout && failure.code != ErrorCode::not_found) {
        return failure;
    }
    const auto names = list("*");
    if (!names || std::ranges::binary_search(*names, variable)) {
        return failure;
    }
    base::Failure missing = store::space::no_such_variable(space_, variable, *names);
    return is_timeout
               ? base::Failure{ErrorCode::timeout, fmt::format("waited {:g} s: {}", waited->seconds(), missing.message)}
               : missing;
}

template <class Ask, class Take>
base::Result<> SpreadKeeper::of_all(const Ask& ask, const Take& take) {
    std::set<int> left;
    for (int home = 0; home < group_->size(); ++home) {
        left.insert(home);
    }
    while (!left.empty()) {
        const base::Deadline soon(time_to_answer);
        const auto some =
            at_leader(*left.begin(), soon, [&](ServedKeeper& at, int rank) -> base::Result<std::set<int>> {
                auto answer = ask(at);
                auto homes = !answer ? base::fail(answer)
                                     : (has_replicas_ ? at.homes(soon) : base::Result<std::set<int>>(std::set{rank}));
                if (homes && !homes->contains(*left.begin())) {
                    return base::fail(ErrorCode::peer_lost, "{} does not lead what it did", at.title());
                }
                if (homes) {
                    take(*std::move(answer));
                }
                return homes;
            });
        if (!some) {
            return base::fail(some);
        }
        std::ranges::for_each(*some, [&](int home) { left.erase(home); });
    }
    return {};
}

template <class Ask>
base::Result<std::vector<std::string>> SpreadKeeper::names_of_all(const Ask& ask) {
    std::vector<std::string> all;
    const auto asked =
        of_all(ask, [&](std::vector<std::string> some) { std::ranges::move(some, std::back_inserter(all)); });
    if (!asked) {
        return base::fail(asked);
    }
    std::ranges::sort(all);
    const auto twice = std::ranges::unique(all);  // containers are where there is something in them
    all.erase(twice.begin(), twice.end());
    return all;
}

base::Result<std::vector<std::string>> SpreadKeeper::list(const std::string& pattern) {
    return names_of_all([&](ServedKeeper& part) { return part.list(pattern); });
}

base::Result<std::vector<std::string>> SpreadKeeper::list_containers(const std::string& pattern) {
    return names_of_all([&](ServedKeeper& part) { return part.list_containers(pattern); });
}

base::Result<std::vector<Listed>> SpreadKeeper::versions(const std::string& variable) {
    auto versions = at_leader(home_of(variable), base::Deadline(time_to_answer), [&](ServedKeeper& at, int rank) {
        auto listed = at.versions(variable);
        if (listed) {
            std::ranges::for_each(*listed, [&](Listed& each) { each.serial = of_all_servers(each.serial, rank); });
        }
        return listed;
    });
    return versions ? std::move(versions) : tl::unexpected(explained(versions.error(), variable, nullptr));
}

base::Result<> SpreadKeeper::remove(const std::string& variable, std::optional<std::int64_t> version) {
    const auto id = has_replicas() ? numbers_.begin() : store::space::PutId{};
    const auto removed = of_home(variable, [&](ServedKeeper& home) { return home.remove(variable, version, id); });
    numbers_.end(id);
    return removed ? base::Result<>() : tl::unexpected(explained(removed.error(), variable, nullptr));
}

base::Result<std::int64_t> SpreadKeeper::remove_container(const std::string& path) {
    std::int64_t all = 0;
    const auto removed = of_all([&](ServedKeeper& part) { return part.remove_container(path); },
                                [&](std::int64_t some) { all += some; });  // any of them has some of what is in it
    return removed ? base::Result<std::int64_t>(all) : base::fail(removed);
}

base::Result<> SpreadKeeper::set_attributes(const std::string& path, const Attributes& attributes) {
    return of_home(path, [&](ServedKeeper& home) { return home.set_attributes(path, attributes); });
}

base::Result<Attributes> SpreadKeeper::attributes(const std::string& path) {
    return of_home(path, [&](ServedKeeper& home) { return home.attributes(path); });
}

base::Result<> SpreadKeeper::retain(const std::string& variable, const store::space::RetentionRules& rules) {
    return of_home(variable, [&](ServedKeeper& home) { return home.retain(variable, rules); });
}

// Locks -----------------------------------------------------------------------------------------------------------

std::int64_t SpreadKeeper::of_all_servers(std::int64_t number, int rank) const {
    return number * group_->size() + rank;
}

int SpreadKeeper::rank_in(std::int64_t number) const { return static_cast<int>(number % group_->size()); }

std::int64_t SpreadKeeper::of_its_server(std::int64_t number) const { return number / group_->size(); }

base::Result<LockGrant> SpreadKeeper::lock(const store::space::LockTable::Wish& wish, std::int64_t thread,
                                           const base::Deadline& deadline) {
    LockCircle circle(ServedKeeper::holder_key(thread), group_->size(),
                      [&](int server, const std::vector<std::string>& holders, const std::string& target) {
                          const base::Deadline soon(std::min<base::Seconds>(deadline.left(), time_of_look));
                          const auto asked = part(server, soon);
                          return asked ? (*asked)->waited_for(holders, target, soon) : base::fail(asked);
                      });
    return at_leader(home_of(wish.variable), base::Deadline(time_to_answer), [&](ServedKeeper& at, int rank) {
        auto grant = at.lock(wish, thread, deadline, [&] { return circle.look(); });
        if (grant) {
            grant->token = of_all_servers(grant->token, rank);
        }
        return grant;
    });
}

base::Result<> SpreadKeeper::unlock(std::int64_t token) {
    const auto at = part(rank_in(token), base::Deadline(time_to_answer));
    return at ? (*at)->unlock(of_its_server(token)) : base::fail(at);
}

void SpreadKeeper::drop_lock(std::int64_t token) noexcept {
    Part known;
    {
        const std::lock_guard lock(mutex_);
        known = parts_[static_cast<std::size_t>(rank_in(token))];
    }
    if (known) {  // it has granted the lock
        known->drop_lock(of_its_server(token));
    }
}

bool SpreadKeeper::is_same_space(const Keeper& other) const {
    const auto* const spread = dynamic_cast<const SpreadKeeper*>(&other);
    return spread != nullptr && spread->space_ == space_ && spread->group_->is_same(*group_);
}

}  // namespace staithe::space
