#include "stream/reading/live/stores.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "store/pool_source.hpp"
#include "store/remote/remote_source.hpp"
#include "store/store_set.hpp"
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

store::remote::Owner owner_by(std::shared_ptr<Holder> holder, std::uint32_t store) {
    return {.name = holder->name(),
            .stores = {store},
            .connect = [holder](const base::Deadline& deadline) { return holder->connect(deadline); },
            .loss = [holder] { return holder->loss(); }};
}

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
    base::Result<std::shared_ptr<store::BlockSource>> source_of(StorePlace place, std::uint32_t store, int rank);

    Membership& membership_;
    const base::Deadline& deadline_;
    std::vector<std::shared_ptr<store::BlockSource>> stores_;  // null: an owner on another host has it
    std::map<std::string, store::remote::Owner> owners_;       // by contact; the director has none
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
    if (const auto known = owners_.find(place.holder); known != owners_.end()) {
        known->second.stores.push_back(store);
        return nullptr;
    }
    const std::string& stream = membership_.stream();
    const auto& endpoint = membership_.endpoint();
    if (place.holder.empty()) {
        owners_[place.holder] = owner_by(Holder::of_director(endpoint, stream, membership_.link()), store);
        return nullptr;
    }
    const auto holder = Holder::of_rank(endpoint, stream, rank, place.holder);
    if (!holder) {
        return base::fail(holder);
    }
    if ((*holder)->is_here()) {
        if (auto pool = open_pool_of(**holder, store, deadline_); !pool || *pool) {
            return pool;
        }
    }
    owners_[place.holder] = owner_by(*holder, store);
    return nullptr;
}

Stores StoreFinder::take() {
    const bool are_far = !owners_.empty();
    if (are_far) {
        std::vector<store::remote::Owner> owners;
        for (auto& [contact, owner] : owners_) {
            owners.push_back(std::move(owner));
        }
        const auto remote = std::make_shared<store::remote::RemoteSource>(
            std::move(owners), store::remote::RemoteOptions{.timeout = base::Seconds(deadline_.seconds()),
                                                            .most_connections = most_connections});
        std::ranges::replace(stores_, nullptr, std::static_pointer_cast<store::BlockSource>(remote));
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
