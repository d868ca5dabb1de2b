// Reading a stream.
//
//     staithe::Reader in("melt");
//     while (std::optional<staithe::ReadStep> step = in.next()) {
//         std::vector<double> x = step->variable("x").read<double>();
//     }
//
// Every rank of a reader group opens a `Reader` on the same stream; all of them see the same steps, each complete.
// A stream may have any number of reader groups.
//
// Blocking: the constructor waits until the writer group is there, `next` for the next complete step; each at most
// `timeout` seconds.
// Ownership: a step is pinned while its ReadStep or any view of it lives; a pinned step takes room in the writer's
// queue. Views stay valid as long as they live, even when the stream, its writer and the Reader are gone.
// Threads: one thread at a time may use a Reader; steps and views may go to other threads.
// Errors: InvalidArgument, NotFound (no such stream or variable, or nobody wrote what was asked for), Timeout,
// PeerLost (a writer died: all complete steps come first), ProtocolError, Closed.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <staithe/array_view.hpp>
#include <staithe/export.hpp>
#include <staithe/options.hpp>

namespace staithe {

class Reader;
class ReadStep;

namespace stream {
class StepSource;
struct Reduced;
struct Step;
struct VariableLayout;
class Definitions;
Reader reader_of(std::shared_ptr<StepSource> source);
ReadStep read_step_of(std::shared_ptr<const Step> step);
}  // namespace stream

/// How the ranks of a reader group share a variable without arithmetic of their own.
enum class Share : std::uint8_t {
    block,    // an n-dimensional grid of boxes, one a rank
    count,    // equal runs of indices of the first dimension
    round,    // the indices rank, rank + size, … of the first dimension
    process,  // whole blocks, as the writer ranks handed them over
};

/// A read-only view into the writer's memory, with an owner that keeps the memory and pins the step. Where the data
/// cannot be seen in place, as on a disk, it is a copy that the owner keeps.
struct View {
    ArrayView array;
    std::shared_ptr<const void> owner;

    /// Copies it into a destination of its shape, whose dtype it is converted to; InvalidArgument unless that has all
    /// of its dtype's values.
    STAITHE_API void copy_to(const MutableArrayView& destination) const;
};

/// One block of a variable, as one writer rank handed it over. For local arrays the box starts at 0.
struct BlockInfo {
    int rank = 0;
    Box box;
};

/// A variable of a step.
class STAITHE_API Variable {
  public:
    [[nodiscard]] const std::string& name() const;
    [[nodiscard]] Dtype dtype() const;
    /// Of the whole variable. Of a local array: that of its only block; InvalidArgument when it has several.
    [[nodiscard]] const Extents& shape() const;
    /// A local array per writer rank, rather than one global array. One with a single block reads as if global.
    [[nodiscard]] bool is_local() const;
    [[nodiscard]] const std::string& unit() const;
    [[nodiscard]] const Attributes& attributes() const;
    /// That its writer allows on a long way: values that come from another host are off by no more, unless this reader
    /// has said otherwise.
    [[nodiscard]] const codecs::Bound& error() const;

    [[nodiscard]] std::vector<BlockInfo> blocks() const;
    /// Block `index` of blocks(), without a copy unless it comes from another host.
    [[nodiscard]] View block(std::size_t index) const;

    /// Whether its elements may have to come from another host, so that to look at them takes a while, and may fail.
    [[nodiscard]] bool comes_from_afar() const;

    /// The selection without a copy, if it lies in one block; from another host it is fetched.
    [[nodiscard]] std::optional<View> view(const Selection& selection) const;

    /// Copies the selection into `destination`, which has its shape, or one dimension with as many elements in C order.
    /// Its dtype is the variable's, or one that has all its values (`is_safe_cast`): InvalidArgument if it is not.
    void read(const Selection& selection, const MutableArrayView& destination) const;

