#include "stream/staging/own_depot.hpp"

#include "memory/sources.hpp"
#include "store/remote/remote_source.hpp"
#include "stream/holding/holder.hpp"
#include "stream/opening.hpp"

namespace staithe::stream {
namespace {

/// To one rank, where each is held back on its way.
constexpr int most_connections_to_rank = 16;

/// A block as nothing but bytes: what they mean, readers are told.
store::BlockDescription bytes_of_block(const store::BlockRef& ref) {
    store::BlockDescription block;
    block.variable = "a block";
    block.dtype = Dtype::u8;
    block.shape = {ref.bytes};
    block.box = Box({0}, {ref.bytes});
    return block;
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
    for (const auto& [rank, source] : sources_) {
        source->stop();
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
        pool_->give_back(INT64_MAX);
    }
}

void OwnDepot::shrink() {
    {
        const std::lock_guard lock(mutex_);
        shrinks_ = true;
        sources_.clear();
    }
    pool_->give_back(INT64_MAX);
}

void OwnDepot::work() {
    for (;;) {
        std::pair<Consignment, Then> next;
        {
            const std::lock_guard lock(mutex_);
            if (waiting_.empty() || stopped_) {
                works_ = false;
                return;
            }
            next = std::move(waiting_.front());
            waiting_.pop_front();
        }
        const auto place = fetch(next.first);
        if (!stopped_) {
            next.second(place);
        }
    }
}

base::Result<std::int64_t> OwnDepot::fetch(const Consignment& consignment) {
    const auto stowage = stow(consignment.blocks);
    const auto memory = stowage ? pool_->allocate(stowage->bytes) : base::fail(stowage);
    const auto source = memory ? source_of(consignment) : base::fail(memory);
    base::Result<> fetched = source ? base::Result<>() : base::fail(source);
    if (fetched) {
        std::vector<store::BlockDescription> descriptions;
        descriptions.reserve(consignment.blocks.size());
        std::vector<store::Piece> pieces;
        for (std::size_t i = 0; i < consignment.blocks.size(); ++i) {
            const store::BlockRef& ref = consignment.blocks[i];
            descriptions.push_back(bytes_of_block(ref));
            if (ref.bytes > 0) {
                pieces.push_back({i, &descriptions.back(), {}});
                pieces.back().overlap.destination = Box({stowage->offsets[i]}, {ref.bytes});
                pieces.back().overlap.source = Selection(Box({0}, {ref.bytes}));
            }
        }
        const auto all = MutableArrayView::row_major(memory->data, Dtype::u8, {stowage->bytes});
        fetched = (*source)->fetch(consignment.blocks, pieces, all);
    }
    if (!fetched) {
        if (memory) {
            pool_->free(*memory);
        }
        return base::fail(fetched);
    }
    const std::lock_guard lock(mutex_);
    places_.emplace(memory->offset, *memory);
    return memory->offset;
}

base::Result<std::shared_ptr<store::BlockSource>> OwnDepot::source_of(const Consignment& consignment) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = sources_.find(consignment.rank); known != sources_.end()) {
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
    if (*pool == nullptr) {
        *pool = std::make_shared<store::remote::RemoteSource>(
            std::vector{owner_of(*holder, {store})},
            store::remote::RemoteOptions{.timeout = base::Seconds(default_timeout),
                                         .most_connections = most_connections_to_rank});
    }
    const std::lock_guard lock(mutex_);
    return sources_.emplace(consignment.rank, *std::move(pool)).first->second;
}

}  // namespace staithe::stream
