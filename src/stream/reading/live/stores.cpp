#include "stream/reading/live/stores.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "store/pool_source.hpp"
#include "store/remote/remote_source.hpp"
#include "store/store_set.hpp"
#include "stream/holding/far_memory.hpp"
#include "stream/holding/holder.hpp"
#include "transform/bound.hpp"

namespace staithe::stream::live {
namespace {

/// To one process, where each is held back on its way.
constexpr int most_connections = 16;

/// Where blocks are: in a pool that the director passed, or with a process that is to be asked.
struct StorePlace {
    os::FileDescriptor pool;
    std::string holder;       // a contact; empty if there is a pool, or the director's process has it
    bool is_nowhere = false;  // of a rank that has none: what it writes is with depots
};

/// Which of them there are: by rank of the writer, and behind these of the depots. More of these may come.
struct Wanted {
    std::size_t first = 0;
    std::size_t least = 0;  // that there are to be
    bool on_disk = false;
};

base::Result<std::vector<StorePlace>> ask_for_stores(Membership& membership, const Wanted& wanted,
                                                     const base::Deadline& deadline) {
    const auto most = static_cast<std::size_t>(membership.joined().writers) + (wanted.on_disk ? 0 : most_depots);
    std::vector<StorePlace> places;
    for (std::size_t next = wanted.first; next < wanted.least; next = wanted.first + places.size()) {
        auto answer = membership.call(message_type::stores, {{"first", next}, {"spill", wanted.on_disk}}, deadline);
        if (!answer) {
            return base::fail(std::move(answer));
        }
        const List* const holders = list_field(answer->body, "holders");
        if (holders == nullptr || holders->empty() || holders->size() > most - next) {
            return base::fail(ErrorCode::protocol, "the director of '{}' has not said where its stores are",
                              membership.stream());
        }
        std::size_t taken = 0;
        for (const Value& holder : *holders) {
            StorePlace place{{}, holder.as_string() == nullptr ? "" : *holder.as_string(), holder.is_null()};
            if (place.holder.empty() && !place.is_nowhere && taken < answer->descriptors.size()) {
                place.pool = std::move(answer->descriptors[taken++]);
            }
            places.push_back(std::move(place));
        }
        if (taken != answer->descriptors.size()) {
            return base::fail(ErrorCode::protocol, "the director of '{}' sent {} pools, and named {}",
                              membership.stream(), answer->descriptors.size(), taken);
        }
    }
    return places;
}

/// A process of another host, and what it holds.
struct FarStores {
    std::shared_ptr<Holder> holder;
    std::vector<std::uint32_t> stores;
};

/// The stores of all writer ranks, each by the best way to it.
class StoreFinder {
  public:
    StoreFinder(Membership& membership, const Needs& needs, const base::Deadline& deadline)
        : membership_(membership),
          needs_(needs),
          deadline_(deadline),
          stores_(static_cast<std::size_t>(membership.joined().writers)) {}

    base::Result<> find(const Wanted& wanted);
    [[nodiscard]] bool are_far() const { return !far_.empty(); }
    /// By their numbers; null: there is none.
    std::vector<std::shared_ptr<store::BlockSource>> take();

  private:
    [[nodiscard]] std::function<void(const std::string&)> teller(int holder) const;
    base::Result<std::shared_ptr<store::BlockSource>> source_of(StorePlace place, std::uint32_t store, int rank);

