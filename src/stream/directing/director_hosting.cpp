// What is different where a server directs a stream: it makes the memory, and goes on when the writer ranks have gone.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/log.hpp"
#include "os/process.hpp"
#include "stream/directing/director.hpp"
#include "stream/directing/report.hpp"
#include "transport/peer_pool.hpp"

namespace staithe::stream {

base::Result<std::shared_ptr<Director>> Director::host(std::shared_ptr<transport::Endpoint> endpoint,
                                                       DirectorSettings settings, FarDepots depots) {
    std::shared_ptr<Director> director(new Director(std::move(endpoint), std::move(settings)));
    director->far_depots_ = std::move(depots);
    director->staging_ = std::make_unique<Staging>(
        [weak = std::weak_ptr(director)](const Staging::Arrival& arrival) {
            if (const auto self = weak.lock()) {
                const std::lock_guard lock(self->mutex_);
                self->arrive(arrival);
            }
        },
        store_of_depot(director->state_.settings.writers, 0));
    if (auto opened = director->open(); !opened) {
        return base::fail(std::move(opened));
    }
    return director;
}

bool Director::is_written() const {
    const std::lock_guard lock(mutex_);
    return !state_.queue->all_finished() && !state_.queue->lost_writer();
}

bool Director::is_past() const {
    const std::lock_guard lock(mutex_);
    const StepQueue& queue = *state_.queue;
    return (queue.all_finished() || queue.lost_writer()) && queue.all_expected_came() && queue.groups().empty();
}

bool Director::has_writer_joined() const {
    const std::lock_guard lock(mutex_);
    const auto& writers = state_.members.writers();
    return std::any_of(writers.begin(), writers.end(), [](const WriterRank& writer) { return writer.has_joined; });
}

Attributes Director::summary() const {
    const std::lock_guard lock(mutex_);
    std::int64_t memory = 0;
    for (const WriterRank& writer : state_.members.writers()) {
        memory += writer.lease ? writer.lease->bytes() : 0;
    }
    memory += depot_ ? depot_->bytes() : 0;
    return {{"state", state_of(state_)},
            {"ranks", state_.settings.writers},
            {"steps", state_.published_steps.value()},
            {"kept", state_.queue->complete_steps()},
            {"readers", state_.queue->groups().size()},
            {"memory", memory}};
}

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
/// ones go for it, or others have less.
base::Result<> Director::lease_more(int rank, std::int64_t bytes) {
    attend();  // it may have been ahead
    LeasedMemory& lease = *state_.members.writer(rank).lease;
    auto leased = lease.lease(bytes, [&] { return room_for_others(*state_.queue, rank, bytes, memories_of_ranks()); });
    if (!leased && leased.error().code == ErrorCode::limit_reached && !is_ahead(*state_.queue, rank) &&
        !make_room_in_lease(rank, bytes)) {
        leased = lease.lease(bytes, [] { return 0; });
    }
    return leased;
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

/// The rank has asked for so much more, in vain: it can use again what it has written in steps that go. False if none
/// does.
bool Director::make_room_in_lease(int rank, std::int64_t bytes) {
    bool any = false;
    for (std::int64_t freed = 0; freed < bytes;) {
        const StepQueue::Step* const oldest = state_.queue->oldest();
        const std::int64_t part = oldest == nullptr ? 0 : oldest->bytes_of[static_cast<std::size_t>(rank)];
        if (!let_oldest_go()) {
            break;
        }
        any = true;
        freed += part;
    }
    return any;
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

/// All writer ranks have closed the stream: nobody waits for another step. Who comes gets those that stay.
void Director::end_if_written() {
    if (!is_hosted() || !state_.queue->all_finished() || state_.queue->ended() || state_.queue->lost_writer()) {
        return;
    }
    if (state_.disagreement()) {
        give_up(0, "its ranks went through different numbers of steps");
        return;
    }
    state_.ended_at = os::wall_clock_seconds();
    state_.queue->end();
    deliver();
}

}  // namespace staithe::stream
