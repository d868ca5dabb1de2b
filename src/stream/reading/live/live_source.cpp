#include "stream/reading/live/live_source.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "stream/opening.hpp"
#include "stream/reading/live/joining.hpp"
#include "stream/waiting/long_wait.hpp"

namespace staithe::stream::live {
namespace {

constexpr double patience_for_the_end = 1.0;  // seconds
constexpr base::Seconds until_it_is_hopeless{1.0};
// A director that does not answer learns that a reader has left all the same, once it looks.
constexpr base::Seconds patience_of_who_leaves{2.0};
/// The writer ranks join both servers at once.
constexpr double time_to_join_twin = 5.0;  // seconds

}  // namespace

/// A call on the source, while its watcher rests.
class LiveSource::Turn {
  public:
    explicit Turn(LiveSource& source) : source_(source), here_(source.home_.here()) {
        if (here_) {
            source_.watching_.stop();
        }
    }
    ~Turn() {
        if (here_ && source_.connection_) {
            source_.watching_.go_on();
        }
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    /// `closed` in a process that was forked off after it was opened, and once it is closed.
    [[nodiscard]] base::Result<> check() const {
        if (!here_) {
            return base::fail(
                ErrorCode::closed,
                "stream '{}' was opened by the process that forked this one: open a reader of its own here",
                source_.name());
        }
        return source_.connection_
                   ? base::Result<>()
                   : base::fail(ErrorCode::closed, "stream '{}': this reader is closed", source_.name());
    }

  private:
    LiveSource& source_;
    const bool here_;
};

// Coming and going --------------------------------------------------------------------------------------------

LiveSource::LiveSource(const std::string& stream, ReaderOptions options, std::optional<double> timeout)
    : StepSource(stream, options.group), options_(std::move(options)), timeout_(timeout), use_(stream) {}

LiveSource::~LiveSource() {
    watching_.end();
    leave();
}

base::Result<std::shared_ptr<LiveSource>> LiveSource::open(const std::string& stream, const ReaderOptions& options,
                                                           const std::optional<OpeningTime>& time) {
    if (auto checked = check(stream, options); !checked) {
        return base::fail(std::move(checked));
    }
    const auto timeout = resolve_timeout(options.timeout);
    if (!timeout) {
        return base::fail(timeout);
    }
    auto source = os::kept_at_home(new LiveSource(stream, options, *timeout));
    if (auto joined = source->join(stream, options.start, false, time.value_or(OpeningTime(*timeout))); !joined) {
        return base::fail(std::move(joined));
    }
    return source;
}

base::Result<std::shared_ptr<LiveSource>> LiveSource::open_twin() const {
    auto source = os::kept_at_home(new LiveSource(name(), options_, timeout_));
    const OpeningTime time(std::min(timeout_.value_or(default_timeout), time_to_join_twin));
    if (auto joined = source->join(joined_.twin, options_.start, false, time); !joined) {
        return base::fail(std::move(joined));
    }
    return source;
}

base::Result<> LiveSource::join(const std::string& stream, std::int64_t start, bool goes_on, const OpeningTime& time) {
    auto connection = live::join(stream, options_, {start, goes_on}, time, timeout_);
    if (!connection) {
        return base::fail(std::move(connection));
    }
    connection_ = *std::move(connection);
    joined_ = connection_->membership->joined();
    intake_.emplace(connection_);
    patience_.show_sleep_by(
        [membership = connection_->membership.get()](std::int64_t since) { membership->show_asleep(since); });
    return {};
}

/// Waits for the writer to come back, and goes on with the step after the last one.
base::Result<> LiveSource::rejoin(std::optional<double> chosen_timeout) {
    const base::Failure lost = loss();
    base::log(base::LogLevel::warn, "{}; waiting for it to come back", lost.message);
    if (auto joined = join(name(), next_step_, true, OpeningTime(chosen_timeout)); !joined) {
        if (joined.error().code == ErrorCode::timeout) {
            return base::fail(lost.code, "{}, and it did not come back within {:g} s: {}", lost.message,
                              chosen_timeout.value_or(default_timeout), joined.error().message);
        }
        return base::fail(lost.code, "{}; one that came after it did not help: {}", lost.message,
                          joined.error().message);
    }
    wanted_ = -1;
    went_on_at_ = next_step_;
    return {};
}

void LiveSource::leave() {
    if (!connection_) {
        return;
    }
    // Steps that were announced but not handed out go back; those that are pinned do so when their last view dies.
    Membership& membership = *connection_->membership;
    const base::Deadline patience(
        std::min<base::Seconds>(deadline_of_answers(timeout_).left(), patience_of_who_leaves));
    if (!intake_->has_ended() && !membership.lost()) {
        static_cast<void>(membership.call(message_type::detach, {}, patience));
    }
    give_all_back(patience);
    dropped_ = membership.dropped();
    intake_.reset();
    connection_.reset();
}

base::Result<> LiveSource::close() {
    const Turn turn(*this);
    if (!connection_) {
        return {};
    }
    auto here = turn.check();
    if (here) {
        leave();
    }
    return here;
}

// Steps -------------------------------------------------------------------------------------------------------

/// Takes in what the director has announced; true once a whole step is there.
bool LiveSource::collect() {
    while (intake_->collect()) {
        if (intake_->number() >= went_on_at_) {
            next_step_ = intake_->number() + 1;
            return true;
        }
        give_back();  // another rank of the group had not got it when the writer died
        wanted_ = -1;
        ask_for_step();
    }
    return false;
}

/// Releases the step that came in and was not taken.
void LiveSource::give_back() {
    connection_->taken.add(1);
    connection_->release(intake_->leave());
}

/// Until the deadline at most: one that goes on announcing must not keep the reader.
void LiveSource::give_all_back(const base::Deadline& deadline) {
    do {
        if (!collect()) {
            return;
        }
        give_back();
    } while (!deadline.passed());
}

/// Of a group that may lose steps: the director keeps them until it is asked.
void LiveSource::ask_for_step() {
    if (joined_.on_request && wanted_ < next_step_) {
        wanted_ = next_step_;
        connection_->want(next_step_);
    }
}

base::Result<std::shared_ptr<const Step>> LiveSource::next(std::optional<double> timeout) {
    const Turn turn(*this);
    if (auto checked = turn.check(); !checked) {
        return base::fail(std::move(checked));
    }
    return take_next(timeout);
}

base::Result<std::shared_ptr<const Step>> LiveSource::take_next(std::optional<double> timeout) {
    monitor::Span span(connection_->tracer, "next");
    if (auto checked = timeout ? resolve_timeout(timeout) : timeout_; !checked) {
        return base::fail(std::move(checked));
    }
    use_.by_this_thread();
    if (!collect() && !intake_->has_ended()) {
        auto waited = wait_for_step(timeout ? timeout : timeout_, nullptr);
        if (!waited) {
            return base::fail(std::move(waited));
        }
    }
    if (intake_->has_step()) {
        span.set_step(intake_->number());
        auto step = intake_->take();
        steps_.add(step ? 1 : 0);
        return step;
    }
    if (intake_->has_ended() && !intake_->lost_rank()) {
        return std::shared_ptr<const Step>();
    }
    if (!options_.resume || ends_with_a_loss_) {
        return tl::unexpected(loss());
    }
    if (auto joined = rejoin(timeout ? timeout : timeout_); !joined) {
        return base::fail(std::move(joined));
    }
    return take_next(timeout);
}

base::Result<std::shared_ptr<const Step>> LiveSource::next_up_to(std::int64_t number, std::optional<double> timeout) {
    const Turn turn(*this);
    if (auto checked = turn.check(); !checked) {
        return base::fail(std::move(checked));
    }
    // Looked at before the ring: what was announced earlier must not be missed.
    const auto passed_by = [&] { return connection_->membership->passed() > number && !collect(); };
    if (!passed_by() && !collect() && !intake_->has_ended()) {
        auto waited = wait_for_step(timeout ? timeout : timeout_, passed_by);
        if (!waited) {
            return base::fail(std::move(waited));
        }
    }
    return passed_by() ? std::shared_ptr<const Step>() : take_next(timeout);
}

base::Result<> LiveSource::ask(const char* request) {
    auto answer = connection_->membership->call(request, {}, deadline_of_answers(timeout_));
    if (!answer && may_appear_later(answer.error())) {
        return {};  // the stream has just ended, or its writer died: `next` tells, after what was announced
    }
    return answer ? base::Result<>() : base::fail(std::move(answer));
}

base::Result<> LiveSource::pause() {
    const Turn turn(*this);
    auto paused = turn.check();
    if (paused) {
        paused = ask(message_type::pause);
    }
    if (paused) {
        give_all_back(deadline_of_answers(timeout_));
    }
    wanted_ = -1;  // the director has forgotten what was asked for
    return paused;
}

base::Result<> LiveSource::resume() {
    const Turn turn(*this);
    auto checked = turn.check();
    return checked ? ask(message_type::resume) : checked;
}

base::Result<> LiveSource::follow_latest() {
    const Turn turn(*this);
    auto follows = turn.check();
    if (follows) {
        follows = ask(message_type::follow);
    }
    if (!follows) {
        return follows;
    }
    joined_.on_request = true;
    // Several ranks first read what was announced to all of them: none can know where the others are.
    const std::int64_t reached = next_step_;
    while (group().size == 1 && collect()) {
        connection_->hand_back(intake_->leave());
    }
    next_step_ = reached;
    wanted_ = -1;
    return {};
}

// Waiting -----------------------------------------------------------------------------------------------------

bool LiveSource::holds_whole_queue() const { return connection_ && connection_->pinned() >= joined_.queue.steps; }

bool LiveSource::has_news() {
    // The loss is looked at first: what was announced before it must not be missed.
    const bool lost = connection_->membership->lost();
    return collect() || intake_->has_ended() || intake_->lost_rank() || lost;
}

/// Waits for a step, the end, a loss, or what the caller waits for besides.
base::Result<> LiveSource::wait_for_step(std::optional<double> chosen_timeout, const std::function<bool()>& or_until) {
    const monitor::Span span(connection_->tracer, "wait for step");
    const double seconds = chosen_timeout.value_or(base::forever);
    // The end may still come to a reader that holds the whole queue, but no step.
    const double patience = holds_whole_queue() ? std::min(seconds, patience_for_the_end) : seconds;
    Membership& membership = *connection_->membership;
    const auto began = base::Clock::now();
    const std::int64_t awaited = next_step_;
    ask_for_step();
    const auto in_time = wait_for_peers(
        membership.channel(), base::Deadline(base::Seconds(patience)), patience_,
        [&] { return has_news() || (or_until && or_until()); },
        [&] {
            return LongWait::Subject{name(),
                                     fmt::format("reader rank {}", group().rank),
                                     "the next step of",
                                     membership.endpoint(),
                                     [&] { return membership.awaited(); },
                                     chosen_timeout.has_value()};
        });
    const auto waited = base::Clock::now() - began;
    waited_.add(waited);
    base::log_long_wait(waited, "stream '{}': reader rank {} waited for step {}", name(), group().rank, awaited);
    if (!in_time) {
        return base::fail(in_time);
    }
    if (!*in_time) {
        return tl::unexpected(no_step_within(chosen_timeout.value_or(base::Seconds(waited).count())));
    }
    return {};
}

void LiveSource::sleep_until_news(const std::function<bool()>& stop) {
    const auto began = base::Clock::now();
    ask_for_step();
    // Of a reader that holds the whole queue nothing but the end can come, so that next() has an error to tell.
    const base::Deadline deadline(holds_whole_queue() ? until_it_is_hopeless : base::Seconds(base::forever));
    connection_->membership->channel().wait(deadline, patience_of_watcher_, [&] { return stop() || has_news(); });
    waited_.add(base::Clock::now() - began);
}

base::Result<int> LiveSource::descriptor(bool once) {
    const Turn turn(*this);
    if (auto checked = turn.check(); !checked) {
        return base::fail(std::move(checked));
    }
    return watching_.descriptor(once, {.ready = [this] { return has_news(); },
                                       .sleep = [this](const auto& stop) { sleep_until_news(stop); },
                                       .wake = [this] { connection_->membership->channel().wake(); }});
}

// What it tells -----------------------------------------------------------------------------------------------

base::Failure LiveSource::loss() const {
    if (!intake_->failure().empty()) {
        return {ErrorCode::writer_failed, fmt::format("stream '{}': {} (after {} steps had been read)", name(),
                                                      intake_->failure(), steps_.value())};
    }
    const auto rank = intake_->lost_rank();
    const std::string who =
        !rank ? connection_->membership->director_title()
              : fmt::format("writer rank {}, {}", *rank,
                            *rank < joined_.writer_of.size() ? transport::to_string(joined_.writer_of[*rank])
                                                             : "an unknown process");
    const std::string how = rank ? "died" : connection_->membership->how_lost();
    return {ErrorCode::peer_lost,
            how == "died"
                ? fmt::format("stream '{}': {}, died after {} steps had been read", name(), who, steps_.value())
                : fmt::format("stream '{}': {}, {} (after {} steps had been read)", name(), who, how, steps_.value())};
}

base::Failure LiveSource::no_step_within(double seconds) const {
    if (holds_whole_queue()) {
        return {
            ErrorCode::limit_reached,
            fmt::format("stream '{}': this reader holds {} steps by their views, which is all that the writer's queue "
                        "has (queue_steps={}), so no further step can come: copy what you keep, drop the views, or "
                        "raise queue_steps",
                        name(), connection_->pinned(), joined_.queue.steps)};
    }
    return {ErrorCode::timeout,
            fmt::format(
                "stream '{}': no step came within {:g} s after {} steps: {} may still compute it; `staithe show {}` "
                "tells, a larger timeout waits longer",
                name(), seconds, steps_.value(), transport::to_string(joined_.writer_of.front()), name())};
}

ReaderStatistics LiveSource::statistics() const {
    const std::int64_t pinned = connection_ ? connection_->pinned() : 0;
    return {steps_.value(), pinned, waited_.seconds(), connection_ ? connection_->membership->dropped() : dropped_};
}

}  // namespace staithe::stream::live
