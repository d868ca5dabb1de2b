#include "store/remote/remote_source.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/interruption.hpp"
#include "os/event.hpp"
#include "store/remote/reducing.hpp"
#include "transform/codec.hpp"
#include "transport/connection_room.hpp"

namespace staithe::store::remote {
namespace {

/// Less is not worth another connection.
constexpr std::int64_t least_share = 1 << 20;

/// While nothing comes: whether it is still wanted.
constexpr base::Seconds between_looks{0.05};

/// A fetch that has a connection waits no longer for others beside it.
constexpr base::Seconds longest_for_more{1.0};

std::int64_t bytes_of(const std::vector<Transfer>& transfers) {
    return std::accumulate(transfers.begin(), transfers.end(), std::int64_t{0},
                           [](std::int64_t bytes, const Transfer& transfer) { return bytes + transfer.bytes(); });
}

/// Cuts them into at most `count` lists of about as many bytes each, none of much less than `least_share`.
std::vector<std::vector<Transfer>> share_out(std::vector<Transfer> transfers, int count) {
    const std::int64_t bytes = bytes_of(transfers);
    const auto shares = std::clamp<std::int64_t>(bytes / least_share, 1, count);
    std::vector<std::vector<Transfer>> lists(static_cast<std::size_t>(shares));
    std::int64_t begun = 0;  // bytes in lists
    for (std::size_t i = 0, list = 0; i < transfers.size();) {
        const std::int64_t end = bytes * static_cast<std::int64_t>(list + 1) / shares;
        Transfer& transfer = transfers[i];
        const Extents& shape = transfer.destination.shape;
        const std::int64_t count = shape.empty() ? 0 : (end - begun) / (transfer.bytes() / shape[0]);
        if (begun + transfer.bytes() <= end || list + 1 == lists.size()) {
            begun += transfer.bytes();
            lists[list].push_back(transfer);
            ++i;
        } else {
            if (count > 0) {
                auto [part, rest] = transfer.cut(0, count);
                begun += part.bytes();
                lists[list].push_back(part);
                transfer = rest;
            }
            ++list;
        }
    }
    std::erase_if(lists, [](const auto& list) { return list.empty(); });
    return lists;
}

}  // namespace

RemoteSource::RemoteSource(std::vector<Owner> owners, RemoteOptions options)
    : owners_(std::move(owners)),
      options_(std::move(options)),
      idle_(owners_.size()),
      counts_(owners_.size(), {options_.connections, std::max(options_.connections, options_.most_connections)}),
      ordering_(owners_.size()),
      ordered_(owners_.size()) {
    for (std::size_t i = 0; i < owners_.size(); ++i) {
        for (const std::uint32_t store : owners_[i].stores) {
            owner_of_store_.emplace(store, i);
        }
        if (owners_[i].stores.empty()) {
            owner_of_others_ = i;
        }
    }
}

base::Result<> RemoteSource::fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                   const MutableArrayView& destination) {
    return again_if_closed(refs, pieces, [&] { return get(find_owners(refs, pieces, destination)); });
}

base::Result<> RemoteSource::fetch_as_sent(std::span<const BlockRef> refs, std::span<const BlockDescription> blocks,
                                           std::span<std::byte* const> places, std::vector<Sent>& sent) {
    std::vector<Piece> whole;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const Extents& count = blocks[i].box.count;
        whole.push_back({i, &blocks[i], {Box::whole(count), Selection::all(count)}});
    }
    return again_if_closed(refs, whole, [&]() -> base::Result<> {
        sent.clear();  // what came before a connection was found closed
        WantedOf wanted(owners_.size());
        for (const Piece& piece : whole) {
            const BlockDescription& block = *piece.description;
            const auto owner = owner_holding(refs[piece.block], block);
            if (!owner) {
                return base::fail(owner);
            }
            if (!is_empty(block.box)) {
                const ArrayView lies = block.view(nullptr);
                Transfer transfer =
                    Transfer::of(piece, refs[piece.block], {places[piece.block], lies.dtype, lies.shape, lies.strides});
                transfer.sent = &sent;
                append(wanted[*owner], std::move(transfer));
            }
        }
        return get(std::move(wanted));
    });
}

