// One rank of a reader group: receives announcements, puts complete steps together, gives them back.
//
// Behind staithe::Reader. One thread at a time; the steps it hands out may go to any.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <staithe/options.hpp>
#include <staithe/reader.hpp>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "monitor/counter.hpp"
#include "monitor/span.hpp"
#include "os/fork.hpp"
#include "stream/describing/layout.hpp"
#include "stream/directing/membership.hpp"
#include "stream/waiting/stream_users.hpp"
#include "stream/waiting/watcher.hpp"
#include "transport/mapped_pool.hpp"

namespace staithe::stream {

/// What outlives the reader while a step is pinned: the mapped pools, and the way back to the director.
struct Mappings {
    using Pools = std::vector<std::unique_ptr<transport::MappedPool>>;  // by writer rank

    monitor::Tracer tracer;
    std::shared_ptr<Membership> membership;
    Pools pools;
    Pools spill_pools;      // on disk; none if the stream does not spill
    std::mutex send_mutex;  // steps may be released from any thread
    std::atomic<std::int64_t> pinned{0};

    void release(std::int64_t step);
    void want(std::int64_t step);
    void hand_back(std::int64_t step);
};

/// A complete step, pinned while this lives.
struct StepView {
    StepView() = default;
    ~StepView();
    StepView(const StepView&) = delete;
    StepView& operator=(const StepView&) = delete;

    const os::Home home;
    std::int64_t number = 0;
    std::shared_ptr<Mappings> mappings;
    std::shared_ptr<const Layout> layout;
    std::vector<RecordView> records;  // by writer rank

    /// The data of a block, in place. Checked against the pool: the offset comes from another process.
    [[nodiscard]] base::Result<ArrayView> data_of(const PlacedBlock& block) const;
};

class Consumer {
  public:
    static base::Result<std::shared_ptr<Consumer>> open(const std::string& stream, const ReaderOptions& options);
    ~Consumer();

    /// Nothing after the last step.
    base::Result<std::shared_ptr<const StepView>> next(std::optional<double> timeout);
    /// The next step, which the caller knows to be `number` at most; nothing also if that one was abandoned.
    base::Result<std::shared_ptr<const StepView>> next_up_to(std::int64_t number);
    base::Result<> pause();
    base::Result<> resume();
    base::Result<> follow_latest();
    void close();

    /// Readable as soon as next() would not wait, once or from now on.
    base::Result<int> descriptor(bool once);
    /// Before and after every other call: it and the watcher take turns.
    void stop_watching();
    void go_on_watching();

    /// `closed` in a process that was forked off after this was opened.
    [[nodiscard]] base::Result<> check_home() const { return home_.here() ? base::Result<>() : opened_elsewhere(); }
    [[nodiscard]] const std::string& name() const { return stream_; }
    [[nodiscard]] const Group& group() const { return group_; }
    [[nodiscard]] const Joined& joined() const { return joined_; }
    [[nodiscard]] ReaderStatistics statistics() const;
    /// Whether it holds all steps that the writer's queue has.
    [[nodiscard]] bool holds_whole_queue() const;

  private:
    struct KnownSchema {
        std::uint64_t id = 0;
        std::shared_ptr<const Schema> schema;
    };

    Consumer(std::string stream, ReaderOptions options, std::optional<double> timeout);

    [[nodiscard]] base::Result<> opened_elsewhere() const;
    base::Result<> join(std::int64_t start, bool goes_on, const OpeningTime& time);
    base::Result<> settle_in(std::shared_ptr<Membership> membership, const base::Deadline& deadline);
    base::Result<> rejoin(std::optional<double> chosen_timeout);
    base::Result<> map_pools(Mappings::Pools& pools, bool on_disk, const base::Deadline& deadline);
    base::Result<> ask(const char* request);
    void give_back();
    bool collect();
    [[nodiscard]] bool has_news();
    void sleep_until_news(const std::function<bool()>& stop);
    void ask_for_step();
    base::Result<> wait_for_step(std::optional<double> chosen_timeout, const std::function<bool()>& or_until);
    [[nodiscard]] base::Failure no_step_within(double seconds) const;
    [[nodiscard]] base::Failure loss() const;
    /// For calls that the director answers at once.
    [[nodiscard]] base::Deadline deadline_of_answers() const;
    base::Result<std::shared_ptr<const StepView>> assemble();
    base::Result<bool> learn_schema(std::size_t rank, const RecordHeader& header);

    const os::Home home_;
    const std::string stream_;
    const Group group_;
    const ReaderOptions options_;
    const std::optional<double> timeout_;  // that the user has chosen
    StreamUse use_;
    std::shared_ptr<Mappings> mappings_;
    Joined joined_;
    transport::Patience patience_;

    std::vector<transport::Message> announced_;  // of the step that is coming in
    std::int64_t next_step_ = 0;                 // after the newest one that came in
    std::int64_t went_on_at_ = 0;                // the first step that it lacked when its writer died
    std::int64_t wanted_ = -1;                   // the step that was asked for last, of a group that has to ask
    bool ended_ = false;
    std::optional<std::uint32_t> lost_rank_;
    std::string failure_;  // who failed and why; empty if the lost writer rank died
    bool closed_ = false;
    std::vector<KnownSchema> schemas_;  // by writer rank
    std::shared_ptr<const Layout> layout_;

    monitor::Counter steps_;
    monitor::TimeCounter waited_;
    std::int64_t dropped_ = 0;  // when it was closed

    bool keeps_watching_ = false;
    bool watches_next_ = false;
    transport::Patience patience_of_watcher_;  // shows nobody as asleep: the program itself is free to do other things
    std::unique_ptr<Watcher> watcher_;         // the last member: its thread uses the others
};

}  // namespace staithe::stream
