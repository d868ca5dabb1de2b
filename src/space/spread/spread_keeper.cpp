#include "space/spread/spread_keeper.hpp"

#include <algorithm>
#include <future>
#include <iterator>
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
        const std::lock_guard lock(mutex_);
        known = *opened;
    }
    return opened;
}

base::Result<SpreadKeeper::Part> SpreadKeeper::home(const std::string& name) {
    return part(home_of(name), base::Deadline(time_to_answer));
}

// Putting ---------------------------------------------------------------------------------------------------------

std::vector<int> SpreadKeeper::ranks_for(const store::space::Put& put) {
    const std::vector<bool> near = group_->near();
    std::vector<KnownServer> servers;
    {
        const std::lock_guard lock(mutex_);
        for (std::size_t rank = 0; rank < near.size(); ++rank) {
            servers.push_back({.is_near = near[rank], .bytes = parts_[rank] ? parts_[rank]->load() : 0});
        }
    }
    return server_order(servers, put, static_cast<std::size_t>(os::process_id()));
}

base::Result<Room> SpreadKeeper::reserve(const store::space::Put& put, const base::Deadline& deadline) {
    const int home = home_of(put.block.variable);
    if (put.persist || put.block.data_bytes() <= memory::Pool::small_limit) {
        const auto at = part(home, deadline);
        auto room = at ? (*at)->reserve(put, deadline) : base::fail(at);
        if (room) {
            room->is_at(home);
        }
        return room;
    }
    return reserve_anywhere(put, ranks_for(put), deadline);
}

base::Result<Room> SpreadKeeper::reserve_anywhere(const store::space::Put& put, const std::vector<int>& ranks,
                                                  const base::Deadline& deadline) {
    for (;;) {
        std::optional<base::Failure> full;
        for (const int rank : ranks) {
            const auto at = part(rank, base::Deadline(time_to_answer));
            auto room = at ? (*at)->reserve_now(put, base::Deadline(time_to_answer)) : base::fail(at);
            if (room) {
                room->is_at(rank);
                return room;
            }
            if (room.error().code == ErrorCode::limit_reached) {
                full = room.error();
            } else if (room.error().code != ErrorCode::peer_lost || (rank == ranks.back() && !full)) {
                return room;
            }
        }
        if (deadline.passed() || base::interrupted()) {
            return base::fail(full->code, "waited {:g} s, and none of the {} servers '{}' has room; the last: {}",
                              deadline.seconds(), group_->size(), group_->name(), full->message);
        }
        std::this_thread::sleep_for(std::min<base::Seconds>(deadline.left(), between_rounds));
    }
}

base::Result<std::int64_t> SpreadKeeper::put(store::space::Put put, Room room, const base::Deadline& deadline) {
    const int home = home_of(put.block.variable), server = room.server();
    const auto at = part(server, deadline);
    if (!at) {
        return base::fail(at);
    }
    std::ranges::transform(put.locks, put.locks.begin(), [&](std::int64_t token) { return of_its_server(token); });
    return server == home ? (*at)->put(std::move(put), std::move(room), deadline)
                          : (*at)->put_for(home, put, std::move(room), deadline);
}

/// The home has what is small, and what is to persist.
base::Result<std::int64_t> SpreadKeeper::put(const Parcel& parcel, const base::Deadline& deadline) {
    if (parcel.put.block.data_bytes() > memory::Pool::small_limit) {
        return Keeper::put(parcel, deadline);
    }
    const auto at = part(home_of(parcel.put.block.variable), deadline);
    Parcel of_home = parcel;
    std::ranges::transform(of_home.put.locks, of_home.put.locks.begin(),
                           [&](std::int64_t token) { return of_its_server(token); });
    return at ? (*at)->put(of_home, deadline) : base::fail(at);
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
        for (const std::size_t place : by_home[home]) {
            of_home.push_back(parcels[place]);
            auto& locks = of_home.back().put.locks;
            std::ranges::transform(locks, locks.begin(), [&](std::int64_t token) { return of_its_server(token); });
        }
        if (of_home.empty()) {
            continue;
        }
        const auto at = part(static_cast<int>(home), deadline);
        auto of_these = at ? (*at)->put_many(of_home, deadline)
                           : std::vector<base::Result<std::int64_t>>(of_home.size(), base::fail(at));
        for (std::size_t i = 0; i < of_these.size(); ++i) {
            results[by_home[home][i]] = std::move(of_these[i]);
        }
    }
    return results;
}

// Finding ---------------------------------------------------------------------------------------------------------

base::Result<Found> SpreadKeeper::find(const store::space::Wanted& wanted, const base::Deadline& deadline) {
    const int rank = home_of(wanted.variable);
    const auto at = part(rank, base::Deadline(time_to_answer));
    auto found = at ? (*at)->find(wanted, deadline) : base::fail(at);
    if (!found) {
        return tl::unexpected(explained(found.error(), wanted.variable, &deadline));
    }
    found->serial = of_all_servers(found->serial, rank);
    return found;
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
        const int rank = static_cast<int>(home);
        const auto at = of_home.empty() ? base::Result<Part>() : part(rank, base::Deadline(time_to_answer));
        auto of_these =
            at ? (of_home.empty() ? std::vector<base::Result<Found>>() : (*at)->find_many(of_home, deadline))
               : std::vector<base::Result<Found>>(of_home.size(), base::fail(at));
        for (std::size_t i = 0; i < of_these.size(); ++i) {
            auto& result = results[by_home[home][i]] = std::move(of_these[i]);
            if (result) {
                result->serial = of_all_servers(result->serial, rank);
            } else {
                result = tl::unexpected(explained(result.error(), of_home[i].variable, &deadline));
            }
        }
    }
    return results;
}

