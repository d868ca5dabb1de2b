// Reductions over steps: the mean of a field over time, the greatest value of a run, a histogram of all steps.
//
//     staithe::RunningReduction mean("mean", std::vector<std::int64_t>());  // along no dimension: element by element
//     while (std::optional<staithe::ReadStep> step = in.next()) {
//         mean.add(step->variable("T"));
//     }
//     const staithe::View field = mean.result();
//
// Ownership: it keeps what has become of the elements, which is as large as its result, or three times that for "var"
// and "std"; no step, and no elements.
// Blocking: `add` waits as Variable::reduce does, for programs of other hosts, which send what becomes of theirs.
// Threads: one at a time may use a RunningReduction. One that was moved from can only be assigned to, or go.
// Errors: InvalidArgument, and those of reading.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <staithe/box.hpp>
#include <staithe/export.hpp>
#include <staithe/reader.hpp>

namespace staithe {

namespace stream {
struct Running;
}

/// What becomes of the elements of many steps: as Variable::reduce of all of them at once.
class STAITHE_API RunningReduction {
  public:
    /// `how` and `axes` are as for Variable::reduce: no axes at all leave each element one of its own, over time;
    /// without `axes` all elements of all steps become one. InvalidArgument: there is no such reduction.
    explicit RunningReduction(const std::string& how, const std::optional<std::vector<std::int64_t>>& axes = {});
    RunningReduction(RunningReduction&&) noexcept;
    RunningReduction& operator=(RunningReduction&&) noexcept;
    ~RunningReduction();

    /// The selection's elements, all if there is none, which are looked at where they lie. There may be another number
    /// of them each time along the dimensions that go, or none at all. InvalidArgument as by Variable::reduce, and for
    /// another dtype, or another shape of what becomes of them, than before; errors add nothing.
    void add(const Variable& variable, const std::optional<Selection>& selection = {});
    /// The same along `axes` of this selection rather than those that were given first: where others have a dimension
    /// less, or more.
    void add(const Variable& variable, const Selection& selection,
             const std::optional<std::vector<std::int64_t>>& axes);

    /// Of what was added so far, as Variable::reduce gives it; more may be added then. InvalidArgument if nothing was,
    /// or no elements, and `how` is neither sums nor histograms.
    [[nodiscard]] View result() const;
    /// How many times something was added.
    [[nodiscard]] std::int64_t steps() const;

  private:
    void add_along(const std::optional<std::vector<std::int64_t>>& axes, const Variable& variable,
                   const std::optional<Selection>& selection);
    std::unique_ptr<stream::Running> running_;
};

}  // namespace staithe
