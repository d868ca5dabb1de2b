#include "store/fabric/fabric_source.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>
#include <utility>

#include "base/interruption.hpp"
#include "base/log.hpp"
#include "os/event.hpp"
#include "transport/fabric/fabric.hpp"

namespace staithe::store::fabric {
namespace {

/// Shorter runs are packed by their owner: a read costs about as much as sending some thousand bytes.
constexpr std::int64_t shortest_read = 4 << 10;

/// For agreeing, and for the first read: a wrong interface would keep libfabric for ever.
constexpr base::Seconds longest_opening{5.0};

// At an owner that may be gone, and at ports that do not wake who waits for them.
constexpr base::Seconds between_questions{0.2};
constexpr base::Seconds between_looks{0.0002};

/// What all elements of a destination lie in.
std::span<std::byte> memory_of(const MutableArrayView& array) {
    auto* first = static_cast<std::byte*>(array.data);
    std::int64_t bytes = size_of(array.dtype);
    for (std::size_t i = 0; i < array.shape.size(); ++i) {
        const std::int64_t reach = (array.shape[i] - 1) * array.strides[i];
        first += std::min<std::int64_t>(reach, 0);
        bytes += std::abs(reach);
    }
    return {first, static_cast<std::size_t>(bytes)};
}

/// Of a piece that can be read, and lies in runs that are long enough.
std::optional<remote::Transfer> worth_reading(const BlockRef& ref, const Piece& piece,
                                              const MutableArrayView& destination) {
    if (!check(ref, *piece.description, Encoding::raw) || is_empty(piece.overlap.destination)) {
        return std::nullopt;
    }
    const auto transfer = remote::Transfer::of(piece, ref, destination);
    const remote::Runs runs = transfer.wanted().runs;
    return runs.run >= shortest_read || runs.loops.empty() ? std::optional(transfer) : std::nullopt;
}

}  // namespace

/// An owner: what was agreed on, the places of its blocks, and lanes that nobody uses now.
class FabricSource::Reach {
  public:
    explicit Reach(FabricOwner owner) : owner_(std::move(owner)) {}

    [[nodiscard]] const FabricOwner& owner() const { return owner_; }

    /// Whether its blocks are read by RDMA, if they can be.
    bool is_used();
    /// The memory that holds the block, if it is to be had.
    std::optional<transport::fabric::Place> place_of(const BlockRef& ref);
    /// Nothing: it is not used from now on.
    std::unique_ptr<FabricLane> lane();
    void give_back(std::unique_ptr<FabricLane> lane);
    void give_up(const base::Failure& why);

  private:
    const FabricOwner owner_;
    std::mutex mutex_;
    bool is_asked_ = false;
    std::optional<Terms> terms_;  // none, once it was asked: another way is taken
    std::map<std::uint32_t, std::map<std::int64_t, transport::fabric::Place>> places_;  // by store and offset
    std::set<std::uint32_t> on_disk_;  // stores without memory that could be read
    std::vector<std::unique_ptr<FabricLane>> idle_;
};

bool FabricSource::Reach::is_used() {
    const std::lock_guard lock(mutex_);
    if (!is_asked_) {
        is_asked_ = true;
        auto terms = owner_.agree(base::Deadline(longest_opening));
        auto lane = terms ? FabricLane::open(*terms, base::Deadline(longest_opening)) : base::fail(terms);
        if (lane) {
            owner_.tell(transport::fabric::to_string(terms->provider));
            terms_ = *std::move(terms);
            idle_.push_back(*std::move(lane));
        } else {
            owner_.tell(fmt::format("TCP: {}", lane.error().message));
        }
    }
    return terms_.has_value();
}

void FabricSource::Reach::give_up(const base::Failure& why) {
    const std::lock_guard lock(mutex_);
    if (terms_) {
        base::log(base::LogLevel::warn, "blocks of {} come over TCP from now on: {}", owner_.name, why.message);
        owner_.tell(fmt::format("TCP: {}", why.message));
    }
    terms_.reset();
    idle_.clear();
}

std::optional<transport::fabric::Place> FabricSource::Reach::place_of(const BlockRef& ref) {
    if (!is_used()) {
        return std::nullopt;
    }
    const auto holds = [&](const transport::fabric::Place& place) {
        return ref.offset >= place.offset && ref.bytes <= place.bytes &&
               ref.offset - place.offset <= place.bytes - ref.bytes;
    };
    {
        const std::lock_guard lock(mutex_);
        if (on_disk_.contains(ref.store)) {
            return std::nullopt;
        }
        const auto& places = places_[ref.store];
        if (const auto after = places.upper_bound(ref.offset);
            after != places.begin() && holds(std::prev(after)->second)) {
            return std::prev(after)->second;
        }
    }
    const auto found = owner_.find(ref, base::Deadline(longest_opening));
    if (!found && found.error().code == ErrorCode::limit_reached) {
        give_up(found.error());
    }
    const std::lock_guard lock(mutex_);
    if (!found || !holds(*found)) {
        if (!found && found.error().code == ErrorCode::not_found) {
            on_disk_.insert(ref.store);
        }
        return std::nullopt;  // what a ref cannot name is refused by the other way, too
    }
    places_[ref.store].insert_or_assign(found->offset, *found);
    return *found;
}

std::unique_ptr<FabricLane> FabricSource::Reach::lane() {
    Terms terms;
    {
        const std::lock_guard lock(mutex_);
        if (!terms_) {
            return nullptr;
        }
        if (!idle_.empty()) {
            auto lane = std::move(idle_.back());
            idle_.pop_back();
            return lane;
        }
        terms = *terms_;
    }
    auto lane = FabricLane::open(terms, base::Deadline(longest_opening));
    if (!lane) {
        give_up(lane.error());
        return nullptr;
    }
    return *std::move(lane);
}

void FabricSource::Reach::give_back(std::unique_ptr<FabricLane> lane) {
    lane->let_go();
    const std::lock_guard lock(mutex_);
    if (terms_ && idle_.empty()) {  // a port holds much: threads that fetch at once open more
        idle_.push_back(std::move(lane));
    }
}

FabricSource::FabricSource(std::vector<FabricOwner> owners, std::shared_ptr<BlockSource> otherwise,
                           base::Seconds timeout)
    : otherwise_(std::move(otherwise)), timeout_(timeout) {
    for (FabricOwner& owner : owners) {
        // Kept, in a forked child: closing what was opened before the fork is not for it.
        owners_.push_back(os::kept_at_home(new Reach(std::move(owner))));
        for (const std::uint32_t store : owners_.back()->owner().stores) {
            owner_of_store_.emplace(store, owners_.back().get());
        }
    }
}

FabricSource::~FabricSource() = default;

base::Result<> FabricSource::fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                   const MutableArrayView& destination) {
    if (!home_.here()) {
        return otherwise_->fetch(refs, pieces, destination);
    }
    std::map<Reach*, std::vector<FabricTransfer>> wanted;
    std::map<Reach*, std::vector<Piece>> pieces_of;
    std::vector<Piece> left;  // to the other way
    for (const Piece& piece : pieces) {
        const BlockRef& ref = refs[piece.block];
        const auto owner = owner_of_store_.find(ref.store);
        const auto transfer = owner != owner_of_store_.end() ? worth_reading(ref, piece, destination) : std::nullopt;
        if (const auto place = transfer ? owner->second->place_of(ref) : std::nullopt) {
            wanted[owner->second].push_back(
                {*transfer, place->address + static_cast<std::uint64_t>(ref.offset - place->offset), place->key});
            pieces_of[owner->second].push_back(piece);
            continue;
        }
        left.push_back(piece);
    }
    const auto leave = [&](Reach* owner) { left.insert(left.end(), pieces_of[owner].begin(), pieces_of[owner].end()); };
    std::vector<Busy> busy;  // closed by whatever goes wrong
    for (auto& [owner, transfers] : wanted) {
        auto lane = owner->lane();
        const auto asked = lane ? lane->ask(std::move(transfers), memory_of(destination)) : base::Result<>();
        if (!asked) {
            owner->give_up(asked.error());
        }
        if (lane && asked) {
            busy.push_back({owner, std::move(lane)});
        } else {
            leave(owner);
        }
    }
    if (auto awaited = await(busy); !awaited) {
        return awaited;
    }
    for (auto& [owner, lane] : busy) {
        if (lane) {
            owner->give_back(std::move(lane));
        } else {
            leave(owner);
        }
    }
    return left.empty() ? base::Result<>() : otherwise_->fetch(refs, left, destination);
}

