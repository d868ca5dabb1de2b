// What is ordered ahead, behind what still comes.
#include <algorithm>
#include <utility>

#include "store/remote/remote_source.hpp"
#include "transport/connection_room.hpp"

namespace staithe::store::remote {

/// An order: lanes that would still write for it are closed with it.
class RemoteSource::Ordered final : public Order {
  public:
    explicit Ordered(RemoteSource& source) : source_(source) {}
    ~Ordered() override {
        for (const Busy& each : busy_) {
            if (!each.has_come()) {
                each.lane->close();
            }
        }
        busy_.clear();
        if (source_.home_.here()) {
            source_.give_surplus_back();
        }
    }

    base::Result<> ask(WantedOf wanted) {
        for (Lanes& lanes : source_.ordering_) {
            std::erase_if(lanes, [](const auto& lane) { return lane->is_closed(); });
        }
        // What comes waits for no connection, nor does it end where one cannot be had.
        const bool others_come = !std::ranges::all_of(source_.ordering_, &Lanes::empty);
        for (std::size_t owner = 0; owner < wanted.size(); ++owner) {
            const bool connects = source_.ordering_[owner].empty() && !source_.is_connected(owner);
            if (others_come && connects && !wanted[owner].empty()) {
                return base::fail(ErrorCode::limit_reached, "what comes waits for no connection");
            }
        }
        for (std::size_t owner = 0; owner < wanted.size(); ++owner) {
            if (auto asked = source_.ask(owner, std::move(wanted[owner]), source_.ordering_[owner], busy_); !asked) {
                return asked;
            }
        }
        return {};
    }
    base::Result<> await(base::FunctionRef<void()> meanwhile) override {
        return source_.await_ordered(busy_, meanwhile);
    }

  private:
    RemoteSource& source_;
    std::vector<Busy> busy_;
};

std::unique_ptr<Order> RemoteSource::order(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                           const MutableArrayView& destination) {
    auto wanted = find_owners(refs, pieces, destination);
    auto order = std::make_unique<Ordered>(*this);
    // What is wrong is told to who fetches them.
    return home_.here() && may_order() && wanted && order->ask(*std::move(wanted)) ? std::move(order) : nullptr;
}

/// One at a time where others wait for its connections, and none where this process is short of them.
bool RemoteSource::may_order() const {
    return !transport::are_connections_scarce() && std::ranges::none_of(ordering_, [](const Lanes& lanes) {
        return std::ranges::any_of(lanes, [](const auto& lane) { return !lane->is_closed() && lane->is_scarce(); });
    });
}

base::Result<> RemoteSource::await_ordered(std::vector<Busy>& busy, base::FunctionRef<void()> meanwhile) {
    if (auto awaited = await(busy, meanwhile); !awaited) {
        return awaited;
    }
    base::Result<> outcome;
    for (Busy& each : busy) {
        each.asked_since = std::max(each.asked_since, ordered_[each.owner]);  // it had its turn then
        if (outcome) {
            outcome = each.lane->outcome();
        }
    }
    {
        const std::lock_guard lock(mutex_);
        learn(busy);
    }
    for (const Busy& each : busy) {
        ordered_[each.owner] = std::max(ordered_[each.owner], each.came);
        if (!outcome) {
            each.lane->close();  // else it would tell later orders of it, too
        }
    }
    busy.clear();
    give_surplus_back();
    return outcome;
}

/// Of the lanes that no order looks at any more those beyond as many as are worth it; all, once none is looked at: who
/// fetches has use for them.
void RemoteSource::give_surplus_back() {
    const auto is_free = [](const auto& lane) { return lane.use_count() == 1; };  // orders have the others
    const std::lock_guard lock(mutex_);
    for (std::size_t owner = 0; owner < owners_.size(); ++owner) {
        Lanes& lanes = ordering_[owner];
        const auto kept = std::ranges::all_of(lanes, is_free) ? 0 : static_cast<std::size_t>(counts_[owner].now());
        for (std::size_t i = kept; i < lanes.size(); ++i) {
            if (is_free(lanes[i])) {
                give_back(owner, std::exchange(lanes[i], nullptr));
            }
        }
        std::erase(lanes, nullptr);
    }
}

}  // namespace staithe::store::remote
