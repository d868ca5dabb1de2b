#include "stream/reading/continued/continued_source.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/deadline.hpp"
#include "base/log.hpp"
#include "stream/reading/live/joining.hpp"

namespace staithe::stream {
namespace {

using base::fail;

/// What a stream has published before it was recorded is there at once.
constexpr double time_for_the_published = 5.0;  // seconds
/// What went by before this reader joined is written by whoever records.
constexpr base::Seconds time_to_record(5.0);
constexpr auto until_more_is_recorded = std::chrono::milliseconds(20);
/// Of a stream that is there: it may be another program's turn to begin it.
constexpr double time_to_join_if_there = 0.5;  // seconds

bool is_no_step_there(ErrorCode code) { return code == ErrorCode::timeout || code == ErrorCode::deadlock; }

}  // namespace

base::Result<std::shared_ptr<StepSource>> ContinuedSource::open(const std::string& stream, const std::string& recording,
                                                                const ReaderOptions& options, OpenLive open_live) {
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
    return std::shared_ptr<StepSource>(new ContinuedSource(stream, recording, options, open_live, *std::move(file)));
}

ContinuedSource::ContinuedSource(const std::string& stream, std::string recording, ReaderOptions options,
                                 OpenLive open_live, std::shared_ptr<recorded::RecordedSource> file)
    : StepSource(stream, options.group),
      recording_(std::move(recording)),
      options_(std::move(options)),
      open_live_(open_live),
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
    std::optional<base::Deadline> until_recorded;
    for (;;) {
        if (auto taken = live_ && !ahead_ ? take_ahead(timeout) : base::Result<>(); !taken) {
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
            if (auto joined = join(timeout); !joined) {
                return fail(std::move(joined));
            }
            continue;
        }
        if (!ahead_) {
            return nullptr;  // the stream has ended
        }
        if (!lacks_steps()) {
            break;
        }
        if (!until_recorded) {
            until_recorded.emplace(time_to_record);
        } else if (until_recorded->passed()) {
            base::log(base::LogLevel::warn,
                      "stream '{}' goes on with step {}: those after step {} are neither in '{}' nor in its queue any "
                      "more",
                      name(), ahead_->number, *last_, recording_);
            break;
        }
        std::this_thread::sleep_for(until_more_is_recorded);
    }
    is_joined_ = true;
    hand_out(*ahead_);
    return std::exchange(ahead_, nullptr);
}

/// The next step of the recording, as it is by now, that comes before all that are live; nothing if it has none.
base::Result<std::shared_ptr<const Step>> ContinuedSource::next_of_file() {
    if (file_->has_been_read()) {
        if (auto looked = look_again(); !looked) {
            return fail(std::move(looked));
        }
    }
    auto step = file_->next(std::nullopt);
    if (!step || *step == nullptr || (ahead_ != nullptr && (*step)->number >= ahead_->number)) {
        return step ? nullptr : std::move(step);
    }
    hand_out(**step);
    return step;
}

/// What the recording got since.
base::Result<> ContinuedSource::look_again() {
    ReaderOptions options = options_;
    options.start = last_ ? *last_ + 1 : options_.start;
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
        static_cast<void>(join(time_to_join_if_there));
    }
}

void ContinuedSource::hand_out(const Step& step) {
    stride_ = last_ ? step.number - *last_ : 1;
    last_ = step.number;
    ++steps_;
}

/// Whether the recording should have had another one before the first of the stream.
bool ContinuedSource::lacks_steps() const { return last_ && *last_ + stride_ < ahead_->number; }

base::Result<> ContinuedSource::join(std::optional<double> timeout) {
    ReaderOptions options = options_;
    options.start = start_oldest;  // so that what is not recorded yet is kept for this reader
    options.timeout = timeout ? timeout : options.timeout;
    auto live = open_live_(name(), options);
    if (!live) {
        return last_ ? fail(live.error().code, "'{}' ends with step {}, and then: {}", recording_, *last_,
                            live.error().message)
                     : fail(live.error().code, "'{}' has no steps, and then: {}", recording_, live.error().message);
    }
    live_ = *std::move(live);
    return {};
}

/// The first step of the stream that was not handed out.
base::Result<> ContinuedSource::take_ahead(std::optional<double> timeout) {
    const std::int64_t first = std::max(last_ ? *last_ + 1 : 0, options_.start);
    auto step = live_->next(timeout);
    while (step && *step != nullptr && (*step)->number < first) {
        const std::int64_t number = (*step)->number;
        step->reset();  // else it might keep the next one from coming
        step = live_->next(last_ ? time_for_the_published : timeout);
        if (!step && is_no_step_there(step.error().code) && last_ && number < *last_) {
            return fail(ErrorCode::invalid_argument,
                        "stream '{}' is at step {}, and '{}' has step {} already: it is of another run. Read it by "
                        "itself, or name as `start` the step to begin with",
                        name(), number, recording_, *last_);
        }
    }
    if (!step) {
        return fail(std::move(step));
    }
    ahead_ = *std::move(step);
    return {};
}

base::Result<> ContinuedSource::only_once_live(const char* action) const {
    return live_ ? base::Result<>()
                 : fail(ErrorCode::invalid_argument,
                        "the reader of '{}' cannot {} it before it has read '{}', which comes first", name(), action,
                        recording_);
}

base::Result<> ContinuedSource::pause() {
    auto can_be = only_once_live("pause");
    ahead_ = nullptr;
    return can_be ? live_->pause() : can_be;
}

base::Result<> ContinuedSource::resume() {
    auto can_be = only_once_live("resume");
    return can_be ? live_->resume() : can_be;
}

/// Leaves out what of the recording was not read yet.
base::Result<> ContinuedSource::follow_latest() {
    if (auto joined = live_ ? base::Result<>() : join(std::nullopt); !joined) {
        return joined;
    }
    ahead_ = nullptr;
    is_joined_ = true;
    return live_->follow_latest();
}

base::Result<int> ContinuedSource::descriptor(bool once) {
    return is_joined_ ? live_->descriptor(once) : StepSource::descriptor(once);
}

base::Result<> ContinuedSource::close() {
    closed_ = true;
    ahead_ = nullptr;
    static_cast<void>(file_->close());
    return live_ ? live_->close() : base::Result<>();
}

ReaderStatistics ContinuedSource::statistics() const {
    const ReaderStatistics of_file = file_->statistics();
    ReaderStatistics all = live_ ? live_->statistics() : ReaderStatistics();
    all.pinned += of_file.pinned;
    all.steps = steps_;
    return all;
}

}  // namespace staithe::stream
