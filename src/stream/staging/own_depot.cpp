#include "stream/staging/own_depot.hpp"

#include <optional>

#include "memory/sources.hpp"
#include "store/remote/remote_source.hpp"
#include "stream/holding/holder.hpp"
#include "stream/opening.hpp"
#include "stream/staging/packing.hpp"

namespace staithe::stream {
namespace {

/// To one rank, where each is held back on its way.
constexpr int most_connections_to_rank = 16;

base::Result<> fetch_bytes(store::BlockSource& source, const std::vector<store::BlockRef>& blocks,
                           const Stowage& stowage, std::byte* memory) {
    std::vector<store::BlockDescription> descriptions;
    descriptions.reserve(blocks.size());
    std::vector<store::Piece> pieces;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        descriptions.push_back(store::as_bytes("a block", blocks[i].bytes));
        if (blocks[i].bytes > 0) {
            const Extents count{blocks[i].bytes};
            pieces.push_back({i, &descriptions.back(), {Box({stowage.offsets[i]}, count), Selection::all(count)}});
        }
    }
    return source.fetch(blocks, pieces, MutableArrayView::row_major(memory, Dtype::u8, {stowage.bytes}));
}

}  // namespace

base::Result<std::shared_ptr<OwnDepot>> OwnDepot::open(std::shared_ptr<transport::Endpoint> endpoint,
                                                       std::string stream) {
    auto pool = memory::open_pool("staithe:" + stream + ":staged");
    if (!pool) {
        return base::fail(std::move(pool));
    }
    return std::shared_ptr<OwnDepot>(new OwnDepot(std::move(endpoint), std::move(stream), *std::move(pool)));
}

OwnDepot::~OwnDepot() { stop(); }

void OwnDepot::stop() {
    stopped_ = true;
    const std::lock_guard lock(mutex_);
    waiting_.clear();
    for (const auto& [rank, way] : ways_) {
        way.source->stop();
    }
}

base::Result<> OwnDepot::take(Consignment consignment, Then then) {
    const std::lock_guard lock(mutex_);
    if (!works_) {
        if (auto begun = errands_.add([this] { work(); }); !begun) {
            return begun;
        }
        works_ = true;
    }
    waiting_.emplace_back(std::move(consignment), std::move(then));
    return {};
}

void OwnDepot::free(std::int64_t place) {
    memory::Allocation memory;
    bool shrinks = false;
    {
        const std::lock_guard lock(mutex_);
        const auto found = places_.find(place);
        if (found == places_.end()) {
            return;
        }
        memory = found->second;
        places_.erase(found);
        shrinks = shrinks_;
    }
    pool_->free(memory);
    if (shrinks) {
        give_back();
    }
}

void OwnDepot::shrink() {
    {
        const std::lock_guard lock(mutex_);
        shrinks_ = true;
        ways_.clear();
    }
    give_back();
}

std::int64_t OwnDepot::give_back() {
    {
        const std::lock_guard lock(mutex_);
        if (!works_ && arrival_.data != nullptr) {
            pool_->free(std::exchange(arrival_, {}));
        }
    }
    return pool_->give_back(INT64_MAX);
}

void OwnDepot::work() {
    for (;;) {
        std::optional<std::pair<Consignment, Then>> next;
        bool shrinks = false;
        {
            const std::lock_guard lock(mutex_);
            if (!waiting_.empty() && !stopped_) {
                next = std::move(waiting_.front());
                waiting_.pop_front();
            }
            works_ = next.has_value();
            shrinks = shrinks_;
        }
        if (!next) {
            if (shrinks) {
                give_back();
            }
            return;
        }
        const auto stowed = fetch(next->first);
        if (!stopped_) {
            next->second(stowed);
        }
    }
}

base::Result<Stowed> OwnDepot::fetch(const Consignment& consignment) {
    const auto checked = check(consignment);
    const auto stowage = checked ? stow(consignment.blocks) : base::fail(checked);
    const auto way = stowage ? way_to(consignment) : base::fail(stowage);
    if (!way) {
        return base::fail(way);
    }
    return way->remote ? fetch_as_sent(*way->remote, consignment, *stowage)
                       : fetch_here(*way->source, consignment, *stowage);
}

base::Result<Stowed> OwnDepot::fetch_here(store::BlockSource& source, const Consignment& consignment,
                                          const Stowage& stowage) {
    const auto memory = room_to_stay(stowage.bytes);
    if (!memory) {
        return base::fail(memory);
    }
    if (auto fetched = fetch_bytes(source, consignment.blocks, stowage, memory->data); !fetched) {
        pool_->free(*memory);
        return base::fail(std::move(fetched));
    }
    auto blocks = consignment.blocks;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        blocks[i].offset = stowage.offsets[i];
    }
    return keep(*memory, std::move(blocks));
}

