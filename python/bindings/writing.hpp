// The Python classes Writer, WriteStep and Loan.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <staithe/writer.hpp>

#include "devices.hpp"
#include "open_streams.hpp"
#include "waiting.hpp"

namespace staithe::python {

/// A step that is open, and what is still on its way into it; that is waited for before the memory goes back.
struct OpenStep {
    WriteStep step;
    Arrivals arrivals;
};

/// What a Python Writer is. It holds the open step, too: step objects refer to it, and find out when it is over.
class WriterObject final : public OpenStream {
  public:
    WriterObject(const std::string& stream, const WriterOptions& options);
    ~WriterObject() override;

    /// Waits for room in the queue; returns the number of the step that is now open.
    std::int64_t begin_step(std::optional<double> timeout);
    [[nodiscard]] bool is_open(std::int64_t step) const noexcept { return step_ && index_ == step; }
    /// The step, if it is the open one; else throws Closed.
    OpenStep& open_step(std::int64_t step);
    void end_step(std::int64_t step);
    void abandon_step(std::int64_t step);

    /// A descriptor that tells of room for a step, until the next call.
    int watch();

    [[nodiscard]] std::int64_t next_step();
    void attach(nanobind::object analysis);
    void close();
    /// Closes without waiting for readers.
    void shut_down() noexcept;
    /// Ends the stream as failed.
    void fail(const std::string& reason);
    /// What the end of its `with` block does; both None if no exception leaves it. It may be given by its type alone.
    void leave(nanobind::handle type, nanobind::handle exception);
    void close_forgotten() noexcept override;
    void end_with_program(const std::string& failure) noexcept override;
    void end_with_thread(const std::string& failure) noexcept override;
    void forget() noexcept override;
    [[nodiscard]] nanobind::object object() override;

    [[nodiscard]] bool closed() const noexcept { return !writer_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const Group& group() const noexcept { return group_; }
    [[nodiscard]] const std::string& placement() const noexcept { return placement_; }
    [[nodiscard]] WriterStatistics statistics() const;
    /// The one that its user gave.
    [[nodiscard]] std::optional<double> timeout() const noexcept { return timeout_; }
    [[nodiscard]] Turn& turn() noexcept { return turn_; }

  private:
    [[nodiscard]] Writer& opened();
    OpenStep take_step(std::int64_t step);
    void warn_of_forgotten() const noexcept;
    void end_as_failed(const std::string& reason) noexcept;
    void fail_for_open_step() noexcept;

    std::optional<Writer> writer_;  // none: closed
    std::optional<double> timeout_;
    std::optional<OpenStep> step_;
    std::int64_t index_ = -1;  // of the step
    Turn turn_;
    std::thread::id last_user_ = std::this_thread::get_id();  // that has opened it, or a step of it
    bool analyses_ = false;
    std::string name_;
    Group group_;
    std::string placement_;
    WriterStatistics last_statistics_;
};

/// A step of a Writer: to be opened by the first use of it, open, or over.
class StepReference {
  public:
    StepReference(nanobind::object owner, WriterObject& writer, std::optional<double> timeout)
        : owner_(std::move(owner)), writer_(&writer), timeout_(timeout) {}

    void open(std::optional<double> timeout) const {
        if (!was_opened()) {
            index_ = writer_->begin_step(timeout);
        }
    }
    [[nodiscard]] bool was_opened() const noexcept { return index_ >= 0; }
    [[nodiscard]] std::optional<double> timeout() const noexcept { return timeout_; }
    [[nodiscard]] nanobind::handle owner() const noexcept { return owner_; }
    [[nodiscard]] WriterObject& writer() const noexcept { return *writer_; }
    [[nodiscard]] std::int64_t index() const {
        open(timeout_);
        return index_;
    }
    [[nodiscard]] WriteStep& open_step() const { return writer_->open_step(index()).step; }
    [[nodiscard]] bool is_open() const noexcept { return owner_.is_valid() && writer_->is_open(index_); }
    void end() const { writer_->end_step(index()); }
    void abandon() const { writer_->abandon_step(index()); }

  private:
    nanobind::object owner_;  // the Writer's Python object; none when this was moved from
    WriterObject* writer_;
    std::optional<double> timeout_;
    mutable std::int64_t index_ = -1;
};

/// A step that is abandoned when its object dies before it was ended.
class WriteStepObject : public StepReference {
  public:
    using StepReference::StepReference;
    WriteStepObject(WriteStepObject&&) noexcept = default;
    WriteStepObject& operator=(WriteStepObject&&) noexcept = default;
    WriteStepObject(const WriteStepObject&) = delete;
    WriteStepObject& operator=(const WriteStepObject&) = delete;
    ~WriteStepObject();

    /// What staithe.labelled notes of the coordinates that were put.
    [[nodiscard]] nanobind::handle coordinates();

  private:
    nanobind::object coordinates_;  // none until it is needed
};

/// The options of a put or loan; what is None stays unset.
PutOptions put_options(const std::string& variable, nanobind::handle offset, nanobind::handle shape,
                       std::optional<std::string> unit, nanobind::handle attrs, nanobind::handle error);

void bind_writer(nanobind::module_& module);
nanobind::class_<WriteStepObject> bind_write_step(nanobind::module_& module);
/// Adds Loan, and WriteStep.loan.
void bind_loan(nanobind::module_& module, nanobind::class_<WriteStepObject>& write_step);

}  // namespace staithe::python
