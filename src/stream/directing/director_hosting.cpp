// What is different where a server directs a stream: it makes the memory, and goes on when the writer ranks have gone.
#include <algorithm>
#include <iterator>
#include <utility>

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

std::string Director::why_needed(bool drops_kept) const {
    const std::lock_guard lock(mutex_);
    const StepQueue& queue = *state_.queue;
    if (!queue.all_finished() && !queue.lost_writer()) {
        return "is being written";
    }
    if (!queue.groups().empty()) {
        return fmt::format("has ended, and is being read by {} groups", queue.groups().size());
    }
    if (!queue.all_expected_came()) {
        return "has ended, and its expected readers have yet to come";
    }
    return drops_kept || queue.complete_steps() == 0
               ? ""
               : fmt::format("has ended, and keeps {} steps for whoever comes", queue.complete_steps());
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