    Membership& membership_;
    const Needs& needs_;
    const base::Deadline& deadline_;
    std::vector<std::shared_ptr<store::BlockSource>> stores_;  // null: an owner on another host has it, or nobody
    std::map<int, FarStores> far_;  // by the rank that is asked; 0 has those of its host, too
};

base::Result<> StoreFinder::find(const Wanted& wanted) {
    auto places = ask_for_stores(membership_, wanted, deadline_);
    if (!places) {
        return base::fail(std::move(places));
    }
    const int writers = membership_.joined().writers;
    for (std::size_t i = 0; i < places->size(); ++i) {
        const auto place = static_cast<int>(wanted.first + i);
        const bool is_depot = place >= writers;
        const std::uint32_t store = is_depot ? store_of_depot(writers, place - writers)
                                             : static_cast<std::uint32_t>(wanted.on_disk ? writers + place : place);
        auto source = source_of(std::move((*places)[i]), store, place);
        if (!source) {
            return base::fail(std::move(source));
        }
        stores_.resize(std::max<std::size_t>(stores_.size(), store + 1));
        stores_[store] = *std::move(source);
    }
    return {};
}

base::Result<std::shared_ptr<store::BlockSource>> StoreFinder::source_of(StorePlace place, std::uint32_t store,
                                                                         int rank) {
    if (place.is_nowhere) {
        return nullptr;
    }
    if (place.pool) {
        return store::open_pool_source(std::move(place.pool));
    }
    const int asked = place.holder.empty() ? 0 : rank;
    if (const auto known = far_.find(asked); known != far_.end()) {
        known->second.stores.push_back(store);
        return nullptr;
    }
    const std::string& stream = membership_.stream();
    const auto& endpoint = membership_.endpoint();
    if (place.holder.empty()) {
        far_[asked] = {Holder::of_director(endpoint, stream, membership_.link()), {store}};
        return nullptr;
    }
    const int writers = membership_.joined().writers;
    const auto holder = rank < writers ? Holder::of_rank(endpoint, stream, rank, place.holder)
                                       : Holder::of_depot(endpoint, stream, rank - writers, place.holder,
                                                          membership_.joined().depot_service);
    if (!holder) {
        return base::fail(holder);
    }
    if ((*holder)->is_here()) {
        auto pool = open_pool_of(**holder, store, deadline_);
        // A rank that has closed the stream already has nothing of the steps to come; who reads another is told then.
        // One that listens at no port has withdrawn its socket, too: then `system`.
        const bool is_gone = !pool && (may_appear_later(pool.error()) || pool.error().code == ErrorCode::system);
        if (!is_gone && (!pool || *pool)) {
            return pool;
        }
    }
    far_[asked] = {*holder, {store}};
    return nullptr;
}

/// Tells the director which way blocks take, which says so to who asks.
std::function<void(const std::string&)> StoreFinder::teller(int holder) const {
    return [link = membership_.link(), stream = membership_.stream(), member = membership_.joined().member,
            holder](const std::string& way) {
        static_cast<void>(link->notify({{"service", stream},
                                        {"type", message_type::fetches},
                                        {"member", member},
                                        {"rank", holder},
                                        {"way", way}}));
    };
}

/// What the reader says of a variable counts, else what the writer does.
std::function<std::optional<store::remote::Allowed>(const store::BlockDescription&)> allowed_by(const Needs& needs) {
    if (needs.codec == no_codec) {
        return nullptr;
    }
    return [needs](const store::BlockDescription& block) {
        const auto bound = transform::bound_for(needs.error, block.variable);
        return std::optional(store::remote::Allowed{bound.value_or(block.error), needs.codec});
    };
}

std::vector<std::shared_ptr<store::BlockSource>> StoreFinder::take() {
    if (are_far()) {
        const base::Seconds timeout(deadline_.seconds());
        std::vector<store::remote::Owner> owners;
        std::vector<store::fabric::FabricOwner> with_fabric;
        for (auto& [rank, far] : far_) {
            owners.push_back(owner_of(far.holder, far.stores));
            with_fabric.push_back(fabric_owner(far.holder, far.stores, teller(rank)));
        }
        auto remote = std::make_shared<store::remote::RemoteSource>(
            std::move(owners),
            store::remote::RemoteOptions{
                .timeout = timeout, .most_connections = most_connections, .allowed = allowed_by(needs_)});
        std::ranges::replace(stores_, nullptr,
                             std::shared_ptr<store::BlockSource>(std::make_shared<store::fabric::FabricSource>(
                                 std::move(with_fabric), std::move(remote), timeout)));
    }
    return std::move(stores_);
}

/// Servers may still come to a stream that has depots.
std::size_t most_stores(const Joined& joined) {
    return joined.depots.empty() ? 0 : store_of_depot(joined.writers, static_cast<int>(most_depots));
}

}  // namespace

store::DecodingSource::Check acceptable_to(const Needs& needs, bool at_server) {
    if (needs.error.empty()) {
        return nullptr;
    }
    return [error = needs.error, at_server](const store::BlockDescription& block, double bound) -> base::Result<> {
        const auto wanted = transform::bound_for(error, block.variable);
        if (!wanted || bound == 0.0 || transform::is_as_fine(block.error, bound, *wanted)) {
            return {};
        }
        return base::fail(ErrorCode::invalid_argument,
                          "it was encoded within its error of {} {}, and this reader wants {}: let it want no more, or "
                          "let the writer {}",
                          codecs::to_string(block.error),
                          at_server ? "on its way to a server" : "while the queue was full (overflow 'compress')",
                          codecs::to_string(*wanted), at_server ? "allow less" : "spill");
    };
}

base::Result<Stores> find_stores(Membership& membership, const Needs& needs, const base::Deadline& deadline) {
    const Joined& joined = membership.joined();
    const auto writers = static_cast<std::size_t>(joined.writers);
    StoreFinder finder(membership, needs, deadline);
    auto found = finder.find({.least = writers + joined.depots.size()});
    if (found && joined.queue.spill_bytes > 0) {
        found = finder.find({.least = writers, .on_disk = true});
    }
    if (!found) {
        return base::fail(std::move(found));
    }
    const bool are_far = finder.are_far();
    return Stores{
        std::make_shared<store::StoreSet>(finder.take(), store::StoreSet::Numbers::of_stores, most_stores(joined)),
        are_far};
}

base::Result<bool> find_later_stores(Membership& membership, const Needs& needs, store::StoreSet& known,
                                     std::span<const store::BlockRef> blocks, base::Seconds patience) {
    const std::size_t first = known.size();
    const std::size_t most = most_stores(membership.joined());
    std::size_t end = first;
    for (std::size_t i = 0; i < blocks.size() && first < most; ++i) {
        if (blocks[i].store < most) {  // else it is named where it is fetched
            end = std::max<std::size_t>(end, blocks[i].store + std::size_t{1});
        }
    }
    if (end == first) {
        return false;
    }
    const auto writers = static_cast<std::size_t>(membership.joined().writers);
    const base::Deadline deadline(patience);
    StoreFinder finder(membership, needs, deadline);
    if (auto found = finder.find({.first = first - writers, .least = end - writers}); !found) {
        return base::fail(std::move(found));
    }
    const bool are_far = finder.are_far();
    const auto stores = finder.take();
    for (std::size_t store = first; store < stores.size(); ++store) {
        known.add(stores[store]);
    }
    return are_far;
}

}  // namespace staithe::stream::live
