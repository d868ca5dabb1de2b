// Spans: what a thread does in a stream, from when to when.
//
//     const monitor::Span span(tracer_, "put", step.number, bytes);
//
// Nobody traces: a Span costs a load and a branch. Somebody does: two looks at the clock, and `Recorder::record`.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "monitor/recorder.hpp"

namespace staithe::monitor {

/// What the spans of one rank in one stream have in common. Silent if nobody traced when it was made.
class Tracer {
  public:
    Tracer() = default;
    Tracer(const std::string& stream, int rank) : recorder_(Recorder::current()), rank_(rank) {
        if (recorder_ != nullptr) {
            stream_ = recorder_->keep(stream);
        }
    }

  private:
    friend class Span;
    Recorder* recorder_ = nullptr;
    const char* stream_ = nullptr;
    int rank_ = 0;
};

/// From its construction to its end. The name is a literal.
class Span {
  public:
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): no record before somebody traces
    Span(const Tracer& tracer, const char* name, std::int64_t step = -1, std::int64_t bytes = -1)
        : recorder_(tracer.recorder_) {
        if (recorder_ != nullptr) {
            record_ = {name, tracer.stream_, now(), 0, step, bytes, tracer.rank_, nullptr, -1, nullptr, -1, -1, -1};
        }
    }
    ~Span() {
        if (recorder_ != nullptr) {
            record_.duration = now() - record_.begin;
            recorder_->record(record_);
        }
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

    /// Where it is known only later.
    void set_step(std::int64_t step) {
        if (recorder_ != nullptr) {
            record_.step = step;
        }
    }
    void set_bytes(std::int64_t bytes) {
        if (recorder_ != nullptr) {
            record_.bytes = bytes;
        }
    }
    /// What was encoded, from which byte of its block on, how, to how many bytes, how much processor time that took (or
    /// time on another device), and how much was expected.
    void set_coding(const std::string& variable, std::int64_t first, const std::string& codec, std::int64_t coded,
                    std::chrono::duration<double> at_work, std::chrono::duration<double> expected) {
        if (recorder_ != nullptr) {
            record_.variable = recorder_->keep(variable);
            record_.first = first;
            record_.codec = recorder_->keep(codec);
            record_.coded = coded;
            record_.at_work = nanoseconds(at_work);
            record_.expected = nanoseconds(expected);
        }
    }

  private:
    template <class Duration>
    static std::int64_t nanoseconds(Duration duration) {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
    }
    static std::int64_t now() { return nanoseconds(std::chrono::steady_clock::now().time_since_epoch()); }

    Recorder* recorder_;
    SpanRecord record_;
};

}  // namespace staithe::monitor
