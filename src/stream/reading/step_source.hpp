// Where a reader gets its steps from: behind staithe::Reader.
//
// A live stream is one, and so is whatever else has steps: a recording, files. A source that cannot do what only live
// streams can is short: `next`, `writers`, `attributes`, `statistics`, `close`; see filed_source.hpp. It is made by the
// row of its placement (stream/placements.hpp). In a forked child it is a copy: os::Home tells, and `next` is `closed`
// there.
//
// One thread at a time; the steps that it hands out may go to any, and outlive it. Only `next` waits for long, at most
// until its timeout. Failures are those of staithe::Reader.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <staithe/group.hpp>
#include <staithe/reader.hpp>
#include <staithe/value.hpp>

#include "base/result.hpp"
#include "os/event.hpp"
#include "stream/reading/step.hpp"

namespace staithe::stream {

class StepSource {
  public:
    StepSource(std::string name, Group group) : name_(std::move(name)), group_(std::move(group)) {}
    virtual ~StepSource() = default;
    StepSource(const StepSource&) = delete;
    StepSource& operator=(const StepSource&) = delete;

    /// Of the stream.
    [[nodiscard]] const std::string& name() const { return name_; }
    /// That this reader is a rank of.
    [[nodiscard]] const Group& group() const { return group_; }

    /// The next step; nothing after the last one. `timeout` in seconds; the reader's own if unset. `closed` after
    /// close().
    virtual base::Result<std::shared_ptr<const Step>> next(std::optional<double> timeout) = 0;
    /// The next step, which the caller knows to be `number` at most; nothing also if that one was abandoned.
    virtual base::Result<std::shared_ptr<const Step>> next_up_to(std::int64_t /*number*/,
                                                                 std::optional<double> timeout) {
        return next(timeout);
    }

    /// Size of the group that wrote the steps.
    [[nodiscard]] virtual int writers() const = 0;
    /// Of the stream.
    [[nodiscard]] virtual const Attributes& attributes() const = 0;
    /// A source to which no steps are given back counts those that are held with Pins (pins.hpp).
    [[nodiscard]] virtual ReaderStatistics statistics() const = 0;
    /// Closing again does nothing. Steps that were taken stay good.
    virtual base::Result<> close() = 0;

    // What only a live stream can. Others refuse it: `invalid_argument`.

    virtual base::Result<> pause() { return only_live("pause"); }
    virtual base::Result<> resume() { return only_live("resume"); }
    virtual base::Result<> follow_latest() { return only_live("follow the latest step of"); }

    /// Readable as soon as next() would not wait, once or from now on. Unless a source says otherwise: always.
    virtual base::Result<int> descriptor(bool once);
    /// Whether a step can be held while the next one is waited for, without being why that does not come.
    [[nodiscard]] virtual bool can_hold_a_step() const { return true; }

  private:
    [[nodiscard]] base::Result<> only_live(const char* action) const;

    const std::string name_;
    const Group group_;
    std::optional<os::Event> always_ready_;
};

/// A reader of that source. Tests and programs inside of Staithe make one so; others name a stream.
Reader reader_of(std::shared_ptr<StepSource> source);
/// And a step as a reader has it.
ReadStep read_step_of(std::shared_ptr<const Step> step);

}  // namespace staithe::stream