base::Result<> RemoteSource::reduce(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                    reducing::Reduction& into) {
    std::vector<Piece> theirs, ours;
    for (const Piece& piece : pieces) {
        (is_less_reduced(piece, into) ? theirs : ours).push_back(piece);
    }
    auto reduced = reduce_by_owners(refs, theirs, into, [&](reducing::Reduction& made) {
        return find_owners(refs, theirs, made.states(), made.recipe());
    });
    return reduced && !ours.empty() ? BlockSource::reduce(refs, ours, into) : reduced;
}

/// `wanted` is of what is made of the pieces by itself.
base::Result<> RemoteSource::reduce_by_owners(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                              reducing::Reduction& into,
                                              base::FunctionRef<base::Result<WantedOf>(reducing::Reduction&)> wanted) {
    std::optional<reducing::Reduction> made;
    auto reduced = again_if_closed(refs, pieces, [&] {
        made = reducing::Reduction::like(into);  // without what came before a connection was found closed
        return get(wanted(*made));
    });
    return reduced ? into.add(made->parts()) : reduced;
}

base::Result<> RemoteSource::again_if_closed(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                             base::FunctionRef<base::Result<>()> once) {
    if (!home_.here()) {
        return base::fail(ErrorCode::peer_lost,
                          "connections for blocks stay with the process that made them, and this "
                          "one was forked off: open the stream in the child");
    }
    auto got = once();
    if (got || got.error().code != ErrorCode::peer_lost) {
        return got;
    }
    for (const Piece& piece : pieces) {
        const auto owner = owner_of(refs[piece.block].store);
        if (auto checked = owner ? check(owners_[*owner]) : base::Result<>(); !checked) {
            return checked;
        }
    }
    // Something between the hosts may have closed a connection while it was idle, as firewalls do.
    {
        const std::lock_guard lock(mutex_);
        std::ranges::for_each(idle_, [](Lanes& lanes) { lanes.clear(); });
    }
    return once();
}

base::Result<> RemoteSource::check(const Owner& owner) {
    const auto why = owner.loss();
    return why ? base::fail(ErrorCode::peer_lost, "{}, {}: it held blocks that are wanted", owner.name, *why)
               : base::Result<>();
}

std::optional<std::size_t> RemoteSource::owner_of(std::uint32_t store) const {
    const auto found = owner_of_store_.find(store);
    return found == owner_of_store_.end() ? owner_of_others_ : std::optional(found->second);
}

base::Result<RemoteSource::WantedOf> RemoteSource::find_owners(std::span<const BlockRef> refs,
                                                               std::span<const Piece> pieces,
                                                               const MutableArrayView& destination,
                                                               std::optional<reducing::Recipe> recipe) const {
    WantedOf wanted(owners_.size());
    for (const Piece& piece : pieces) {
        const BlockRef& ref = refs[piece.block];
        const auto owner = owner_holding(ref, *piece.description);
        if (!owner) {
            return base::fail(owner);
        }
        if (is_empty(piece.overlap.destination)) {
            continue;
        }
        Transfer transfer = Transfer::of(piece, ref, destination);
        if (recipe) {
            append_to_reduce(wanted[*owner], transfer, *recipe);
        } else {
            append(wanted[*owner], std::move(transfer));
        }
    }
    return wanted;
}

base::Result<std::size_t> RemoteSource::owner_holding(const BlockRef& ref, const BlockDescription& block) const {
    if (auto checked = store::check(ref, block, Encoding::raw); !checked) {
        return base::fail(std::move(checked));
    }
    const auto owner = owner_of(ref.store);
    return owner ? base::Result<std::size_t>(*owner)
                 : tl::unexpected(unusable(ref, block, "nobody is known to hold that store"));
}

void RemoteSource::append(std::vector<Transfer>& wanted, Transfer transfer) const {
    transfer.offer = offer_for(transfer);
    if (transfer.offer) {
        append_in_units(wanted, std::move(transfer));
    } else {
        append_in_strips(wanted, std::move(transfer));
    }
}

bool RemoteSource::can_be_coded(const Transfer& transfer) const {
    return options_.allowed && !transfer.destination.shape.empty() && transfer.bytes() >= options_.least_coded;
}