/// Each server reduces its own at the same time as the others.
base::Result<> SpreadKeeper::reduce(store::BlockSource& source, std::span<const store::BlockRef> refs,
                                    std::span<const store::Piece> pieces, store::space::Reduction& into,
                                    const base::Deadline& deadline) {
    std::vector<std::vector<store::Piece>> by_server(parts_.size());
    for (const store::Piece& piece : pieces) {
        by_server[refs[piece.block].store % by_server.size()].push_back(piece);
    }
    const store::space::Reduction nothing = into;
    const auto reduced_by = [&](int rank) -> base::Result<store::space::Reduction> {
        store::space::Reduction reduction = nothing;
        const auto at = part(rank, deadline);
        const auto reduced =
            at ? (*at)->reduce(source, refs, by_server[static_cast<std::size_t>(rank)], reduction, deadline)
               : base::fail(at);
        return reduced ? base::Result<store::space::Reduction>(std::move(reduction)) : base::fail(reduced);
    };
    std::vector<std::future<base::Result<store::space::Reduction>>> all;
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

template <class Ask>
base::Result<std::vector<std::string>> SpreadKeeper::of_all(const Ask& ask) {
    std::vector<std::string> all;
    for (int rank = 0; rank < group_->size(); ++rank) {
        const auto at = part(rank, base::Deadline(time_to_answer));
        auto some = at ? ask(**at) : base::fail(at);
        if (!some) {
            return some;
        }
        std::ranges::move(*some, std::back_inserter(all));
    }
    std::ranges::sort(all);
    const auto twice = std::ranges::unique(all);  // containers are where there is something in them
    all.erase(twice.begin(), twice.end());
    return all;
}

base::Result<std::vector<std::string>> SpreadKeeper::list(const std::string& pattern) {
    return of_all([&](ServedKeeper& part) { return part.list(pattern); });
}

base::Result<std::vector<std::string>> SpreadKeeper::list_containers(const std::string& pattern) {
    return of_all([&](ServedKeeper& part) { return part.list_containers(pattern); });
}

base::Result<std::vector<Listed>> SpreadKeeper::versions(const std::string& variable) {
    const auto at = home(variable);
    auto versions = at ? (*at)->versions(variable) : base::fail(at);
    return versions ? std::move(versions) : tl::unexpected(explained(versions.error(), variable, nullptr));
}

base::Result<> SpreadKeeper::remove(const std::string& variable, std::optional<std::int64_t> version) {
    const auto at = home(variable);
    const auto removed = at ? (*at)->remove(variable, version) : base::fail(at);
    return removed ? base::Result<>() : tl::unexpected(explained(removed.error(), variable, nullptr));
}

base::Result<std::int64_t> SpreadKeeper::remove_container(const std::string& path) {
    std::int64_t all = 0;
    for (int rank = 0; rank < group_->size(); ++rank) {  // any of them has some of what is in it
        const auto at = part(rank, base::Deadline(time_to_answer));
        const auto removed = at ? (*at)->remove_container(path) : base::fail(at);
        if (!removed) {
            return removed;
        }
        all += *removed;
    }
    return all;
}

base::Result<> SpreadKeeper::set_attributes(const std::string& path, const Attributes& attributes) {
    const auto at = home(path);
    return at ? (*at)->set_attributes(path, attributes) : base::fail(at);
}

base::Result<Attributes> SpreadKeeper::attributes(const std::string& path) {
    const auto at = home(path);
    return at ? (*at)->attributes(path) : base::fail(at);
}

base::Result<> SpreadKeeper::retain(const std::string& variable, const store::space::RetentionRules& rules) {
    const auto at = home(variable);
    return at ? (*at)->retain(variable, rules) : base::fail(at);
}

// Locks -----------------------------------------------------------------------------------------------------------

std::int64_t SpreadKeeper::of_all_servers(std::int64_t number, int rank) const {
    return number * group_->size() + rank;
}

int SpreadKeeper::rank_in(std::int64_t number) const { return static_cast<int>(number % group_->size()); }

std::int64_t SpreadKeeper::of_its_server(std::int64_t number) const { return number / group_->size(); }

base::Result<LockGrant> SpreadKeeper::lock(const store::space::LockTable::Wish& wish, std::int64_t thread,
                                           const base::Deadline& deadline) {
    const int rank = home_of(wish.variable);
    const auto at = part(rank, base::Deadline(time_to_answer));
    LockCircle circle(ServedKeeper::holder_key(thread), group_->size(),
                      [&](int server, const std::vector<std::string>& holders, const std::string& target) {
                          const base::Deadline soon(std::min<base::Seconds>(deadline.left(), time_of_look));
                          const auto asked = part(server, soon);
                          return asked ? (*asked)->waited_for(holders, target, soon) : base::fail(asked);
                      });
    auto grant = at ? (*at)->lock(wish, thread, deadline, [&] { return circle.look(); }) : base::fail(at);
    if (grant) {
        grant->token = of_all_servers(grant->token, rank);
    }
    return grant;
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
