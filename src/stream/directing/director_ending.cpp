// How a stream ends: all writer ranks close it, one of them dies, or the program gives it up.
#include <algorithm>
#include <cstring>

#include "base/config.hpp"
#include "base/log.hpp"
#include "base/value_codec.hpp"
#include "os/files.hpp"
#include "os/process.hpp"
#include "stream/directing/director.hpp"
#include "stream/finding/ended_note.hpp"
#include "stream/waiting/long_wait.hpp"
#include "transport/directory/directory.hpp"

namespace staithe::stream {
namespace {

// Readers that are there already look for the stream every 50 ms: a writer that fails at once lets them find it.
constexpr base::Seconds grace_for_readers{0.2};

}  // namespace

void Director::lose_writer(int rank, const std::string& failure) {
    const WriterRank& writer = writers_[static_cast<std::size_t>(rank)];
    if (lost_writer_ < 0 && !writer.finished) {
        give_up(rank, failure.empty() ? ""
                                      : fmt::format("writer rank {}, {}, failed: {}", rank,
                                                    transport::to_string(writer.peer), failure_line(failure)));
    }
}

/// No further step comes. Readers are given all that are complete, and then told why.
void Director::give_up(int rank, const std::string& failure) {
    lost_writer_ = rank;
    failure_ = failure;
    if (!failure_.empty()) {
        if (auto memory = control_->allocate(static_cast<std::int64_t>(failure_.size()))) {
            failure_memory_ = *memory;
            std::memcpy(failure_memory_.data, failure_.data(), failure_.size());
        }
    }
    for (ReaderGroup& group : groups_) {
        serve_rest(group);
    }
    for (auto& [id, member] : members_) {
        tell_loss(member);
    }
}

void Director::tell_loss(Member& member) {
    const bool has_failed = failure_memory_.data != nullptr;
    transport::Message message = hot_message(has_failed ? Hot::writer_failed : Hot::writer_lost, 0, lost_writer_);
    message.offset = has_failed ? failure_memory_.offset : writers_[static_cast<std::size_t>(lost_writer_)].peer.pid;
    message.bytes = has_failed ? static_cast<std::int64_t>(failure_.size()) : 0;
    static_cast<void>(member.down.push(message));
    transport::ring(member.head->bell);
}

bool Director::all_finished() const {
    return std::all_of(writers_.begin(), writers_.end(), [](const WriterRank& writer) { return writer.finished; });
}

base::Failure Director::loss() const {
    if (!failure_.empty()) {
        return {ErrorCode::writer_failed, fmt::format("stream '{}': {}", settings_.stream, failure_)};
    }
    return {ErrorCode::peer_lost,
            fmt::format("stream '{}': writer rank {}, {}, died", settings_.stream, lost_writer_,
                        transport::to_string(writers_[static_cast<std::size_t>(lost_writer_)].peer))};
}

std::optional<base::Failure> Director::disagreement() const {
    for (const Step& step : steps_) {
        for (std::size_t rank = 0; step.missing > 0 && rank < writers_.size(); ++rank) {
            if (writers_[rank].finished && step.records[rank].kind == 0) {
                return base::Failure{
                    ErrorCode::invalid_argument,
                    fmt::format(
                        "stream '{}': writer rank {}, {}, closed after {} steps, but others wrote step {}: readers "
                        "do not get it, since all ranks must go through the same steps",
                        settings_.stream, rank, transport::to_string(writers_[rank].peer), writers_[rank].steps,
                        step.number)};
            }
        }
    }
    return std::nullopt;
}

std::optional<base::Failure> Director::trouble() const {
    const std::lock_guard lock(mutex_);
    return lost_writer_ >= 0 ? std::optional(loss()) : disagreement();
}

base::Result<> Director::finish(std::optional<double> chosen_timeout) {
    const base::Deadline deadline{base::Seconds(chosen_timeout.value_or(base::forever))};
    transport::Patience patience;
    patience.show_sleep_in(closing_since_);
    int seen = 0;
    bool finished = false;
    const auto ready = [&] {
        const std::lock_guard lock(mutex_);
        drain();
        seen = groups_seen_;
        finished = all_finished() || lost_writer_ >= 0 || disagreement();
        return finished && seen >= settings_.expected_readers;
    };
    const auto waited = wait_for_peers(*bell_, deadline, patience, ready, [&] {
        return LongWait::Subject{
            settings_.stream,          "writer rank 0", "the end of", endpoint_, [this] { return awaited_by_rank_0(); },
            chosen_timeout.has_value()};
    });
    const auto lost = trouble();
    std::size_t unread = 0;
    {
        const std::lock_guard lock(mutex_);
        if (lost && lost->code == ErrorCode::invalid_argument) {
            give_up(0, "its ranks went through different numbers of steps");
        } else if (!lost && !all_finished()) {
            give_up(0, "not all its ranks have closed it");
        }
        unread = steps_.size();
    }
    stop();
    if (lost) {
        return tl::unexpected(*lost);
    }
    if (!waited && unread > 0) {
        return base::fail(waited.error().code, "{}; so {} steps were not read", waited.error().message, unread);
    }
    if (!waited || *waited) {
        return waited ? base::Result<>() : base::fail(waited);
    }
    if (!finished) {
        return base::fail(ErrorCode::timeout,
                          "stream '{}': not all {} writer ranks closed it within {:g} s: do all of them call close()?",
                          settings_.stream, settings_.writers, deadline.seconds());
    }
    return base::fail(
        ErrorCode::timeout,
        "stream '{}': {} of {} expected reader groups joined within {:g} s, so {} steps were not read: start "
        "the readers, raise the timeout, or open the writer with fewer `readers`",
        settings_.stream, seen, settings_.expected_readers, deadline.seconds(), unread);
}

void Director::fail(const std::string& reason) {
    {
        const std::lock_guard lock(mutex_);
        drain();
        lose_writer(0, reason);
    }
    transport::Patience patience;
    static_cast<void>(transport::wait(*bell_, base::Deadline(grace_for_readers), patience, [&] {
        const std::lock_guard lock(mutex_);
        return groups_seen_ >= settings_.expected_readers;
    }));
    stop();
}

std::int64_t Director::unread() const {
    const std::lock_guard lock(mutex_);
    return count_unread();
}

std::int64_t Director::count_unread() const {
    return groups_seen_ >= settings_.expected_readers
               ? 0
               : std::count_if(steps_.begin(), steps_.end(),
                               [](const Step& step) { return step.missing == 0 && !step.abandoned && step.kept; });
}

/// Readers that are still to come learn that they come too late.
void Director::leave_note() const {
    if (groups_seen_ < settings_.expected_readers) {
        leave_ended_note(endpoint_->run_directory(), settings_.stream, {endpoint_->self(), count_unread(), failure_});
    }
}

void Director::stop() {
    {
        const std::lock_guard lock(mutex_);
        if (!offered_ || ended_) {
            return;  // never opened, or closed: the name may be another's
        }
        drain();
        const bool is_whole = all_finished() && lost_writer_ < 0 && !disagreement();
        if (progress_ && (is_whole || progress_->next_step() == 0)) {
            progress_->remove();  // nothing to continue
        }
        leave_note();
        // Before the socket: a contact at whose socket nobody listens may be replaced, and is not ours any more.
        transport::Directory(endpoint_->run_directory()).withdraw(transport::Kind::stream, settings_.stream);
    }
    // Not under the mutex: a handler that runs now may hold the endpoint's lock and want ours.
    endpoint_->withdraw(settings_.stream);
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    end_stream();
    transport::ring_always(*bell_);
}

void Director::end_stream() {
    ended_ = true;
    ended_at_ = os::wall_clock_seconds();
    base::log(base::LogLevel::debug, "stream '{}': ends after {} steps, {}; {} dropped", settings_.stream,
              published_steps_.value(), base::format_bytes(published_bytes_.value()), dropped_.value());
    for (ReaderGroup& group : groups_) {
        serve_rest(group);
    }
    for (auto& [id, member] : members_) {
        if (lost_writer_ >= 0) {
            tell_loss(member);  // a reader rank whose group was never whole may not have heard of it
        }
        static_cast<void>(member.down.push(hot_message(Hot::end)));
        transport::ring(member.head->bell);
    }
    for (const DeferredJoin& join : deferred_) {
        const auto id = integer_field(join.request, "id", 0, INT64_MAX);
        static_cast<void>(join.link->reply(
            id.value_or(0), base::fail(ErrorCode::not_found, "stream '{}' has ended", settings_.stream)));
    }
    deferred_.clear();
    if (const auto directory = base::environment("STAITHE_SUMMARY_DIR")) {
        auto written = os::write_atomically(fmt::format("{}/{}.json", *directory, settings_.stream),
                                            base::to_json(report(), 2) + "\n");
        if (!written) {
            base::log(base::LogLevel::warn, "no summary of stream '{}': {}", settings_.stream, written.error().message);
        }
    }
}

}  // namespace staithe::stream
