// Writing a stream.
//
// Every rank of the writer group opens a `Writer` on the same stream and goes through the same steps:
//
//     staithe::Writer out("melt", {.group = staithe::group(comm)});
//     staithe::WriteStep step = out.begin_step();
//     step.put("x", x, {.offset = {{first, 0}}, .shape = {{atoms, 3}}, .unit = "sigma"});
//     step.end();
//
// Blocking: the constructor waits until rank 0 is there (ranks above 0 only), `begin_step` waits while the queue is
// full, `close` until the expected readers have joined; each at most `timeout` seconds. Neither `put` nor `end`
// waits for other ranks or readers.
// Ownership: a put copies, so the array may change at once; a loan is memory of the stream until it is published.
// Threads: one thread at a time may use a Writer and its step; different Writers are independent.
// Errors: InvalidArgument, AlreadyExists (the stream has a live writer), Timeout, PeerLost (rank 0 died), Closed,
// LimitReached (no shared memory left).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <staithe/analysis.hpp>
#include <staithe/array_view.hpp>
#include <staithe/export.hpp>
#include <staithe/options.hpp>

namespace staithe {

namespace stream {
class StepSink;
struct StepDraft;
struct LentBlock;
}  // namespace stream

/// A block lent to the producer to compute into; publishing it copies nothing. Destroyed unpublished, it goes back.
class STAITHE_API Loan {
  public:
    Loan(Loan&&) noexcept;
    Loan& operator=(Loan&&) noexcept;
    ~Loan();

    /// The memory, dense in C order (in Fortran order if the options said so); its content is undefined at first.
    [[nodiscard]] MutableArrayView array() const;
    /// Its first element, as a pointer of the dtype's C++ type.
    template <class T>
    [[nodiscard]] T* data() const {
        return static_cast<T*>(array().data);
    }
    /// All elements, in the order of the memory. InvalidArgument if they are no `T`.
    template <class T>
    [[nodiscard]] std::span<T> span() const {
        return {data<T>(), count_for_span(dtype_of<T>())};
    }
    /// Keeps the memory mapped, if pointers into it may outlive the loan. Once published, its content is the stream's.
    [[nodiscard]] std::shared_ptr<const void> owner() const;
    /// Has something made, once, for the whole memory that the block is a part of and that later blocks get again: its
    /// registration with a device, say. It is kept until just before that memory goes back to the system, by any
    /// thread; if `make` throws, the next block asks again.
    void attach(const std::function<std::shared_ptr<void>(std::span<std::byte> memory)>& make) const;

  private:
    friend class WriteStep;
    explicit Loan(std::unique_ptr<stream::LentBlock> block);
    [[nodiscard]] std::size_t count_for_span(Dtype element) const;
    std::unique_ptr<stream::LentBlock> block_;
};

/// A step being written. Readers see all of it after `end`, or nothing: destroyed before, it is abandoned.
class STAITHE_API WriteStep {
  public:
    WriteStep(WriteStep&&) noexcept;
    WriteStep& operator=(WriteStep&&) noexcept;
    ~WriteStep();

    /// The step's number, counted from 0.
    [[nodiscard]] std::int64_t index() const;

    /// Copies a block, of any strides, into the step. Readers get it in Fortran order if it lies so, else in C order.
    void put(const std::string& variable, const ArrayView& block, const PutOptions& options = default_put_options);
    /// The same of what `view_of` takes: a number, a container, a std::span, an array, a view like std::mdspan.
    template <class A>
    void put(const std::string& variable, const A& block, const PutOptions& options = default_put_options) {
        put(variable, ArrayView(view_of(block)), options);
    }
    /// Numbers in C order, as a container, a std::span or a pointer to the first, that have that shape:
    /// `step.put("u", u, {nx, ny})`. InvalidArgument if there are not as many.
    template <class A, std::size_t Dimensions>
    void put(const std::string& variable, const A& block, const AnyInteger (&shape)[Dimensions],
             const PutOptions& options = default_put_options) {
        put(variable, block, Extents(std::span(shape)), options);
    }
    // A template, so that braces are never taken for an Extents where they are options.
    template <class A, std::same_as<Extents> Shape>
    void put(const std::string& variable, const A& block, const Shape& shape,
             const PutOptions& options = default_put_options) {
        put(variable, ArrayView(view_of(block, shape)), options);
    }