    /// The same into what `view_of` takes and may be written. A container like std::vector gets the size that it takes.
    template <class A>
        requires(!std::convertible_to<A&, MutableArrayView>)
    void read(const Selection& selection, A&& destination) const {
        if constexpr (requires { destination.resize(std::size_t{}); }) {
            const std::int64_t elements = volume(shape_of(selection)).value_or(0);
            destination.resize(static_cast<std::size_t>(elements / detail::elements_per_item<A>));
        }
        const auto view = view_of(std::forward<A>(destination));
        static_assert(std::is_same_v<decltype(view), const MutableArrayView>, "the destination is constant");
        read(selection, view);
    }
    /// All of it.
    template <class A>
        requires(!std::derived_from<std::remove_cvref_t<A>, Selection>)
    void read(A&& destination) const {
        read(Selection::all(shape()), std::forward<A>(destination));
    }

    /// The selection, dense in C order. `T` must have all values of the variable's dtype, as above.
    template <class T>
    [[nodiscard]] std::vector<T> read(const Selection& selection) const {
        std::vector<T> values;
        read(selection, values);
        return values;
    }
    /// All of it, dense in C order.
    template <class T>
    [[nodiscard]] std::vector<T> read() const {
        return read<T>(Selection::all(shape()));
    }

    /// The "sum", "mean", "min", "max", "var" or "std" of the selection's elements, all if there is none, along
    /// dimensions: `axes`, from 0 on, or from the last one backwards: -1; all if there are none. Or, as in
    /// "histogram(20, -1, 1)", how many are in each of 20 bins of equal width from -1 to 1, which is in the last one:
    /// an i64 for each, along a dimension after those that stay. Blocks of this host are looked at where they lie, and
    /// programs of other hosts send what becomes of theirs. As NumPy's, but that what is added up of floating-point
    /// numbers is at least f64. What it gives has the dimensions that stay. Errors: InvalidArgument (no such reduction
    /// or dimension; the order of complex numbers; of nothing, all but sums and histograms), and as for read.
    [[nodiscard]] View reduce(const std::string& how, const std::optional<Selection>& selection = {},
                              const std::optional<std::vector<std::int64_t>>& axes = {}) const;

    /// This rank's part under `block`, `count` or `round`; for `process` see share_of_blocks.
    [[nodiscard]] Selection part(Share share, const Group& group) const;
    /// This rank's whole blocks: indices into blocks().
    [[nodiscard]] std::vector<std::size_t> share_of_blocks(const Group& group) const;

  private:
    friend class ReadStep;
    friend class RunningReduction;
    Variable(std::shared_ptr<const stream::Step> step, const stream::VariableLayout* layout);
    [[nodiscard]] stream::Reduced reduced(const std::string& how, const std::optional<Selection>& selection,
                                          const std::optional<std::vector<std::int64_t>>& axes) const;
    std::shared_ptr<const stream::Step> step_;
    const stream::VariableLayout* layout_;
};

/// A complete step. Copies share it; it is released with the last of its copies, variables and views.
class STAITHE_API ReadStep {
  public:
    /// The step's number, counted from 0.
    [[nodiscard]] std::int64_t index() const;
    /// Size of the group that wrote it; of a recording 1, unless it has local arrays of several ranks.
    [[nodiscard]] int writers() const;
    [[nodiscard]] Attributes attributes() const;
    /// The names of its variables, in the order in which they were put, then of those that the reader derives.
    [[nodiscard]] std::vector<std::string> variables() const;
    [[nodiscard]] bool has(const std::string& variable) const;
    /// Throws NotFound, which names those that there are.
    [[nodiscard]] Variable variable(const std::string& name) const;