std::unique_ptr<Order> FabricSource::order(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                           const MutableArrayView& destination) {
    const bool is_by_fabric =
        home_.here() && std::ranges::any_of(pieces, [&](const Piece& piece) {
            const BlockRef& ref = refs[piece.block];
            const auto owner = owner_of_store_.find(ref.store);
            return owner != owner_of_store_.end() && worth_reading(ref, piece, destination) && owner->second->is_used();
        });
    return is_by_fabric ? nullptr : otherwise_->order(refs, pieces, destination);
}

/// A lane that fails goes; what it was to read is left to the other way.
base::Result<> FabricSource::await(std::vector<Busy>& busy) const {
    std::vector<os::Polled> polled;
    for (;;) {
        bool more = false;
        bool sleeps = true;
        polled.clear();
        for (auto& [owner, lane] : busy) {
            if (!lane || lane->is_finished()) {
                continue;
            }
            const auto advanced = lane->advance();
            if (!advanced) {
                lane.reset();
                owner->give_up(advanced.error());
                more = true;
                continue;
            }
            more = more || *advanced;
            if (lane->is_finished()) {
                continue;
            }
            polled.push_back({.descriptor = lane->descriptor_to_sleep_on()});
            sleeps = sleeps && polled.back().descriptor >= 0;
            if (auto checked = check_silence(*owner, *lane); !checked) {
                return checked;
            }
        }
        if (more) {
            continue;
        }
        if (polled.empty()) {
            return {};
        }
        os::poll(polled,
                 sleeps ? base::next_question(base::Deadline(between_questions)) : base::Deadline(between_looks));
        if (base::interrupted() || stopped_.load(std::memory_order_relaxed)) {
            return base::fail(ErrorCode::timeout, "fetching blocks was interrupted");
        }
    }
}

void FabricSource::stop() {
    stopped_.store(true, std::memory_order_relaxed);
    otherwise_->stop();
}

base::Result<> FabricSource::check_silence(const Reach& reach, const FabricLane& lane) const {
    const auto& [name, stores, agree, find, is_gone, tell] = reach.owner();
    const BlockDescription& block = *lane.awaited().piece->description;
    if (is_gone()) {
        return base::fail(ErrorCode::peer_lost, "'{}': {}, which holds the block {}, is gone", block.variable, name,
                          to_string(block.box));
    }
    const base::Seconds silent = base::Clock::now() - lane.silent_since();
    return silent < timeout_ ? base::Result<>()
                             : base::fail(ErrorCode::timeout,
                                          "'{}': nothing came for {:g} s of the block {}, which is read by RDMA out of "
                                          "the memory of {}; its host may be stopped, or the network down",
                                          block.variable, timeout_.count(), to_string(block.box), name);
}

}  // namespace staithe::store::fabric
