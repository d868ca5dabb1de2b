// How a stream ends: all writer ranks close it, one of them dies, or the program gives it up.
#include <algorithm>
#include <utility>

#include "base/config.hpp"
#include "base/interruption.hpp"
#include "base/log.hpp"
#include "base/value_codec.hpp"
#include "os/files.hpp"
#include "os/process.hpp"
#include "stream/directing/director.hpp"
#include "stream/directing/reception.hpp"
#include "stream/directing/waits.hpp"
#include "stream/waiting/long_wait.hpp"

namespace staithe::stream {
namespace {

// Readers that are there already look for the stream every 50 ms: a writer that fails at once lets them find it.
constexpr base::Seconds grace_for_readers{0.2};
// What their hosts have not acknowledged by then they never will.
constexpr base::Seconds grace_for_last_words{5.0};
constexpr base::Seconds between_looks{0.001};

}  // namespace

/// It died, unless it says why it cannot go on.
void Director::lose_writer(int rank, const std::string& failure) {
    if (!state_.queue->lost_writer() && !state_.queue->writer(rank).finished) {
        give_up(rank, failure.empty()
                          ? ""
                          : fmt::format("writer rank {}, {}, failed: {}", rank,
                                        transport::to_string(state_.members.writer(rank).peer), failure_line(failure)));
    }
}

/// No further step comes. Readers are given all that are complete, and then told why.
void Director::give_up(int rank, const std::string& failure) {
    state_.failure = failure;
    state_.loss_text =
        state_.book->write_text(failure.empty() ? transport::to_string(state_.members.writer(rank).peer) : failure)
            .value_or(Written{});
    state_.queue->give_up(rank);
    deliver();
}

std::optional<base::Failure> Director::trouble() const {
    const std::lock_guard lock(mutex_);
    return state_.trouble();
}

Awaited Director::awaited_by_rank_0() const {
    const std::lock_guard lock(mutex_);
    return state_.queue->writer(0).finished ? awaited_by_closing(state_) : awaited_by_writer(state_, 0);
}

base::Result<> Director::finish(std::optional<double> chosen_timeout) {
    const std::string& stream = state_.settings.stream;
    const int expected = state_.settings.expected_readers;
    const base::Deadline deadline{base::Seconds(chosen_timeout.value_or(base::forever))};
    transport::Patience patience;
    patience.show_sleep_by(
        [this](std::int64_t since) { state_.closing_since.store(since, std::memory_order_relaxed); });
    int seen = 0;
    bool finished = false;
    const auto ready = [&] {
        const std::lock_guard lock(mutex_);
        attend();
        seen = state_.queue->groups_seen();
        finished = state_.queue->all_finished() || state_.trouble();
        return finished && seen >= expected;
    };
    const auto subject = [&] {
        return LongWait::Subject{stream,
                                 "writer rank 0",
                                 "the end of",
                                 endpoint_,
                                 [this] { return awaited_by_rank_0(); },
                                 chosen_timeout.has_value()};
    };
    const auto waited = wait_for_peers(*switchboard_, deadline, patience, ready, subject);
    const auto lost = trouble();
    int unread = 0;
    {
        const std::lock_guard lock(mutex_);
        if (lost && lost->code == ErrorCode::invalid_argument) {
            give_up(0, "its ranks went through different numbers of steps");
        } else if (!lost && !state_.queue->all_finished()) {
            give_up(0, "not all its ranks have closed it");
        }
        unread = state_.queue->steps();
    }
    stop();
    // Of a stream that failed a reader may hold steps for as long as it waits for the writer to come back.
    const base::Deadline of_fetching(lost ? std::min<base::Seconds>(grace_for_far_readers, deadline.left())
                                          : base::Seconds(deadline.left()));
    const auto fetched =
        wait_for_peers(*switchboard_, of_fetching, patience, [this] { return far_readers_have_all(); }, subject);
    let_far_members_go();
    if (lost) {
        return tl::unexpected(*lost);
    }
    if (!waited && unread > 0) {
        return base::fail(waited.error().code, "{}; so {} steps were not read", waited.error().message, unread);
    }
    if (!waited || (*waited && !fetched)) {
        return base::fail(!waited ? waited : fetched);
    }
    if (*waited && *fetched) {
        return {};
    }
    if (*waited) {
        return base::fail(ErrorCode::timeout, "stream '{}': {} after {:g} s: what they have not fetched is lost",
                          stream, awaited_by_rank_0().reason, deadline.seconds());
    }
    if (!finished) {
        return base::fail(ErrorCode::timeout,
                          "stream '{}': not all {} writer ranks closed it within {:g} s: do all of them call close()?",
                          stream, state_.settings.writers, deadline.seconds());
    }
    return base::fail(
        ErrorCode::timeout,
        "stream '{}': {} of {} expected reader groups joined within {:g} s, so {} steps were not read: start "
        "the readers, raise the timeout, or open the writer with fewer `readers`",
        stream, seen, expected, deadline.seconds(), unread);
}

void Director::fail(const std::string& reason) {
    {
        const std::lock_guard lock(mutex_);
        attend();
        lose_writer(0, reason);
    }
    transport::Patience patience;
    static_cast<void>(switchboard_->wait(base::Deadline(grace_for_readers), patience, [&] {
        const std::lock_guard lock(mutex_);
        return state_.queue->all_expected_came();
    }));
    stop();
    static_cast<void>(
        switchboard_->wait(base::Deadline(grace_for_far_readers), patience, [this] { return far_readers_have_all(); }));
    let_far_members_go();
}

bool Director::far_readers_have_all() {
    const std::lock_guard lock(mutex_);
    attend();
    return far_readers_with_steps(state_).empty();
}

void Director::withdraw_blocks() {
    std::shared_ptr<BlockOffer> offer;
    {
        const std::lock_guard lock(mutex_);
        offer = offer_;
    }
    if (offer) {  // without the mutex, which its handler may want
        offer->withdraw();
    }
}

/// Nobody needs blocks any more. The hosts of all have what they were told last before this process goes: what is lost
/// on the way is sent again only as long as nothing that they say meets a connection that is closed.
void Director::let_far_members_go() {
    {
        std::shared_ptr<BlockOffer> offer;  // goes without the mutex, which its handler may want
        const std::lock_guard lock(mutex_);
        offer = std::move(offer_);
        for (const auto& [id, member] : state_.members.all()) {
            if (!member->reads) {
                static_cast<void>(member->channel->send(hot_message(Hot::dismissed)));
            }
        }
    }
    transport::Patience patience;
    const auto all_have_been_told = [this] {
        const std::lock_guard lock(mutex_);
        attend();
        return std::ranges::all_of(state_.members.all(),
                                   [](const auto& entry) { return entry.second->channel->has_delivered(); });
    };
    for (const base::Deadline deadline(grace_for_last_words); !deadline.passed() && !base::interrupted();) {
        if (switchboard_->wait(base::Deadline(between_looks), patience, all_have_been_told)) {
            return;
        }
    }
}

std::int64_t Director::unread() const {
    const std::lock_guard lock(mutex_);
    return state_.queue->unread();
}

void Director::stop() {
    Publication::End end;
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(stopped_, true)) {
            return;  // never opened, or closed: the name may be another's
        }
        attend();
        const StepQueue& queue = *state_.queue;
        if (is_hosted() && !queue.all_finished() && !queue.lost_writer()) {
            give_up(0, fmt::format("server '{}' was ended while it was written", state_.settings.server));
        }
        end = {.is_whole = queue.all_finished() && !state_.trouble(),
               .was_read = queue.all_expected_came(),
               .unread = queue.unread(),
               .failure = state_.failure};
    }
    publication_->close(end);
    {
        const std::lock_guard lock(mutex_);
        base::log(base::LogLevel::debug, "stream '{}': ends after {} steps, {}; {} dropped", state_.settings.stream,
                  state_.published_steps.value(), base::format_bytes(state_.published_bytes.value()),
                  state_.queue->dropped());
        if (!state_.queue->ended()) {
            state_.ended_at = os::wall_clock_seconds();
            state_.queue->end();
            deliver();
        }
        for (const DeferredJoin& join : state_.members.deferred) {
            const auto id = integer_field(join.request, "id", 0, INT64_MAX);
            static_cast<void>(join.link->reply(
                id.value_or(0), base::fail(ErrorCode::not_found, "stream '{}' has ended", state_.settings.stream)));
        }
        state_.members.deferred.clear();
    }
    switchboard_->wake();
    if (const auto directory = base::environment("STAITHE_SUMMARY_DIR")) {
        auto written = os::write_atomically(fmt::format("{}/{}.json", *directory, state_.settings.stream),
                                            base::to_json(reception_->describe(), 2) + "\n");
        if (!written) {
            base::log(base::LogLevel::warn, "no summary of stream '{}': {}", state_.settings.stream,
                      written.error().message);
        }
    }
}

}  // namespace staithe::stream
