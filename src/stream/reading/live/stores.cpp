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

namespace staithe::stream::live {
namespace {

/// To one process, where each is held back on its way.
constexpr int most_connections = 16;

/// Where the blocks of a rank are: in a pool that the director passed, or with a process that is to be asked.
struct StorePlace {
    os::FileDescriptor pool;
    std::string holder;  // a contact; empty if there is a pool, or the director's process has it
};

/// Of all writer ranks, by rank.
base::Result<std::vector<StorePlace>> ask_for_stores(Membership& membership, bool on_disk,
                                                     const base::Deadline& deadline) {
    const auto writers = static_cast<std::size_t>(membership.joined().writers);
    std::vector<StorePlace> places;
    while (places.size() < writers) {
        auto answer = membership.call(message_type::stores, {{"first", places.size()}, {"spill", on_disk}}, deadline);
        if (!answer) {
            return base::fail(std::move(answer));
        }
        const List* const holders = list_field(answer->body, "holders");
        if (holders == nullptr || holders->empty() || holders->size() > writers - places.size()) {
            return base::fail(ErrorCode::protocol, "the director of '{}' has not said where its stores are",
                              membership.stream());
        }
        std::size_t taken = 0;
        for (const Value& holder : *holders) {
            StorePlace place{{}, holder.as_string() == nullptr ? "" : *holder.as_string()};
            if (place.holder.empty() && taken < answer->descriptors.size()) {
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

    [[nodiscard]] store::remote::Owner owner() const {
        return {.name = holder->name(),
                .stores = stores,
                .connect = [holder = holder](const base::Deadline& deadline) { return holder->connect(deadline); },
                .loss = [holder = holder] { return holder->loss(); }};
    }
};

/// A writer rank of this host whose director is elsewhere gives its pools itself; null if it turns out to see this host
/// as another one.
base::Result<std::shared_ptr<store::BlockSource>> open_pool_of(Holder& holder, std::uint32_t store,
                                                               const base::Deadline& deadline) {
    auto answer = holder.ask(deadline);
    if (!answer) {
        return base::fail(std::move(answer));
    }
    const List* const stores = list_field(answer->body, "stores");
    for (std::size_t i = 0; stores != nullptr && i < stores->size() && i < answer->descriptors.size(); ++i) {
        if ((*stores)[i].as_int() == store) {
            return store::open_pool_source(std::move(answer->descriptors[i]));
        }
    }
    return nullptr;
}

/// The stores of all writer ranks, each by the best way to it.
class StoreFinder {
  public:
    StoreFinder(Membership& membership, const base::Deadline& deadline)
        : membership_(membership),
          deadline_(deadline),
          stores_(static_cast<std::size_t>(membership.joined().writers)) {}

    base::Result<> find(bool on_disk);
    Stores take();

  private:
    [[nodiscard]] std::function<void(const std::string&)> teller(int holder) const;
    base::Result<std::shared_ptr<store::BlockSource>> source_of(StorePlace place, std::uint32_t store, int rank);

    Membership& membership_;
    const base::Deadline& deadline_;
    std::vector<std::shared_ptr<store::BlockSource>> stores_;  // null: an owner on another host has it
    std::map<int, FarStores> far_;  // by the rank that is asked; 0 has those of its host, too
};

base::Result<> StoreFinder::find(bool on_disk) {
    auto places = ask_for_stores(membership_, on_disk, deadline_);
    if (!places) {
        return base::fail(std::move(places));
    }
    const auto writers = places->size();
    stores_.resize(on_disk ? 2 * writers : writers);
    for (std::size_t rank = 0; rank < writers; ++rank) {
        const std::size_t store = on_disk ? writers + rank : rank;
        auto source = source_of(std::move((*places)[rank]), static_cast<std::uint32_t>(store), static_cast<int>(rank));
        if (!source) {
            return base::fail(std::move(source));
        }
        stores_[store] = *std::move(source);
    }
    return {};
}

base::Result<std::shared_ptr<store::BlockSource>> StoreFinder::source_of(StorePlace place, std::uint32_t store,
                                                                         int rank) {
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
    const auto holder = Holder::of_rank(endpoint, stream, rank, place.holder);
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

Stores StoreFinder::take() {
    const bool are_far = !far_.empty();
    if (are_far) {
        const base::Seconds timeout(deadline_.seconds());
        std::vector<store::remote::Owner> owners;
        std::vector<store::fabric::FabricOwner> with_fabric;
        for (auto& [rank, far] : far_) {
            owners.push_back(far.owner());
            with_fabric.push_back(fabric_owner(far.holder, far.stores, teller(rank)));
        }
        auto remote = std::make_shared<store::remote::RemoteSource>(
            std::move(owners), store::remote::RemoteOptions{.timeout = timeout, .most_connections = most_connections});
        std::ranges::replace(stores_, nullptr,
                             std::shared_ptr<store::BlockSource>(std::make_shared<store::fabric::FabricSource>(
                                 std::move(with_fabric), std::move(remote), timeout)));
    }
    return {std::make_shared<store::StoreSet>(std::move(stores_)), are_far};
}

}  // namespace

base::Result<Stores> find_stores(Membership& membership, const base::Deadline& deadline) {
    StoreFinder finder(membership, deadline);
    auto found = finder.find(false);
    if (found && membership.joined().queue.spill_bytes > 0) {
        found = finder.find(true);
    }
    if (!found) {
        return base::fail(std::move(found));
    }
    return finder.take();
}

}  // namespace staithe::stream::live
