#include "stream/reading/continued/continued_source.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/interruption.hpp"
#include "base/log.hpp"
#include "stream/opening.hpp"
#include "stream/reading/live/joining.hpp"
#include "stream/reading/twin_source.hpp"

namespace staithe::stream {
namespace {

using base::fail;

/// What went by before this reader joined is written by whoever records.
constexpr base::Seconds time_to_record(5.0);
/// What a stream had published before it was recorded is there at once, as a rule.
constexpr double until_it_seems_another_run = 5.0;  // seconds
constexpr auto between_looks_for_more = std::chrono::milliseconds(20);

std::optional<double> left_until(const std::optional<base::Deadline>& until) {
    return until ? std::optional(base::Seconds(until->left()).count()) : std::nullopt;
}

}  // namespace

base::Result<std::shared_ptr<StepSource>> ContinuedSource::open(const std::string& stream, const std::string& recording,
                                                                const ReaderOptions& options) {
    if (auto checked = live::check(stream, options); !checked) {
        return fail(std::move(checked));
    }
    if (options.start == start_next) {
        return fail(
            ErrorCode::invalid_argument,
            "the reader of stream '{}': who starts with the next step needs no history: leave `history` out, or "
            "name the step to start at",
            stream);
    }
    auto file = recorded::RecordedSource::open_file(stream, recording, options);
    if (!file) {
        return fail(file.error().code, "the history of stream '{}': {}", stream, file.error().message);
    }
    return std::shared_ptr<StepSource>(new ContinuedSource(stream, recording, options, *std::move(file)));
}

ContinuedSource::ContinuedSource(const std::string& stream, std::string recording, ReaderOptions options,
                                 std::shared_ptr<recorded::RecordedSource> file)
    : StepSource(stream, options.group),
      recording_(std::move(recording)),
      options_(std::move(options)),
      attributes_(file->attributes()),
      file_(std::move(file)) {}

base::Result<std::shared_ptr<const Step>> ContinuedSource::next(std::optional<double> timeout) {
    if (closed_) {
        return fail(ErrorCode::closed, "the reader of '{}' was closed", name());
    }
    if (is_joined_) {
        auto step = live_->next(timeout);
        steps_ += step && *step != nullptr ? 1 : 0;
        return step;
    }
    const auto until = timeout ? std::optional(base::Deadline(base::Seconds(*timeout))) : std::nullopt;
    std::optional<base::Deadline> until_recorded;
    for (bool may_wait = false;;) {
        // In this order: what the recording gets after the stream was looked at may come after what that has.
        if (auto looked = file_->has_been_read() ? look_again() : base::Result<>(); !looked) {
            return fail(std::move(looked));
        }
        if (auto taken =
                live_ && !ahead_ ? take_ahead(may_wait ? until : base::Deadline(base::Seconds(0))) : base::Result<>();
            !taken && (may_wait || taken.error().code != ErrorCode::timeout)) {
            return fail(std::move(taken));
        }
        auto step = next_of_file();
        if (!step) {
            return step;
        }
        if (*step != nullptr) {
            join_with_last_of_file();
            return step;
        }
        if (!live_) {
            if (auto joined = join(base::Seconds(left_until(until).value_or(base::forever))); !joined) {
                std::this_thread::sleep_for(between_looks_for_more);  // who does not wait asks again at once
                return fail(std::move(joined));
            }
            continue;
        }
        if (!ahead_) {
            if (may_wait) {
                return nullptr;  // the stream has ended
            }
            may_wait = true;
            continue;
        }
        if (!lacks_steps()) {
            break;
        }
        if (!until_recorded) {
            until_recorded.emplace(time_to_record);
        } else if (until_recorded->passed()) {
            base::log(base::LogLevel::warn,
                      "stream '{}' goes on with step {}: those from step {} on are neither in '{}' nor in its queue "
                      "any more",
                      name(), ahead_->number, first_wanted(), recording_);
            break;
        }
        std::this_thread::sleep_for(between_looks_for_more);
        if ((until && until->passed()) || base::interrupted()) {
            return fail(ErrorCode::timeout,
                        "stream '{}' goes on with step {}: '{}' has not got those from step {} on yet", name(),
                        ahead_->number, recording_, first_wanted());
        }
    }
    is_joined_ = true;
    hand_out(*ahead_);
    return std::exchange(ahead_, nullptr);
}

/// The next step of the recording that comes before all that are live; nothing if it has none.
base::Result<std::shared_ptr<const Step>> ContinuedSource::next_of_file() {
    auto step = file_->next(std::nullopt);
    if (!step || *step == nullptr) {
        return step;
    }
    if (ahead_ != nullptr && (*step)->number >= ahead_->number) {
        return nullptr;
    }
    hand_out(**step);
    return pins_.pin(*std::move(step));
}

/// What the recording got since.
base::Result<> ContinuedSource::look_again() {
    ReaderOptions options = options_;
    options.start = first_wanted();
    auto file = recorded::RecordedSource::open_file(name(), recording_, options);
    if (!file) {
        return fail(std::move(file));
    }
    file_ = *std::move(file);
    return {};
}

/// From here on nothing goes by while the program looks at this step. A stream that is not there yet is waited for with
/// the next one.
void ContinuedSource::join_with_last_of_file() {
    if (!live_ && file_->has_been_read() && look_again() && file_->has_been_read()) {
        static_cast<void>(join(base::Seconds(0)));
    }
}

/// The first number that was not handed out, and may be.
std::int64_t ContinuedSource::first_wanted() const {
    return std::max(last_ ? *last_ + 1 : std::int64_t{0}, options_.start);
}

void ContinuedSource::hand_out(const Step& step) {
    if (last_) {
        const std::int64_t stride = step.number - *last_;
        stride_ = stride_ == 0 ? stride : std::min(stride_, stride);
    }
    last_ = step.number;
    ++steps_;
}

/// Whether the recording should have had another one before the first of the stream: one that has each tenth step lacks
/// none of the nine between.
bool ContinuedSource::lacks_steps() const {
    const bool has_begun = last_ || options_.start >= 0;
    return has_begun && first_wanted() + std::max<std::int64_t>(stride_ - 1, 0) < ahead_->number;
}

/// Of a stream that is there its writer and this reader may take as long as ever, whatever it takes to appear.
base::Result<> ContinuedSource::join(base::Seconds time_to_appear) {
    ReaderOptions options = options_;
    options.start = start_oldest;  // so that what is not recorded yet is kept for this reader
    const auto chosen = resolve_timeout(options.timeout);
    if (!chosen) {
        return fail(chosen);
    }
    OpeningTime time(std::nullopt);
    time.deadline = base::Deadline(std::min(time_to_appear, base::Seconds(chosen->value_or(default_timeout))));
    auto live = open_live(name(), options, time);
    if (!live) {
        return last_ ? fail(live.error().code, "'{}' ends with step {}, and then: {}", recording_, *last_,
                            live.error().message)
                     : fail(live.error().code, "'{}' has no steps, and then: {}", recording_, live.error().message);
    }
    live_ = *std::move(live);
    return {};
}

/// The first step of the stream that was not handed out; none if it has ended.
base::Result<> ContinuedSource::take_ahead(const std::optional<base::Deadline>& until) {
    auto step = next_of_stream(left_until(until));
    while (step && *step != nullptr && (*step)->number < first_wanted()) {
        passed_by_ = (*step)->number;
        step->reset();  // else it might keep the next one from coming
        step = next_of_stream(left_until(until));
    }
    if (!step) {
        return fail(std::move(step));
    }
    ahead_ = *std::move(step);
    return {};
}

/// Says so if the stream seems to be another one than the recording is of.
base::Result<std::shared_ptr<const Step>> ContinuedSource::next_of_stream(std::optional<double> timeout) {
    if (has_warned_ || !last_ || passed_by_.value_or(*last_) >= *last_) {
        return live_->next(timeout);
    }
    const double soon = std::min(timeout.value_or(base::forever), until_it_seems_another_run);
    auto step = live_->next(soon);
    const ErrorCode why = step ? ErrorCode() : step.error().code;
    const bool none_came = why == ErrorCode::timeout && soon >= until_it_seems_another_run;
    const bool has_ended = step && *step == nullptr;
    if (!has_ended && (step || (!none_came && why != ErrorCode::deadlock))) {
        return step;
    }
    has_warned_ = true;
    base::log(base::LogLevel::warn,
              "stream '{}' {} step {}, and '{}' has step {} already: if it is of another run, read the stream by "
              "itself; this reader {} step {}",
              name(), has_ended ? "has ended with" : "is at", *passed_by_, recording_, *last_,
              has_ended ? "has left out all before" : "waits for", first_wanted());
    return none_came && (!timeout || *timeout > soon)
               ? live_->next(timeout ? std::optional(*timeout - soon) : std::nullopt)
               : std::move(step);
}

base::Result<> ContinuedSource::only_once_live(const char* action) const {
    return live_ ? base::Result<>()
                 : fail(ErrorCode::invalid_argument,
                        "the reader of '{}' cannot {} it before it has read '{}', which comes first", name(), action,
                        recording_);
}

base::Result<> ContinuedSource::pause() {
    auto paused = only_once_live("pause");
    paused = paused ? live_->pause() : paused;
    if (paused) {
        is_joined_ = true;
        ahead_ = nullptr;
    }
    return paused;
}

base::Result<> ContinuedSource::resume() {
    auto can_be = only_once_live("resume");
    return can_be ? live_->resume() : can_be;
}

/// Leaves out what of the recording was not read yet.
base::Result<> ContinuedSource::follow_latest() {
    if (auto joined = live_ ? base::Result<>() : join(base::Seconds(base::forever)); !joined) {
        return joined;
    }
    auto followed = live_->follow_latest();
    if (followed) {
        is_joined_ = true;
        ahead_ = nullptr;
    }
    return followed;
}

base::Result<int> ContinuedSource::descriptor(bool once) {
    return live_ && !ahead_ && file_->has_been_read() ? live_->descriptor(once) : StepSource::descriptor(once);
}

base::Result<> ContinuedSource::close() {
    closed_ = true;
    ahead_ = nullptr;
    static_cast<void>(file_->close());
    return live_ ? live_->close() : base::Result<>();
}

ReaderStatistics ContinuedSource::statistics() const {
    ReaderStatistics all = live_ ? live_->statistics() : ReaderStatistics();
    all.pinned += pins_.count();
    all.steps = steps_;
    return all;
}

}  // namespace staithe::stream
