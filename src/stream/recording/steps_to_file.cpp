#include "stream/recording/steps_to_file.hpp"

#include <exception>
#include <system_error>
#include <utility>

#include "base/interruption.hpp"
#include "base/log.hpp"
#include "stream/recording/appending.hpp"

namespace staithe::stream {
namespace {

/// So often a wait looks whether it is still wanted, in seconds.
constexpr double patience = 0.2;

/// So long others wait for a step that is written, though the next ones are there, in seconds: what publishes one
/// publishes all of them, and takes its time.
constexpr double longest_batch = 0.1;

base::Result<> append(format::RecordingWriter& file, const std::shared_ptr<const Step>& step,
                      const std::string& codec) {
    try {
        const ReadStep read = read_step_of(step);
        const auto bound_of = [](const Variable& variable) { return variable.error(); };
        append_step(file, read, read.variables(), {.bound_of = bound_of, .codec = codec});
        return {};
    } catch (const Error& error) {
        return base::fail(error.code(), "{}", error.what());
    } catch (const std::exception& error) {  // memory has run out
        return base::fail(ErrorCode::system, "step {} is not in the file: {}", step->number, error.what());
    }
}

}  // namespace

base::Result<std::unique_ptr<StepsToFile>> StepsToFile::start(std::shared_ptr<StepSource> source,
                                                              std::unique_ptr<format::RecordingWriter> file,
                                                              std::string codec, const std::optional<double>& timeout) {
    try {
        return std::unique_ptr<StepsToFile>(
            new StepsToFile(std::move(source), std::move(file), std::move(codec), timeout.value_or(base::forever)));
    } catch (const std::system_error& error) {
        return base::fail(ErrorCode::limit_reached,
                          "cannot start the thread that writes a file: {}; raise the limit with `ulimit -u`",
                          error.what());
    }
}

StepsToFile::StepsToFile(std::shared_ptr<StepSource> source, std::unique_ptr<format::RecordingWriter> file,
                         std::string codec, double timeout)
    : timeout_(timeout), source_(std::move(source)), codec_(std::move(codec)), file_(std::move(file)), thread_([this] {
          run();
      }) {}

void StepsToFile::follow(std::int64_t number) {
    auto failure = take_failure();  // of steps before, however soon the thread is through with this one
    {
        const std::lock_guard lock(mutex_);
        ended_ = number;
        changed_.notify_all();
    }
    raise_if(std::move(failure));
}

/// What is not in the file is told once the stream has ended well: others may read it.
void StepsToFile::finish() {
    const base::Seconds between_questions(patience);
    while (!is_through_in(between_questions)) {
        if (base::interrupted()) {
            base::raise(
                {ErrorCode::timeout,
                 fmt::format("stream '{}' was interrupted while its steps were being written", source_->name())});
        }
    }
}

bool StepsToFile::is_through_in(base::Seconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] {
        return handled_ >= ended_ || awaits_others_ || is_lost_ || until_ != Until::further_notice;
    });
}

void StepsToFile::leave() {
    end(Until::all_is_written);
    raise_if(take_failure());
    base::value_or_raise(source_->close());
}

void StepsToFile::stop() {
    if (!thread_.joinable()) {
        return;
    }
    end(Until::others_would_be_waited_for);
    if (const auto failure = take_failure()) {
        base::log(base::LogLevel::error, "{}", failure->message);
    }
}

void StepsToFile::end(Until until) {
    if (!thread_.joinable()) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        until_ = until;
        changed_.notify_all();
    }
    thread_.join();
    file_.reset();
}

std::optional<base::Failure> StepsToFile::take_failure() {
    const std::lock_guard lock(mutex_);
    return std::exchange(failure_, is_lost_ ? failure_ : std::nullopt);
}

void StepsToFile::raise_if(std::optional<base::Failure> failure) {
    if (failure) {
        base::raise(*std::move(failure));
    }
}

// In the thread ----------------------------------------------------------------------------------------------------

void StepsToFile::run() {
    try {
        for (auto wish = await_wish(); wish; wish = await_wish()) {
            look_for(*wish);
        }
    } catch (const std::exception& error) {  // memory has run out
        lose({ErrorCode::system, error.what()});
    }
}

void StepsToFile::look_for(const Wish& wish) {
    bool is_last_of_batch = false;
    if (auto read = source_->next_up_to(wish.up_to, batch_ ? 0.0 : patience)) {
        note_wait(0.0);
        is_last_of_batch = !handle(*std::move(read), wish.up_to);
    } else if (batch_) {
        is_last_of_batch = true;
    } else {
        note_wait(waited_ + patience);
        if (read.error().code != ErrorCode::timeout) {
            lose(read.error());
        } else if (!wish.may_wait || waited_ >= timeout_) {
            lose({ErrorCode::timeout, "other ranks have not ended them"});
        }
    }
    if (batch_ && (is_last_of_batch || batch_->passed() || !is_behind())) {
        batch_.reset();
        note(file_->publish());
    }
}

std::optional<StepsToFile::Wish> StepsToFile::await_wish() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return handled_ < ended_ || until_ != Until::further_notice; });
    return handled_ >= ended_ || is_lost_ ? std::nullopt
                                          : std::optional(Wish{ended_, until_ != Until::others_would_be_waited_for});
}

/// The step, or that there is none up to that number: those were abandoned. False if it is not in the file.
bool StepsToFile::handle(std::shared_ptr<const Step> step, std::int64_t up_to) {
    const std::int64_t number = step ? step->number : up_to;
    base::Result<> appended;
    if (step) {
        const base::Deadline due{base::Seconds(longest_batch)};
        appended = append(*file_, std::exchange(step, nullptr), codec_);
        if (appended && !batch_) {
            batch_ = due;
        }
        note(appended);
    }
    const std::lock_guard lock(mutex_);
    handled_ = number;
    changed_.notify_all();
    return appended.has_value();
}

bool StepsToFile::is_behind() {
    const std::lock_guard lock(mutex_);
    return handled_ < ended_;
}

void StepsToFile::note_wait(double seconds) {
    waited_ = seconds;
    const std::lock_guard lock(mutex_);
    awaits_others_ = seconds > 0.0;
    changed_.notify_all();
}

void StepsToFile::note(const base::Result<>& done) {
    if (!done) {
        const std::lock_guard lock(mutex_);
        note_failure(done.error());
    }
}

/// The program hears of all of them at once.
void StepsToFile::note_failure(const base::Failure& failure) {
    if (failure_) {
        failure_->message += "; " + failure.message;
    } else {
        failure_ = failure;
    }
}

/// There is no way to go on.
void StepsToFile::lose(const base::Failure& why) {
    static_cast<void>(source_->close());  // so that nobody waits for this reader
    const std::lock_guard lock(mutex_);
    note_failure({why.code, fmt::format("stream '{}': its steps up to {} are not all in the file: {}", source_->name(),
                                        ended_, why.message)});
    is_lost_ = true;
    changed_.notify_all();
}

}  // namespace staithe::stream