base::Result<Stowed> OwnDepot::fetch_as_sent(store::remote::RemoteSource& source, const Consignment& consignment,
                                             const Stowage& stowage) {
    const auto memory = room_to_arrive(stowage.bytes);
    if (!memory) {
        return base::fail(memory);
    }
    std::vector<std::byte*> places;
    for (const std::int64_t offset : stowage.offsets) {
        places.push_back(memory->data + offset);
    }
    std::vector<store::remote::Sent> sent;
    const auto fetched = source.fetch_as_sent(consignment.blocks, *consignment.descriptions, places, sent);
    auto packing = fetched ? Packing::of(consignment.blocks, stowage, std::move(sent)) : base::fail(fetched);
    if (packing && packing->is_none()) {
        return keep(*memory, std::move(packing->blocks));
    }
    const auto room = packing ? room_to_stay(packing->bytes) : base::fail(packing);
    if (packing && !room && packing->goes_in_place(stowage.bytes)) {
        packing->carry_out(memory->data, memory->data);
        return keep(*memory, std::move(packing->blocks));
    }
    if (room) {
        packing->carry_out(room->data, memory->data);
    }
    arrive_there_again(*memory);
    return room ? base::Result<Stowed>(keep(*room, std::move(packing->blocks))) : base::fail(room);
}

/// What is there for blocks that are yet to come goes for those that are to stay.
base::Result<memory::Allocation> OwnDepot::room_to_stay(std::int64_t bytes) {
    auto room = pool_->allocate(bytes);
    if (room || room.error().code != ErrorCode::limit_reached) {
        return room;
    }
    {
        const std::lock_guard lock(mutex_);
        if (arrival_.data == nullptr) {
            return room;
        }
        pool_->free(std::exchange(arrival_, {}));
    }
    return pool_->allocate(bytes);
}

/// What is far too large is not for blocks that may stay there: it is kept, if there is room beside it.
base::Result<memory::Allocation> OwnDepot::room_to_arrive(std::int64_t bytes) {
    memory::Allocation known;
    {
        const std::lock_guard lock(mutex_);
        known = std::exchange(arrival_, {});
    }
    if (bytes <= known.bytes && bytes > known.bytes / 2) {
        return known;
    }
    if (bytes > known.bytes && known.data != nullptr) {
        pool_->free(known);
        pool_->give_back(INT64_MAX);
        auto room = pool_->allocate(bytes + bytes / 8);  // they grow: the next ones find room in it
        return room ? room : pool_->allocate(bytes);
    }
    if (known.data != nullptr) {
        arrive_there_again(known);
    }
    return room_to_stay(bytes);
}

/// Memory that is freed would be given to small blocks, which stay in the middle of it, or to another rank, which is
/// ahead: then the oldest step would find none.
void OwnDepot::arrive_there_again(const memory::Allocation& memory) {
    const std::lock_guard lock(mutex_);
    const bool is_larger = memory.bytes > arrival_.bytes;
    const memory::Allocation other = is_larger ? std::exchange(arrival_, memory) : memory;
    if (other.data != nullptr) {
        pool_->free(other);
    }
}

Stowed OwnDepot::keep(const memory::Allocation& memory, std::vector<store::BlockRef> blocks) {
    for (store::BlockRef& block : blocks) {
        block.offset += memory.offset;
    }
    const std::lock_guard lock(mutex_);
    places_.emplace(memory.offset, memory);
    return {memory.offset, memory.bytes, std::move(blocks)};
}

base::Result<OwnDepot::Way> OwnDepot::way_to(const Consignment& consignment) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = ways_.find(consignment.rank); known != ways_.end()) {
            return known->second;
        }
    }
    const auto store = static_cast<std::uint32_t>(consignment.rank);
    const auto holder = Holder::of_rank(endpoint_, stream_, consignment.rank, consignment.contact);
    if (!holder) {
        return base::fail(holder);
    }
    const base::Deadline deadline{base::Seconds(default_timeout)};
    auto pool = (*holder)->is_here() ? open_pool_of(**holder, store, deadline) : nullptr;
    if (!pool) {
        return base::fail(std::move(pool));
    }
    Way way{*std::move(pool), nullptr};
    if (way.source == nullptr) {
        way.remote = std::make_shared<store::remote::RemoteSource>(
            std::vector{owner_of(*holder, {store})},
            store::remote::RemoteOptions{.timeout = base::Seconds(default_timeout),
                                         .most_connections = most_connections_to_rank,
                                         .allowed = [](const store::BlockDescription& block) {
                                             return std::optional(store::remote::Allowed{block.error, {}});
                                         }});
        way.source = way.remote;
    }
    const std::lock_guard lock(mutex_);
    return ways_.emplace(consignment.rank, std::move(way)).first->second;
}

}  // namespace staithe::stream