/// Null if it had better come as it is.
std::shared_ptr<const Offer> RemoteSource::offer_for(const Transfer& transfer) const {
    if (!can_be_coded(transfer)) {
        return nullptr;
    }
    const BlockDescription& block = *transfer.piece->description;
    const auto allowed = block.is_stored ? std::nullopt : options_.allowed(block);
    // What is turned round as it comes is turned in strips, which are too narrow for codecs that save little.
    const bool is_turned = transfer.fastest() + 1 < transfer.destination.shape.size();
    if (!allowed || (is_turned && allowed->bound.kind == codecs::Bound::Kind::exact && allowed->codec.empty())) {
        return nullptr;
    }
    Offer offer{.variable = block.variable, .dtype = block.dtype};
    offer.bound = allowed->bound;
    offer.fill = declared_fill(block.attributes);
    offer.codec = allowed->codec;
    if (offer.codec.empty()) {
        offer.variants = transform::loaded_codecs();
    }
    return std::make_shared<const Offer>(std::move(offer));
}

base::Result<> RemoteSource::get(base::Result<WantedOf> wanted) {
    if (!wanted) {
        return base::fail(std::move(wanted));
    }
    std::vector<Busy> busy;  // closed by whatever goes wrong
    // Everybody asks in the order of ranks: where connections are scarce, nobody waits for one in a circle.
    for (std::size_t i = 0; i < owners_.size(); ++i) {
        if ((*wanted)[i].empty()) {
            continue;
        }
        if (!busy.empty() && !is_connected(i) && transport::are_connections_scarce()) {  // a few at a time
            if (auto finished = finish(busy); !finished) {
                return finished;
            }
        }
        Lanes lanes;
        if (auto asked = ask(i, std::move((*wanted)[i]), lanes, busy); !asked) {
            return asked;
        }
    }
    return finish(busy);
}

base::Result<> RemoteSource::finish(std::vector<Busy>& busy) {
    if (auto awaited = await(busy, [] {}); !awaited) {
        return awaited;
    }
    base::Result<> outcome;
    const std::lock_guard lock(mutex_);
    learn(busy);
    for (Busy& each : busy) {
        if (outcome) {
            outcome = each.lane->outcome();
        }
        give_back(each.owner, std::move(each.lane));
    }
    busy.clear();
    return outcome;
}

/// For others to use, unless there are enough for who fetches, and for what is ordered beside it. The mutex is held.
void RemoteSource::give_back(std::size_t owner, std::shared_ptr<Lane> lane) {
    if (Lanes& idle = idle_[owner]; !lane->is_closed() && lane->outcome() && !lane->is_scarce() &&
                                    idle.size() < 2 * static_cast<std::size_t>(counts_[owner].now())) {
        idle.push_back(std::move(lane));
    }
}

base::Result<> RemoteSource::ask(std::size_t owner, std::vector<Transfer> transfers, Lanes& lanes,
                                 std::vector<Busy>& busy) {
    if (transfers.empty()) {
        return {};
    }
    const base::Deadline deadline(options_.timeout);
    const bool is_reduced = transfers.front().offer && transfers.front().offer->reduced;
    int count = 1;
    if (!is_reduced) {  // else few bytes come, and more the more it is cut
        const std::lock_guard lock(mutex_);
        count = counts_[owner].now();
    }
    auto shares = share_out(std::move(transfers), count);
    if (auto filled = fill_up(lanes, owner, shares.size(), deadline); !filled) {
        return filled;
    }
    for (; shares.size() > lanes.size(); shares.pop_back()) {
        shares.front().insert(shares.front().end(), shares.back().begin(), shares.back().end());
    }
    const auto now = base::Clock::now();
    for (std::size_t i = 0; i < shares.size(); ++i) {
        Lane& lane = *lanes[i];
        lane.ask(shares[i]);
        busy.push_back({owner, lanes[i], lane.asked(), is_reduced ? 0 : bytes_of(shares[i]), now});
        // It answers while others are still asked.
        if (auto begun = lane.advance(); !begun) {
            return base::fail(std::move(begun));
        }
        if (busy.back().has_come()) {
            busy.back().came = lane.silent_since();
        }
    }
    return {};
}

base::Result<> RemoteSource::fill_up(Lanes& lanes, std::size_t owner, std::size_t count,
                                     const base::Deadline& deadline) {
    while (lanes.size() < count) {
        auto lane =
            lane_to(owner, lanes.empty() ? deadline : base::Deadline(std::min(options_.timeout, longest_for_more)));
        if (!lane && lanes.empty()) {
            return base::fail(std::move(lane));
        }
        if (!lane) {
            break;
        }
        lanes.push_back(*std::move(lane));
        if (lanes.back()->is_scarce()) {
            break;
        }
    }
    return {};
}

