// Where a writer rank puts its steps: behind staithe::Writer.
//
// One thread at a time, but for loans that are given back from another. Failures are those of staithe::Writer. It is
// made by the row of its placement (stream/placements.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <staithe/analysis.hpp>
#include <staithe/array_view.hpp>
#include <staithe/group.hpp>
#include <staithe/options.hpp>
#include <staithe/writer.hpp>

#include "base/result.hpp"
#include "store/block_store.hpp"

namespace staithe::stream {

/// A step in the making.
struct StepDraft {
    std::int64_t number = 0;
    store::Tier tier = store::Tier::memory;  // where the queue has room for it; but in memory, its blocks are encoded
    std::vector<store::BlockMemory> blocks;
    Attributes attributes;
    std::vector<std::unique_ptr<StepDraft>> copies{};  // of a sink that has several: what it is for each
};

/// Memory of a loan; goes back to the pool unless it was published.
struct LentBlock {
    LentBlock(std::shared_ptr<memory::Pool> pool, store::BlockMemory block, store::BlockDescription description,
              std::int64_t step)
        : pool(std::move(pool)), block(block), description(std::move(description)), step(step) {}
    ~LentBlock();
    LentBlock(const LentBlock&) = delete;
    LentBlock& operator=(const LentBlock&) = delete;

    /// `invalid_argument` if it is not the sink's own, not of that step, or was published before.
    [[nodiscard]] base::Result<> check_publishable(const StepDraft& in, bool is_own) const;

    const std::shared_ptr<memory::Pool> pool;
    const store::BlockMemory block;
    const store::BlockDescription description;
    const std::int64_t step;
    bool published = false;
};

class StepSink {
  public:
    StepSink() = default;
    virtual ~StepSink() = default;
    StepSink(const StepSink&) = delete;
    StepSink& operator=(const StepSink&) = delete;

    virtual base::Result<std::unique_ptr<StepDraft>> begin_step(const std::optional<double>& timeout) = 0;
    virtual base::Result<> put(StepDraft& step, const std::string& variable, const ArrayView& block,
                               const PutOptions& options) = 0;
    virtual base::Result<std::unique_ptr<LentBlock>> lend(StepDraft& step, const std::string& variable, Dtype dtype,
                                                          const Extents& count, const PutOptions& options) = 0;
    virtual base::Result<> publish(StepDraft& step, LentBlock& loan) = 0;
    virtual base::Result<> end(std::unique_ptr<StepDraft> step) = 0;
    virtual base::Result<> abandon(std::unique_ptr<StepDraft> step) = 0;
    virtual base::Result<> close() = 0;
    /// Ends the stream as failed.
    virtual void fail(const std::string& reason) = 0;

    /// Readable as soon as begin_step() would find room.
    virtual base::Result<int> descriptor() = 0;
    /// Before begin_step() and close(): they and the watcher take turns.
    virtual void stop_watching() = 0;

    virtual void attach(std::shared_ptr<Analysis> analysis) = 0;
    /// Tells the attached analyses, and whoever else goes along, of the step that was just ended; what they raise
    /// passes through.
    virtual void run_followers() = 0;
    /// Before close(), and after it.
    virtual void finish_followers() = 0;
    virtual void dismiss_followers() = 0;

    /// `closed` in a process that was forked off after this was opened.
    [[nodiscard]] virtual base::Result<> check_home() const = 0;
    [[nodiscard]] virtual const std::string& name() const = 0;
    [[nodiscard]] virtual const Group& group() const = 0;
    [[nodiscard]] virtual const std::string& placement() const = 0;
    [[nodiscard]] virtual std::int64_t next_step() const = 0;
    [[nodiscard]] virtual WriterStatistics statistics() const = 0;
};

}  // namespace staithe::stream
