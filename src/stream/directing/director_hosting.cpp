// What is different where a server directs a stream: it goes on when the writer ranks have gone.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/log.hpp"
#include "os/process.hpp"
#include "stream/directing/director.hpp"
#include "stream/directing/report.hpp"

namespace staithe::stream {

base::Result<std::shared_ptr<Director>> Director::host(std::shared_ptr<transport::Endpoint> endpoint,
                                                       DirectorSettings settings, FarDepots depots,
                                                       AskOthers ask_others) {
    std::shared_ptr<Director> director(new Director(std::move(endpoint), std::move(settings)));
    director->far_depots_ = std::move(depots);
    director->ask_others_ = std::move(ask_others);
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
    return state_.is_written();
}

bool Director::is_past() const {
    const std::lock_guard lock(mutex_);
    const StepQueue& queue = *state_.queue;
    return !state_.is_written() && queue.all_expected_came() && queue.groups().empty();
}

std::string Director::why_needed(bool drops_kept) const {
    const std::lock_guard lock(mutex_);
    const StepQueue& queue = *state_.queue;
    if (state_.is_written()) {
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

// Servers that come later ------------------------------------------------------------------------------------------

std::vector<std::string> Director::lacks(const std::vector<std::string>& servers) const {
    const std::lock_guard lock(mutex_);
    const bool could_have = !stopped_ && state_.is_written() && depot_ && state_.members.all_writers_joined() &&
                            staging_->depots() < most_depots;
    if (!could_have) {
        return {};
    }
    std::vector<std::string> lacking;
    std::ranges::copy_if(servers, std::back_inserter(lacking), [this](const std::string& server) {
        return std::ranges::none_of(far_depots_.all, [&](const FarDepots::Each& each) {
            return each.server.name == server && each.depot->is_there();
        });
    });
    return lacking;
}

std::map<int, std::shared_ptr<transport::Link>> Director::ranks_elsewhere() const {
    const std::lock_guard lock(mutex_);
    std::map<int, std::shared_ptr<transport::Link>> ranks;
    for (const auto& [id, member] : state_.members.all()) {
        if (!member->reads && is_staged(member->rank)) {
            ranks.emplace(member->rank, member->link);
        }
    }
    return ranks;
}

Director::NextDepot Director::next_depot() const {
    const std::lock_guard lock(mutex_);
    return {far_depots_.service, store_of_depot(state_.settings.writers, static_cast<int>(far_depots_.all.size()) + 1)};
}

/// What finds no room with the others is fetched there.
bool Director::take_in(FarDepots::Each depot) {
    const std::lock_guard lock(mutex_);
    if (stopped_ || !state_.is_written()) {
        return false;
    }
    add_to_staging(depot);
    far_depots_.all.push_back(std::move(depot));
    if (const auto begun = staging_->try_again(); !begun) {
        base::log(base::LogLevel::warn, "stream '{}': {}", state_.settings.stream, begun.error().message);
    }
    return true;
}

std::string Director::contact_of(transport::Entry server) const {
    server.kind = transport::Kind::stream;
    server.name = state_.settings.stream;
    return transport::to_json(server);
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
