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
#include <utility>
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
#include "stream/writing/follower.hpp"
#include "stream/writing/run_ahead.hpp"
#include "stream/writing/spill_coding.hpp"
#include "stream/writing/step_sink.hpp"
#include "stream/writing/writer_settings.hpp"
#include "transport/bell.hpp"

namespace staithe::stream {

class InlineAnalyses;

class Producer final : public StepSink {
  public:
    static base::Result<std::shared_ptr<Producer>> open(const std::string& stream, const WriterOptions& options);
    /// The first step has that number, as rank 0 says.
    static base::Result<std::shared_ptr<Producer>> open_at_step(const std::string& stream, const WriterOptions& options,
                                                                std::int64_t first_step);
    /// Of a stream that rank 0 has had a server take in already, beside one of another name.
    static base::Result<std::shared_ptr<Producer>> open_twin(const std::string& twin, const WriterOptions& options);
    ~Producer() override;

    base::Result<std::unique_ptr<StepDraft>> begin_step(const std::optional<double>& timeout) override;
    base::Result<> put(StepDraft& step, const std::string& variable, const ArrayView& block,
                       const PutOptions& options) override;
    base::Result<std::unique_ptr<LentBlock>> lend(StepDraft& step, const std::string& variable, Dtype dtype,
                                                  const Extents& count, const PutOptions& options) override;
    base::Result<> publish(StepDraft& step, LentBlock& loan) override;
    base::Result<> end(std::unique_ptr<StepDraft> step) override;
    base::Result<> abandon(std::unique_ptr<StepDraft> step) override;
    base::Result<> close() override;
    void fail(const std::string& reason) override;

    base::Result<int> descriptor() override;
    void stop_watching() override;

    void attach(std::shared_ptr<Analysis> analysis) override;
    void run_followers() override;
    void finish_followers() override;
    void dismiss_followers() override;
    void go_along(std::unique_ptr<Follower> follower) { followers_.push_back(std::move(follower)); }

    [[nodiscard]] base::Result<> check_home() const override {
        return home_.here() ? base::Result<>() : opened_elsewhere();
    }
    [[nodiscard]] const std::string& name() const override { return stream_; }
    [[nodiscard]] const Group& group() const override { return group_; }
    [[nodiscard]] const std::string& placement() const override { return placement_; }
    [[nodiscard]] std::int64_t next_step() const override { return next_step_; }
    [[nodiscard]] WriterStatistics statistics() const override;
    /// Whether the loan is of its memory.
    [[nodiscard]] bool owns(const LentBlock& loan) const { return loan.pool == store_->pool_of(loan.block.tier); }
    /// The stream that another server has the same steps of; empty: none.
    [[nodiscard]] const std::string& twin() const { return twin_; }

  private:
    Producer(std::string stream, Group group, const WriterSettings& settings);

    static base::Result<std::shared_ptr<Producer>> open(const std::string& stream, const WriterOptions& options,
                                                        bool is_taken_in, std::int64_t first_step);
    base::Result<> open_with_own_memory(const WriterSettings& settings);
    base::Result<> open_at_server(const WriterSettings& settings);
    base::Result<> join_at_server(const WriterSettings& settings);
    [[nodiscard]] base::Result<> opened_elsewhere() const;
    void collect_freed();
    [[nodiscard]] bool is_time_to_collect() const;
    [[nodiscard]] bool has_room_in_memory() const;
    [[nodiscard]] bool has_room_on_disk() const;
    [[nodiscard]] std::int64_t bytes_encoded() const;
    [[nodiscard]] bool has_room_encoded() const;
    [[nodiscard]] bool has_credit() const { return has_room_in_memory() || has_room_encoded() || has_room_on_disk(); }
    base::Result<store::BlockMemory> allocate(StepDraft& step, std::int64_t bytes);
    base::Result<store::BlockMemory> copy_in(StepDraft& step, const ArrayView& block,
                                             const store::BlockDescription& description);
    base::Result<std::optional<store::BlockMemory>> encode_in(StepDraft& step, const ArrayView& block,
                                                              const store::BlockDescription& description);
    [[nodiscard]] std::optional<std::vector<std::byte>> payload_within(
        const ArrayView& block, const store::BlockDescription& description) const;
    [[nodiscard]] bool has_ample_room_on_disk() const;
    void copy_timed(const store::BlockMemory& to, std::int64_t bytes, base::FunctionRef<void()> copy);
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
    [[nodiscard]] codecs::Bound error_of(const std::string& variable, const PutOptions& options) const;
    [[nodiscard]] base::Result<store::BlockDescription> describe(const std::string& variable, Dtype dtype,
                                                                 const Extents& count, bool column_major,
                                                                 const PutOptions& options) const;
    base::Result<> add_block(StepDraft& step, const store::BlockMemory& block, store::BlockDescription&& description);
    base::Result<> submit(const StepDraft& step, std::int64_t stored_bytes, std::int64_t spilled_bytes);
    void prepare_next_step();
    void stop_followers();

    const os::Home home_;
    const std::string stream_;
    StreamUse use_;
    const Group group_;
    const std::optional<double> timeout_;  // that the user has chosen
    const Errors error_;
    const std::string placement_;
    std::string twin_;
    std::shared_ptr<transport::Link> twin_link_;  // rank 0's: that stream stays as long as it has no member
    monitor::Tracer tracer_;
    std::shared_ptr<transport::Endpoint> endpoint_;
    std::optional<store::BlockStore> store_;  // the disk is for a stream that spills
    std::unique_ptr<DirectorPort> director_;
    QueueLimits limits_;  // this rank's part of them
    bool disk_is_full_ = false;
    SpillCoding spill_coding_;
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
    std::int64_t most_steps_ = 0;          // in memory, so far
    std::int64_t last_step_bytes_ = 0;     // of its elements
    std::int64_t last_encoded_bytes_ = 0;  // that the last step took whose blocks were
    std::vector<std::int64_t> freed_;
    std::int64_t collected_at_ = 0;  // step

    monitor::Counter steps_, bytes_, encoded_steps_, encoded_bytes_, spilled_steps_, spilled_bytes_;
    monitor::TimeCounter stall_;
    std::vector<std::unique_ptr<Follower>> followers_;
    InlineAnalyses* analyses_ = nullptr;  // among them

    transport::Patience patience_of_watcher_;  // shows nobody as asleep: the program itself is free to do other things
    std::unique_ptr<Watcher> watcher_;         // the last member: its thread uses the others
};

}  // namespace staithe::stream
