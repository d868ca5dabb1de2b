#include "server/merging.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <staithe/limits.hpp>

#include "base/budget.hpp"
#include "memory/pool.hpp"

namespace staithe::server {

using store::space::Merge;
using store::space::Mergeable;
using store::space::VersionBlock;

namespace {

/// Of a version, and of what a new block is made of: with fewer it is not worth while.
constexpr std::size_t few_blocks = 64, few_parts = 4;
/// A larger block gains nothing by being merged.
constexpr std::int64_t most_of_small = memory::Pool::small_limit;
/// That are looked at together: it bounds the memory that this takes, and how large a new block gets.
constexpr std::int64_t most_bytes = 64 << 20;
constexpr std::size_t most_blocks = 1 << 17;

}  // namespace

/// The blocks of a version in a part of it.
struct Merging::Part {
    std::vector<std::size_t> places;
    std::vector<Mergeable> blocks;
    std::size_t small = 0;
    std::int64_t bytes = 0;  // of the small ones
    Stores::InMemory stores;

    Part(const store::space::Version& version, const Box& region, Stores::InMemory in_memory)
        : places(version.places_meeting(region)), stores(std::move(in_memory)) {
        for (const std::size_t place : places) {
            const VersionBlock block = version.block(place);
            const bool is_small = block.ref.bytes <= most_of_small && stores.contains(block.ref.store);
            blocks.push_back({block.box, is_small});
            small += is_small ? 1 : 0;
            bytes += is_small ? block.ref.bytes : 0;
        }
    }
    [[nodiscard]] bool is_too_much() const { return bytes > most_bytes || places.size() > most_blocks; }
};

void Merging::add(const std::string& space, const store::space::Version& version) {
    if (version.block_count() > few_blocks && !version.shape().empty()) {
        waiting_.push_back({space, version.variable(), version.number(), version.serial()});
    }
}

void Merging::begin(const std::weak_ptr<const void>& owner) {
    if (is_running_ || !may_go_on()) {
        return;
    }
    is_running_ = bool(errands_.add([this, owner] {
        if (const auto stays = owner.lock()) {
            run();
        }
    }));
}

bool Merging::give_way() {
    gives_way_ = gives_way_ || has_memory_;
    return has_memory_;
}

void Merging::end() {
    has_ended_ = true;
    gives_way_ = true;
    waiting_.clear();
}

void Merging::run() {
    std::unique_lock lock(mutex_);
    for (std::size_t left = waiting_.size(); left > 0 && may_go_on(); --left) {
        Waiting next = std::move(waiting_.front());
        waiting_.pop_front();
        Version version = find(next);
        if (version == nullptr) {
            continue;
        }
        if (has_room(next.needs)) {
            next.needs = merge(next.space, std::move(version), lock);
        }
        if (next.needs > 0 && !has_ended_) {
            waiting_.push_back(std::move(next));
        }
    }
    is_running_ = false;
    if (!has_ended_ && gives_way_.exchange(false)) {
        has_let_go_();
    }
}

Merging::Version Merging::find(const Waiting& waiting) const {
    const auto space = spaces_.find(waiting.space);
    auto version = space == spaces_.end() ? nullptr : space->second->at(waiting.variable, waiting.version);
    return version != nullptr && version->serial() == waiting.serial ? version : nullptr;
}

/// Half of the memory stays for those who put, and nothing is taken from what pools keep for them.
bool Merging::has_room(std::int64_t bytes) const {
    const auto limit = limits().memory;
    return !limit || (stores_.used() + bytes <= *limit / 2 && base::has_room(base::Resource::memory, bytes));
}

/// A part after the other: each time the version is there in its new form as soon as the part is done. Returns how much
/// memory it would take, if there was not as much; 0 if nothing is left to be done. Gives the mutex away meanwhile.
std::int64_t Merging::merge(const std::string& space, Version version, std::unique_lock<std::mutex>& lock) {
    std::vector<Box> regions{Box::whole(version->shape())};
    while (!regions.empty()) {
        const Box region = regions.back();
        regions.pop_back();
        auto stores = stores_.in_memory();
        lock.unlock();
        const Part part(*version, region, std::move(stores));
        const auto parts = part.is_too_much() ? store::space::cut_between(part.blocks, region) : std::nullopt;
        if (parts) {
            regions.insert(regions.end(), {parts->second, parts->first});
        }
        const auto plan =
            parts || part.small < few_parts ? store::space::MergePlan() : plan_merges(part.blocks, region, few_parts);
        std::int64_t bytes = 0;
        for (const Merge& merge : plan.merges) {
            bytes += size_in_bytes(merge.box.count, version->dtype()).value_or(0);
        }
        lock.lock();
        if (plan.gone.empty() || plan.gone.size() < 2 * plan.merges.size()) {  // others show the same ones
            continue;
        }
        if (!has_room(bytes) || gives_way_) {
            return std::max<std::int64_t>(bytes, 1);
        }
        if (own_ == nullptr) {
            if (auto made = stores_.make("merged blocks")) {
                own_ = *std::move(made);
            } else {
                return bytes;
            }
        }
        has_memory_ = true;
        lock.unlock();
        const auto made = make(*version, part, plan.merges);
        std::vector<std::size_t> gone;
        std::ranges::transform(plan.gone, std::back_inserter(gone), [&](std::size_t i) { return part.places[i]; });
        const auto other = made ? version->rearranged(gone, *made) : nullptr;
        std::set<std::uint32_t> stores_of_gone;
        for (const std::size_t place : gone) {
            stores_of_gone.insert(version->ref(place).store);
        }
        lock.lock();
        has_memory_ = false;
        if (!made) {
            return std::max<std::int64_t>(bytes, 1);
        }
        const auto catalog = spaces_.find(space);
        if (catalog == spaces_.end() || !catalog->second->replace(version, other, std::move(gone))) {
            give_back(*made);
            return 0;
        }
        version = other;
        for (const std::uint32_t store : stores_of_gone) {  // as much as the new ones have taken
            part.stores.at(store)->give_back_small();
        }
    }
    return 0;
}

/// Nothing if there is no memory, or it gives way.
std::optional<std::vector<VersionBlock>> Merging::make(const store::space::Version& version, const Part& part,
                                                       std::span<const Merge> merges) {
    std::vector<VersionBlock> made;
    for (const Merge& merge : merges) {
        const VersionBlock first = version.block(part.places[merge.parts.front().layer]);
        const auto room = own_->allocate(size_in_bytes(merge.box.count, version.dtype()).value_or(0));
        if (room) {
            made.push_back({merge.box, *room, first.column_major, first.by});
        }
        const auto source_of = [&](std::size_t layer) -> std::optional<store::space::MergeSource> {
            const VersionBlock block = version.block(part.places[layer]);
            return gives_way_
                       ? std::nullopt
                       : std::optional(store::space::MergeSource{
                             block.box, block.column_major, part.stores.at(block.ref.store)->address_of(block.ref)});
        };
        if (!room || !copy_parts(merge, version.dtype(), first.column_major, own_->address_of(*room), source_of)) {
            give_back(made);
            return std::nullopt;
        }
    }
    return made;
}

void Merging::give_back(std::span<const VersionBlock> made) {
    std::ranges::for_each(made, [this](const VersionBlock& block) { own_->free(block.ref); });
}

}  // namespace staithe::server
