// The Python classes Reader, Step, Variable and Block.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <staithe/reader.hpp>

#include "open_streams.hpp"
#include "selection.hpp"
#include "waiting.hpp"

namespace staithe::python {

/// What all steps of a reader have in common.
struct Origin {
    std::string stream;
    Group group;  // that reads together
};

/// A variable of a step, until the step is released.
class VariableObject {
  public:
    VariableObject(std::shared_ptr<const Origin> origin, std::int64_t step, nanobind::object name, Variable variable)
        : origin_(std::move(origin)), step_(step), name_(std::move(name)), variable_(std::move(variable)) {}

    /// Throws Closed if the step was released.
    [[nodiscard]] const Variable& get() const;
    void release() noexcept { variable_.reset(); }

    [[nodiscard]] bool released() const noexcept { return !variable_; }
    [[nodiscard]] const Origin& origin() const noexcept { return *origin_; }
    [[nodiscard]] std::int64_t step() const noexcept { return step_; }
    [[nodiscard]] nanobind::handle name() const noexcept { return name_; }

    struct Elements {
        nanobind::object array;
        bool fresh;  // an array of its own, rather than a view of the writer's memory
    };
    /// The selected elements: a view if they lie in one block.
    [[nodiscard]] Elements elements(const Index& index) const;
    /// What stands between brackets, as users get it: read-only.
    [[nodiscard]] nanobind::object at(nanobind::handle key) const;
    /// The sum, mean, least or greatest of the selection along axes of it, or all: an array of those that stay, or a
    /// number.
    [[nodiscard]] nanobind::object reduce(const std::string& how, nanobind::handle key,
                                          const std::optional<Extents>& axes) const;

    /// What a reduction is of.
    struct Reduced {
        Variable variable;  // a copy: the step may be released by another thread
        Selection selection;
        std::optional<std::vector<std::int64_t>> axes;  // of the selection
    };
    [[nodiscard]] Reduced to_reduce(nanobind::handle key, const std::optional<Extents>& axes) const;
    /// Converts the elements to the dtype of `out`, if NumPy's `casting` allows it; None stands for "safe".
    void read_into(nanobind::handle out, nanobind::handle key, nanobind::handle casting) const;

  private:
    std::shared_ptr<const Origin> origin_;
    std::int64_t step_;
    nanobind::object name_;
    std::optional<Variable> variable_;
};

/// A step and the variables that were asked for: these go with it when it is released.
class StepObject {
  public:
    StepObject(std::shared_ptr<const Origin> origin, ReadStep step)
        : origin_(std::move(origin)), index_(step.index()), step_(std::move(step)) {}

    /// Throws Closed if the step was released.
    [[nodiscard]] const ReadStep& get() const;
    void release();

    [[nodiscard]] bool released() const noexcept { return !step_; }
    [[nodiscard]] const Origin& origin() const noexcept { return *origin_; }
    [[nodiscard]] std::int64_t index() const noexcept { return index_; }
    nanobind::object variable(nanobind::str name);
    nanobind::object derive(nanobind::str expression);
    nanobind::object convert(nanobind::str name, nanobind::str unit);

  private:
    /// As it is kept in `known`; else what `find` makes of the text.
    template <class Find>
    nanobind::object kept_or(nanobind::dict& known, const nanobind::str& text, const Find& find);

    std::shared_ptr<const Origin> origin_;
    std::int64_t index_;
    std::optional<ReadStep> step_;
    nanobind::dict variables_;  // by name, as far as asked for
    nanobind::dict derived_;    // by expression
};

/// What a Python Reader is.
class ReaderObject final : public OpenStream {
  public:
    ReaderObject(const std::string& stream, const ReaderOptions& options);
    ~ReaderObject() override;

    /// Releases the last step and waits for the next one; invalid after the last.
    nanobind::object next(std::optional<double> timeout);
    /// Releases the last step as well.
    void pause();
    void resume();
    void follow_latest();
    int descriptor();
    /// Releases the last step as well. The descriptor is good until the next call.
    int watch();
    void close();
    void close_forgotten() noexcept override;
    void forget() noexcept override;
    [[nodiscard]] nanobind::object object() override;

    [[nodiscard]] bool closed() const noexcept { return ended_ || !reader_; }
    [[nodiscard]] const Origin& origin() const noexcept { return *origin_; }
    [[nodiscard]] const Attributes& attributes() const noexcept { return attributes_; }
    [[nodiscard]] int writers() const noexcept { return writers_; }
    /// The one that its user gave.
    [[nodiscard]] std::optional<double> timeout() const noexcept { return timeout_; }
    [[nodiscard]] ReaderStatistics statistics() const;

  private:
    Reader& opened();
    void release_last_step();
    std::optional<ReadStep> wait_for_step(std::optional<double> timeout);

    std::optional<Reader> reader_;  // none: closed, or the stream is over
    std::optional<double> timeout_;
    std::shared_ptr<const Origin> origin_;
    Attributes attributes_;
    int writers_;
    nanobind::object last_step_;
    bool ended_ = false;
    bool watched_ = false;  // by its descriptor, which stays open until it is closed
    Turn turn_;
    ReaderStatistics last_statistics_;
};

/// Between its `with` and the end of that block the reader pauses.
class PauseObject {
  public:
    PauseObject(nanobind::object owner, ReaderObject& reader) : owner_(std::move(owner)), reader_(&reader) {}
    void enter() { reader_->pause(); }
    void exit() {
        if (!reader_->closed()) {
            reader_->resume();
        }
    }

  private:
    nanobind::object owner_;  // the Reader's Python object
    ReaderObject* reader_;
};

void bind_reader(nanobind::module_& module);
void bind_step(nanobind::module_& module);
void bind_variable(nanobind::module_& module);
void bind_running_reduction(nanobind::module_& module);
/// Adds what a Variable has of an array.
void bind_as_array(nanobind::class_<VariableObject>& variable);
/// Adds the operators of arrays.
void bind_operators(nanobind::class_<VariableObject>& variable);

}  // namespace staithe::python
