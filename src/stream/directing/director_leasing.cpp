// The memory of a server for a stream that it directs: what its writer ranks are lent, and what becomes of it.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/budget.hpp"
#include "base/log.hpp"
#include "stream/directing/director.hpp"
#include "transport/peer_pool.hpp"

namespace staithe::stream {

/// For the rank that joins: its pool lies in it.
base::Result<> Director::lease_memory(int rank) {
    WriterRank& writer = state_.members.writer(rank);
    auto lease = LeasedMemory::make("staithe:" + state_.settings.stream);
    auto file = lease ? os::duplicate_read_only((*lease)->file()) : base::fail(lease);
    // Not populated, nor mapped for long: records are copied out of it, and the data is not looked at here.
    auto pool = file ? transport::open_peer_pool(*std::move(file), os::Populate::no,
                                                 transport::MappedPool::Stay::until_next_call)
                     : base::fail(file);
    if (!pool) {
        return base::fail(std::move(pool));
    }
    writer.lease = *std::move(lease);
    writer.pool = *std::move(pool);
    return {};
}

/// A rank that is ahead waits for others where there is not enough for all. Another one completes the oldest step: kept
/// ones go for it, or others have less. The rank is shown whether it may wait for what is not there now.
base::Result<> Director::lease_more(const Member& member, std::int64_t bytes) {
    attend();  // it may have been ahead
    LeasedMemory& lease = *state_.members.writer(member.rank).lease;
    const auto is_full = [](const base::Result<>& leased) {
        return !leased && leased.error().code == ErrorCode::limit_reached;
    };
    auto leased =
        lease.lease(bytes, [&] { return room_for_others(*state_.queue, member.rank, bytes, memories_of_ranks()); });
    bool may_come = false;
    if (is_full(leased) && !is_ahead(*state_.queue, member.rank)) {
        may_come = make_room_in_lease(member.rank, bytes);
        if (!may_come) {
            leased = lease.lease(bytes, [] { return 0; });
            may_come = is_full(leased) && ask_others_for(bytes);
        }
    }
    member.channel->show(shown_by_director::memory_may_come, may_come ? 1 : 0);
    return leased;
}

/// False if there was no room for so much even if other streams, and spaces, gave back all that they have of this
/// server's memory; or if this one has enough for its readers to go on with.
bool Director::ask_others_for(std::int64_t bytes) const {
    using base::Resource;
    constexpr std::int64_t beside_steps = 1 << 20;  // tables, records, what a pool has too much
    constexpr int enough_steps = 2;                 // one that is held until the next one comes, and that
    const StepQueue& queue = *state_.queue;
    const bool is_bounded = !base::has_room(Resource::memory, INT64_MAX);
    const std::int64_t own = staging_->bytes_here() + beside_steps;
    if (queue.complete_steps() - queue.steps_at_rest() >= enough_steps || !is_bounded || bytes > INT64_MAX - own ||
        !base::has_room(Resource::memory, bytes + own - base::used(Resource::memory))) {
        return false;
    }
    ask_others_(bytes);
    return true;
}

/// What nobody uses goes first, kept steps for the rest alone.
std::int64_t Director::give_to_others(std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    const std::int64_t idle = depot_ ? depot_->give_back() : 0;
    const auto freed = let_go(bytes - idle, &StepQueue::Step::data_bytes);
    if (freed && depot_) {
        depot_->give_back();
    }
    ++asked_;
    for (const WriterRank& writer : state_.members.writers()) {
        if (writer.member != nullptr && writer.lease) {
            writer.member->channel->show(shown_by_director::memory_wanted, asked_);
            writer.member->channel->ring();
        }
    }
    return idle + freed.value_or(0);
}

std::vector<RankMemory> Director::memories_of_ranks() const {
    std::vector<RankMemory> memories;
    RankMemory staged{.ranks = {}, .bytes = depot_ ? depot_->bytes() : 0};
    for (int rank = 0; rank < state_.settings.writers; ++rank) {
        if (is_staged(rank)) {
            staged.ranks.push_back(rank);
        } else {
            const auto& lease = state_.members.writer(rank).lease;
            memories.push_back({{rank}, lease ? lease->bytes() : 0});
        }
    }
    memories.push_back(std::move(staged));
    return memories;
}

/// Of the steps that are to stay, for want of memory: whoever holds a step until the next one has come would wait for
/// ever. False if none does.
bool Director::let_oldest_go() {
    if (!state_.queue->let_oldest_go()) {
        return false;
    }
    if (!std::exchange(keeps_less_, true)) {
        base::log(base::LogLevel::warn,
                  "stream '{}': server '{}' has no memory for all the steps that are to stay: the oldest go. Start it "
                  "with more (`staithe serve --memory`), or keep fewer",
                  state_.settings.stream, state_.settings.server);
    }
    deliver();
    return true;
}

/// The oldest steps that are to stay, until they were so many bytes as `bytes_of` counts them. Nothing: none went.
std::optional<std::int64_t> Director::let_go(std::int64_t bytes, const BytesOfStep& bytes_of) {
    std::optional<std::int64_t> freed;
    while (freed.value_or(0) < bytes) {
        const StepQueue::Step* const oldest = state_.queue->oldest();
        const std::int64_t of_step = oldest == nullptr ? 0 : bytes_of(*oldest);
        if (!let_oldest_go()) {
            break;
        }
        freed = freed.value_or(0) + of_step;
    }
    return freed;
}

/// The rank has asked for so much more, in vain: it can use again what it has written in steps that go. False if none
/// does.
bool Director::make_room_in_lease(int rank, std::int64_t bytes) {
    return let_go(bytes, [rank](const StepQueue::Step& step) { return step.bytes_of[static_cast<std::size_t>(rank)]; })
        .has_value();
}

/// The rank has gone, and writes no more.
void Director::reclaim(int rank) {
    std::vector<store::BlockRef> needed;
    for (const StepQueue::Step* step = state_.queue->oldest(); step != nullptr; step = step->next) {
        state_.book->list_refs(step->number, refs_);
        std::ranges::copy_if(refs_, std::back_inserter(needed),
                             [&](const store::BlockRef& ref) { return ref.store == static_cast<std::uint32_t>(rank); });
    }
    state_.members.writer(rank).lease->keep_only(std::move(needed));
}

void Director::reclaim_of_those_gone() {
    for (int rank = 0; rank < state_.settings.writers; ++rank) {
        const WriterRank& writer = state_.members.writer(rank);
        if (writer.has_joined && writer.member == nullptr && writer.lease) {
            reclaim(rank);
        }
    }
}

}  // namespace staithe::stream