    /// Memory of the stream for a block of that shape, to compute into.
    [[nodiscard]] Loan loan(const std::string& variable, Dtype dtype, const Extents& count,
                            const PutOptions& options = default_put_options);
    template <class T>
    [[nodiscard]] Loan loan(const std::string& variable, const Extents& count,
                            const PutOptions& options = default_put_options) {
        return loan(variable, dtype_of<T>(), count, options);
    }
    /// Makes the loan a block of this step. Nothing is copied.
    void publish(Loan&& loan);

    /// Sets an attribute of the step, in the place of one of that name.
    void set_attribute(const std::string& name, Value value);

    /// Hands the step over. The step is closed afterwards, whatever happens.
    void end();
    /// Ends the step without publishing it; its number is not used again.
    void abandon();

  private:
    friend class Writer;
    explicit WriteStep(std::shared_ptr<stream::StepSink> sink, std::unique_ptr<stream::StepDraft> draft);
    std::shared_ptr<stream::StepSink> sink_;
    std::unique_ptr<stream::StepDraft> draft_;
};

/// What one rank of a writer did so far.
struct WriterStatistics {
    std::int64_t steps = 0;             // published by this rank
    std::int64_t bytes = 0;             // in them
    double stall_seconds = 0.0;         // waited for the queue
    std::int64_t pool_bytes = 0;        // shared memory held by this rank
    std::int64_t dropped = 0;           // steps that reader groups lost by the overflow policy, summed over the groups
    std::int64_t spilled_steps = 0;     // of this rank's steps, those that went to files
    std::int64_t spilled_bytes = 0;     // in them
    std::int64_t unread = 0;            // of rank 0: steps that are kept for expected readers which have not come
    std::int64_t compressed_steps = 0;  // of this rank's steps, those that were encoded to have room in memory
    std::int64_t compressed_bytes = 0;  // that these take
};

/// One rank's end of a stream that is written.
class STAITHE_API Writer {
  public:
    /// Opens the stream for writing; every rank of the group does.
    explicit Writer(const std::string& stream, const WriterOptions& options = {});
    Writer(Writer&&) noexcept;
    Writer& operator=(Writer&&) noexcept;
    /// Ends the stream without waiting for readers, and warns if that loses steps: call close() where all went well.
    /// Where an exception destroys it, the stream ends as failed.
    ~Writer();

    /// Opens the next step. `timeout` in seconds, the writer's own if unset.
    [[nodiscard]] WriteStep begin_step(const std::optional<double>& timeout = std::nullopt);

    /// A descriptor, the writer's own, that becomes readable as soon as begin_step would not wait for room; until the
    /// next call on this writer. For poll() and event loops. Throws InvalidArgument while a step is open, LimitReached
    /// if there is no descriptor or thread left for it.
    [[nodiscard]] int descriptor();

    /// The number of the step that begin_step opens next. Not 0 at first for a writer that resumed.
    [[nodiscard]] std::int64_t next_step() const;

    /// Runs the analysis in this thread at the end of every step from now on (placement `inline`). All ranks of the
    /// group attach the same analyses in the same order.
    void attach(std::shared_ptr<Analysis> analysis);

    /// Ends the stream: readers get what is complete, then the end.
    void close();

    /// Ends the stream as failed: readers get what is complete, then WriterFailed with the first line of `reason`. So
    /// do the other ranks of the group when they next wait. An open step is lost. Waits for readers that are just
    /// coming, a fifth of a second at most.
    void fail(const std::string& reason);

    [[nodiscard]] const std::string& name() const;
    [[nodiscard]] const Group& group() const;
    /// Where the blocks live: "producer" or "inline".
    [[nodiscard]] const std::string& placement() const;
    [[nodiscard]] WriterStatistics statistics() const;

  private:
    std::shared_ptr<stream::StepSink> sink_;
};

}  // namespace staithe