    /// A variable that is computed from those of this step, element by element, when it is read or reduced:
    ///
    ///     step->derive("speed = sqrt(u**2 + v**2)").reduce("max")
    ///
    /// The syntax is Python's, as numexpr has it: operators, comparisons, &, |, ~ on truth values, `where(a > b, a,
    /// b)`, and functions by NumPy's names. Names that are not Python's stand in quotes: 'velocity x'. Shapes go
    /// together as NumPy broadcasts them, local arrays block by block. Whole numbers are computed in 64 bits, half
    /// precision in single; from there on dtypes combine as NumPy's do. Its name is what stands before the '=', or the
    /// text. Brackets take parts, by NumPy's basic indexing with steps forwards: T[::4, ::4], (u * v)[..., 0]. As all
    /// of an expression `stack(u, v, axis=0)` and `concatenate(u, v, axis=0)` make one variable of several; those have
    /// the dtype that all have, or else what they would be computed in. What nothing is computed of keeps its dtype. It
    /// keeps the step. Errors: InvalidArgument, which says what is wrong with the text, and where, or which variables
    /// do not go together, or which index one does not have; NotFound (no such variable). What can be wrong with the
    /// data is told when it is read.
    [[nodiscard]] Variable derive(const std::string& expression) const;

  private:
    friend class Reader;
    friend ReadStep stream::read_step_of(std::shared_ptr<const stream::Step> step);
    ReadStep(std::shared_ptr<const stream::Step> step, std::shared_ptr<const stream::Definitions> definitions);
    [[nodiscard]] static Variable only_variable_of(std::shared_ptr<const stream::Step> step);
    std::shared_ptr<const stream::Step> step_;
    std::shared_ptr<const stream::Definitions> definitions_;
};

/// What one rank of a reader did so far.
struct ReaderStatistics {
    std::int64_t steps = 0;     // received by this rank
    std::int64_t pinned = 0;    // of them not released yet
    double wait_seconds = 0.0;  // waited for steps
    std::int64_t dropped = 0;   // steps that this group lost by its overflow policy
};

/// One rank's end of a stream that is read.
class STAITHE_API Reader {
  public:
    /// Joins the stream as a reader; every rank of the group does.
    explicit Reader(const std::string& stream, const ReaderOptions& options = {});
    Reader(Reader&&) noexcept;
    Reader& operator=(Reader&&) noexcept;
    ~Reader();

    /// The next complete step; nothing after the last. `timeout` in seconds, the reader's own if unset.
    [[nodiscard]] std::optional<ReadStep> next(std::optional<double> timeout = std::nullopt);

    /// Takes no steps from here on, and gives back those that came and were not taken: they no longer fill the writer's
    /// queue. Steps published until resume() are passed by. All ranks of the group pause and resume at the same step.
    void pause();
    /// Takes steps again, from the next one on that is published.
    void resume();

    /// From here on next() gives the newest step, whatever came before it: the overflow policy of this group becomes
    /// "latest". All ranks of the group do so at the same step.
    void follow_latest();

    /// A descriptor, the reader's own, that becomes readable as soon as next() would not wait: a step is there, the
    /// end, or an error. For poll() and event loops. A thread watches the stream from now on, and asks for a step as
    /// soon as the one before is taken; or `once`, until the next call on this reader: so the newest step of a stream
    /// that drops steps is asked for as late as it can be. Throws LimitReached if there is no descriptor or thread left
    /// for it.
    [[nodiscard]] int descriptor(bool once = false);

    /// Leaves the stream. Steps and views that were taken stay valid.
    void close();

    [[nodiscard]] const std::string& name() const;
    [[nodiscard]] const Group& group() const;
    /// Whether a step can be held while the next one is waited for, without being why that does not come: not where
    /// this reader holds the whole queue, nor in a group that may lose steps.
    [[nodiscard]] bool can_hold_a_step() const;
    /// Size of the writer group.
    [[nodiscard]] int writers() const;
    /// Of the stream.
    [[nodiscard]] const Attributes& attributes() const;
    [[nodiscard]] ReaderStatistics statistics() const;

  private:
    friend Reader stream::reader_of(std::shared_ptr<stream::StepSource> source);
    explicit Reader(std::shared_ptr<stream::StepSource> source);
    std::shared_ptr<const stream::Definitions> definitions_;
    std::shared_ptr<stream::StepSource> source_;
};

}  // namespace staithe