bool RemoteSource::is_connected(std::size_t owner) {
    const std::lock_guard lock(mutex_);
    return !idle_[owner].empty();
}

/// How long each owner took over its connections. The mutex is held.
void RemoteSource::learn(std::span<const Busy> busy) {
    if (busy.empty()) {
        return;
    }
    base::Seconds delay(0);
    while (!busy.empty()) {
        const std::size_t owner = busy.front().owner;
        const auto others = std::ranges::find_if(busy, [&](const Busy& each) { return each.owner != owner; });
        const auto of_owner = busy.first(static_cast<std::size_t>(others - busy.begin()));
        std::int64_t bytes = 0;
        const auto began = busy.front().asked_since;
        auto first_ended = base::Clock::time_point::max();
        auto ended = began;
        for (const Busy& each : of_owner) {
            bytes += each.bytes;
            first_ended = std::min(first_ended, each.came);
            ended = std::max(ended, each.came);
        }
        if (bytes > 0) {
            counts_[owner].took(static_cast<int>(of_owner.size()), bytes, ended - began);
        }
        // Connections do not end at the same time, and who has ended has nothing to do until then, nor has who waits
        // until something is decoded.
        base::Seconds idle = busy.front().lane->round_trip() + (ended - first_ended);
        for (const Busy& each : of_owner) {
            idle += each.lane->take_decoding();
        }
        delay = std::max(delay, idle);
        busy = busy.subspan(of_owner.size());
    }
    delay_.store(delay, std::memory_order_relaxed);
}

base::Result<std::shared_ptr<Lane>> RemoteSource::lane_to(std::size_t owner, const base::Deadline& deadline) {
    for (;;) {
        std::shared_ptr<Lane> lane;
        {
            const std::lock_guard lock(mutex_);
            if (idle_[owner].empty()) {
                break;
            }
            lane = std::move(idle_[owner].front());
            idle_[owner].erase(idle_[owner].begin());
        }
        if (lane->is_idle()) {  // else the other side has closed it
            return lane;
        }
    }
    return owners_[owner].connect(deadline).map(
        [&](Connected connection) { return std::make_shared<Lane>(std::move(connection), owners_[owner].name); });
}

base::Result<> RemoteSource::await(std::vector<Busy>& busy, base::FunctionRef<void()> meanwhile) const {
    std::vector<os::Polled> polled;
    for (;;) {
        meanwhile();
        bool more = false;
        polled.clear();
        base::Deadline until(options_.timeout);
        for (Busy& each : busy) {
            const auto& lane = each.lane;
            if (each.has_come()) {
                if (each.came < each.asked_since) {  // it came while another was looked at
                    each.came = lane->silent_since();
                }
                continue;
            }
            const auto advanced = lane->advance();
            if (!advanced) {
                return base::fail(advanced);
            }
            more = more || *advanced;
            each.came = lane->silent_since();
            if (each.has_come()) {
                continue;
            }
            if (auto checked = check_silence(each); !checked) {
                return checked;
            }
            polled.push_back({.descriptor = lane->descriptor(), .writable = lane->sends()});
            const base::Seconds silent = base::Clock::now() - lane->silent_since();
            if (options_.timeout - silent < until.left()) {
                until = base::Deadline(options_.timeout - silent);
            }
        }
        if (polled.empty()) {
            return {};
        }
        if (more) {
            continue;
        }
        os::poll(polled, base::Deadline(std::min<base::Seconds>(base::next_question(until).left(), between_looks)));
        if (base::interrupted() || stopped_.load(std::memory_order_relaxed)) {
            return base::fail(ErrorCode::timeout, "fetching blocks was interrupted");
        }
    }
}

base::Result<> RemoteSource::check_silence(const Busy& busy) const {
    const Lane& lane = *busy.lane;
    const base::Seconds silent = base::Clock::now() - lane.silent_since();
    if (auto checked = check(owners_[busy.owner]); !checked) {
        return checked;
    }
    if (silent < options_.timeout) {
        return {};
    }
    const Transfer& awaited = lane.awaited();
    return base::fail(ErrorCode::timeout,
                      "'{}': {}, which holds the block {}, has sent nothing of it for {:g} s; it or its host may be "
                      "stopped, or the network down",
                      awaited.piece->description->variable, lane.peer(), to_string(awaited.piece->description->box),
                      options_.timeout.count());
}

}  // namespace staithe::store::remote
