// One rank of a writer group: its pool, its step in the making, its credit.
//
// Behind staithe::Writer. One thread at a time, but for loans that are given back from another.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <staithe/array_view.hpp>
#include <staithe/options.hpp>
#include <staithe/writer.hpp>

#include "base/deadline.hpp"
#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "monitor/counter.hpp"
#include "monitor/span.hpp"
#include "os/fork.hpp"
#include "store/block_store.hpp"
#include "stream/describing/schema.hpp"
#include "stream/directing/director_port.hpp"
#include "stream/waiting/stream_users.hpp"
#include "stream/waiting/watcher.hpp"
#include "stream/writing/run_ahead.hpp"
#include "stream/writing/writer_settings.hpp"
#include "transport/bell.hpp"

namespace staithe::stream {

class InlineAnalyses;

/// A step in the making.
struct StepDraft {
    std::int64_t number = 0;
    bool spills = false;  // the queue has no room in memory for it
    std::vector<store::BlockMemory> blocks;
    Attributes attributes;
};

/// Memory of a loan; goes back to the pool unless it was published.
struct LentBlock {
    LentBlock(std::shared_ptr<memory::Pool> pool, store::BlockMemory block, store::BlockDescription description,
              std::int64_t step)
        : pool(std::move(pool)), block(block), description(std::move(description)), step(step) {}
    ~LentBlock();
    LentBlock(const LentBlock&) = delete;
    LentBlock& operator=(const LentBlock&) = delete;

    const std::shared_ptr<memory::Pool> pool;
    const store::BlockMemory block;
    const store::BlockDescription description;
    const std::int64_t step;
    bool published = false;
};

class Producer {
  public:
    static base::Result<std::shared_ptr<Producer>> open(const std::string& stream, const WriterOptions& options);
    ~Producer();

    base::Result<std::unique_ptr<StepDraft>> begin_step(const std::optional<double>& timeout);
    base::Result<> put(StepDraft& step, const std::string& variable, const ArrayView& block, const PutOptions& options);
    base::Result<std::unique_ptr<LentBlock>> lend(StepDraft& step, const std::string& variable, Dtype dtype,
                                                  const Extents& count, const PutOptions& options);
    base::Result<> publish(StepDraft& step, LentBlock& loan);
    base::Result<> end(std::unique_ptr<StepDraft> step);
    base::Result<> abandon(std::unique_ptr<StepDraft> step);
    base::Result<> close();
    /// Ends the stream as failed.
    void fail(const std::string& reason);

    /// Readable as soon as begin_step() would find room.
    base::Result<int> descriptor();
    /// Before begin_step() and close(): they and the watcher take turns.
    void stop_watching();

    void attach(std::shared_ptr<Analysis> analysis);
    /// Runs the attached analyses on the step that was just ended; what they throw passes through.
    void run_analyses();
    void finish_analyses();

    /// `closed` in a process that was forked off after this was opened.
    [[nodiscard]] base::Result<> check_home() const { return home_.here() ? base::Result<>() : opened_elsewhere(); }
    [[nodiscard]] const std::string& name() const { return stream_; }
    [[nodiscard]] const Group& group() const { return group_; }
    [[nodiscard]] const std::string& placement() const { return placement_; }
    [[nodiscard]] std::int64_t next_step() const { return next_step_; }
    [[nodiscard]] WriterStatistics statistics() const;

  private:
    Producer(std::string stream, Group group, const WriterSettings& settings);

    base::Result<> open_with_own_memory(const WriterSettings& settings);
    base::Result<> open_at_server(const WriterSettings& settings);
    base::Result<> join_at_server(const WriterSettings& settings);
    [[nodiscard]] base::Result<> opened_elsewhere() const;
    void collect_freed();
    [[nodiscard]] bool is_time_to_collect() const;
    [[nodiscard]] bool has_room_in_memory() const;
    [[nodiscard]] bool has_room_on_disk() const;
    [[nodiscard]] bool has_credit() const { return has_room_in_memory() || has_room_on_disk(); }
    base::Result<store::BlockMemory> allocate(StepDraft& step, std::int64_t bytes);
    base::Result<store::BlockMemory> copy_in(StepDraft& step, const ArrayView& block, bool column_major,
                                             std::int64_t bytes);
    [[nodiscard]] bool process_has_credit() const;
    bool relieved(base::FunctionRef<bool()> ready);
    base::Result<bool> wait_for_readers(std::optional<double> chosen_timeout, const std::function<bool()>& others_count,
                                        const std::function<bool()>& ready);
    [[nodiscard]] std::string why_queue_is_full();
    base::Result<store::BlockMemory> wait_for_memory(std::int64_t bytes);
    bool could_begin();
    void sleep_until_it_could(const std::function<bool()>& stop);
    base::Result<> wait_for_credit(std::optional<double> chosen_timeout);
    base::Result<> wait_for_warm_memory(std::optional<double> chosen_timeout);
    [[nodiscard]] base::Result<store::BlockDescription> describe(const std::string& variable, Dtype dtype,
                                                                 const Extents& count, bool column_major,
                                                                 const PutOptions& options) const;
    base::Result<> add_block(StepDraft& step, const store::BlockMemory& block, store::BlockDescription&& description);
    base::Result<> submit(const StepDraft& step, std::int64_t data_bytes, std::int64_t spilled_bytes);
    void prepare_next_step();

    const os::Home home_;
    const std::string stream_;
    StreamUse use_;
    const Group group_;
    const std::optional<double> timeout_;  // that the user has chosen
    const std::string placement_;
    monitor::Tracer tracer_;
    std::shared_ptr<transport::Endpoint> endpoint_;
    std::optional<store::BlockStore> store_;  // the disk is for a stream that spills
    std::unique_ptr<DirectorPort> director_;
    QueueLimits limits_;  // this rank's part of them
    bool disk_is_full_ = false;
    transport::Patience patience_;
    std::optional<RunAhead> run_ahead_;  // none if the user has chosen how far
    transport::Patience patience_for_warm_memory_;

    // The blocks of the step in the making overwrite those of the last step; most often they are the same.
    store::Descriptions blocks_;
    bool schema_changed_ = true;
    // Where a variable's blocks are among them: filled once a step differs from the last, up to `indexed_`.
    std::unordered_map<std::string, std::vector<std::size_t>> blocks_of_;
    std::size_t indexed_ = 0;
    // Of the last step that was ended:
    std::shared_ptr<const store::Descriptions> described_;
    std::vector<std::byte> schema_;  // the same, encoded
    std::uint64_t schemas_ = 0;      // that there were, this one included
    std::vector<store::BlockRef> refs_;

    std::int64_t next_step_ = 0;
    bool step_open_ = false;
    std::unique_ptr<StepDraft> spare_draft_;  // whose lists have memory
    bool closed_ = false;
    const int exceptions_at_home_ = std::uncaught_exceptions();
    std::int64_t most_steps_ = 0;  // in memory, so far
    std::int64_t last_step_bytes_ = 0;
    std::vector<std::int64_t> freed_;
    std::int64_t collected_at_ = 0;  // step

    monitor::Counter steps_, bytes_, spilled_steps_, spilled_bytes_;
    monitor::TimeCounter stall_;
    std::unique_ptr<InlineAnalyses> analyses_;

    transport::Patience patience_of_watcher_;  // shows nobody as asleep: the program itself is free to do other things
    std::unique_ptr<Watcher> watcher_;         // the last member: its thread uses the others
};

}  // namespace staithe::stream
