// The director of a stream: knows its steps and where their blocks are, and who reads it. Lives in writer rank 0.
//
// It has no thread of its own while rank 0 writes alone: rank 0 submits its records and collects releases by calling
// it. With more writer ranks a thread sleeps on the director's bell, since their records come while rank 0 computes.
// Joining, leaving and dying members are handled in the endpoint's thread. One mutex guards it all.
//
// A step passes through it like this: every writer rank submits its record → complete → announced to all ranks of all
// reader groups → released by each of them → freed: all writer ranks may use its memory again.
//
// A group that may lose steps gets a step when it asks for one. Until then its steps wait here, where its overflow
// policy drops them as soon as the queue has no room for one more: so the writer never waits for such a group.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <staithe/options.hpp>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "memory/pool.hpp"
#include "monitor/counter.hpp"
#include "monitor/span.hpp"
#include "stream/directing/overflow.hpp"
#include "stream/directing/progress.hpp"
#include "stream/directing/protocol.hpp"
#include "stream/waiting/awaited.hpp"
#include "transport/bell.hpp"
#include "transport/endpoint.hpp"
#include "transport/mapped_pool.hpp"

namespace staithe::stream {

class Director : public std::enable_shared_from_this<Director> {
  public:
    struct Settings {
        std::string stream;
        int writers = 1;
        std::string group_id;
        QueueLimits queue;
        Overflow overflow;
        int expected_readers = 1;
        bool resume = false;
        std::string placement;
        Attributes attributes;
    };

    /// Takes the stream's name; the pools are rank 0's, the second one on disk or null.
    static base::Result<std::shared_ptr<Director>> start(std::shared_ptr<transport::Endpoint> endpoint,
                                                         Settings settings, const memory::Pool& pool,
                                                         const memory::Pool* spill_pool);
    ~Director();

    // What rank 0 does, as the other ranks do through their rings.
    void submit(const transport::Message& message);
    /// Moves the steps whose memory rank 0 may use again to the end of `steps`; true if there are any.
    bool take_freed(std::vector<std::int64_t>& steps);
    [[nodiscard]] transport::Bell& bell() const { return *bell_; }
    monitor::TimeCounter& stall() { return stall_; }
    /// Of the writer group; not 0 when it resumes.
    [[nodiscard]] std::int64_t first_step() const { return first_step_; }
    /// Steps that reader groups have lost, summed over the groups.
    [[nodiscard]] std::int64_t dropped() const { return dropped_.value(); }
    std::atomic<std::int64_t>& rank_0_asleep_since() { return rank_0_asleep_since_; }
    /// Why rank 0 cannot go on, if so.
    [[nodiscard]] std::optional<base::Failure> trouble() const;
    /// Why rank 0's queue is full, or why the stream does not end though rank 0 has closed it.
    [[nodiscard]] Awaited awaited_by_rank_0() const;

    /// Waits until all writer ranks have finished and the expected readers have joined. Then, or when that failed,
    /// the stream ends: its name is free again and readers get what is complete and the end.
    base::Result<> finish(std::optional<double> chosen_timeout);
    /// Ends the stream without waiting for anyone.
    void stop();
    /// Ends the stream as failed: readers get what is complete, then why rank 0 could not go on. Those that are just
    /// coming are given a moment.
    void fail(const std::string& reason);
    /// Complete steps that go with the stream if it ends now, since the readers that they are kept for have not come.
    [[nodiscard]] std::int64_t unread() const;

  private:
    struct ReaderGroup;
    struct Member {
        std::shared_ptr<transport::Link> link;
        std::shared_ptr<transport::Link::CloseHandler> on_close;
        std::int64_t ticket = 0;  // the request that it joined by
        memory::Allocation memory;
        MemberHead* head = nullptr;
        transport::RingProducer down;
        transport::RingConsumer up;
        int rank = 0;
        ReaderGroup* group = nullptr;    // of a reader rank
        std::vector<std::int64_t> held;  // steps announced to a reader rank and not released by it
        bool ready = false;              // a reader rank that has all it needs to read
        std::int64_t released = 0;
        std::int64_t pauses = 0;
        std::int64_t resumes = 0;
    };
    struct ReaderGroup {
        std::string program;
        std::string id;
        int size = 1;
        std::vector<Member*> members;  // by rank; null: not there
        bool active = false;           // all ranks were ready once: steps are announced to it
        bool is_inline = false;        // the writer ranks themselves
        std::vector<bool> came;        // by rank: was ready once
        Overflow overflow;
        std::int64_t start = start_oldest;  // once it is active, a step's number
        std::int64_t announced = -1;        // the newest step that was
        // Of a group that may lose steps:
        std::deque<std::int64_t> waiting;  // steps that it has not been given, oldest first
        bool wants = false;                // a rank of it waits for one
        std::int64_t dropped = 0;
        double joined_at = 0.0;
        int pid = 0;
    };
    struct Step {
        std::int64_t number = 0;
        std::vector<transport::Message> records;  // by writer rank
        int missing = 0;                          // records
        bool abandoned = false;
        int holders = 0;   // reader ranks that have been given it and have not released it
        int pins = 0;      // of these, the ranks of groups that may lose steps
        int waiting = 0;   // groups that will be given it when they ask
        bool kept = true;  // for the reader groups that are expected and not there
        std::int64_t data_bytes = 0;
        std::int64_t spilled_bytes = 0;
        std::int64_t since = 0;  // when its first record came, and once it is complete, when that was
    };
    struct WriterRank {
        Member* member = nullptr;  // none: rank 0, or not there
        transport::Peer peer;
        os::FileDescriptor pool;        // read-only
        os::FileDescriptor spill_pool;  // the same; none if nothing is spilled
        std::unique_ptr<transport::MappedPool> mapped;
        bool finished = false;
        std::int64_t steps = 0;  // that it went through, once it has finished
    };
    struct DeferredJoin {
        std::shared_ptr<transport::Link> link;
        Attributes request;
        std::int64_t since = 0;
    };

    Director(std::shared_ptr<transport::Endpoint> endpoint, Settings settings);
    base::Result<> open(const memory::Pool& pool, const memory::Pool* spill_pool);

    // Steps (director.cpp). The mutex is held.
    bool drain();
    void handle_writer(int rank, const transport::Message& message);
    void handle_reader(Member& member, const transport::Message& message);
    void add_record(int rank, const transport::Message& message, bool abandoned);
    void skip(std::int64_t number);
    void publish(std::list<Step>::iterator step);
    [[nodiscard]] std::list<Step>::iterator find_step(std::int64_t number);
    std::list<Step>::iterator add_step(std::list<Step>::iterator before, std::int64_t number);
    /// The number of the oldest step that a reader could still get, or of the next one.
    [[nodiscard]] std::int64_t oldest_step() const;
    [[nodiscard]] bool is_gone(std::int64_t number) const;
    void announce(Step& step, Member& member) const;
    void announce(Step& step, ReaderGroup& group) const;
    void release(Member& member, std::int64_t number);
    static void let_go(Step& step, const Member& member);
    /// Frees the step if nobody needs it any more; returns the step behind it.
    std::list<Step>::iterator settle(std::list<Step>::iterator step);
    void settle_all();
    void free_step(const Step& step);
    /// It died, unless it says why it cannot go on.
    void lose_writer(int rank, const std::string& failure = {});
    void give_up(int rank, const std::string& failure);
    [[nodiscard]] std::int64_t count_unread() const;
    void leave_note() const;
    [[nodiscard]] bool all_finished() const;
    [[nodiscard]] base::Failure loss() const;
    /// A rank that closed before others had written as many steps: those can never be complete.
    [[nodiscard]] std::optional<base::Failure> disagreement() const;
    void tell_loss(Member& member);
    void end_stream();
    base::Result<> start_service();
    void run_service();

    // What becomes of steps that groups do not take in time (director_overflow.cpp). The mutex is held.
    void offer(Step& step, ReaderGroup& group);
    void balance();
    void make_room();
    /// Gives the group the step that it asked for, if that is there.
    void serve(ReaderGroup& group);
    /// Gives the group all that waits for it: nothing comes any more.
    void serve_rest(ReaderGroup& group);
    void give_oldest(ReaderGroup& group);
    [[nodiscard]] bool must_miss(const Overflow& overflow, std::int64_t number) const;
    [[nodiscard]] bool has_room() const;
    [[nodiscard]] bool leaves_room(const std::function<bool(const Step&)>& is_there) const;
    [[nodiscard]] bool may_drop(const Step& step) const;
    [[nodiscard]] bool is_kept(const Step& step) const;
    void take_back(Member& member, std::int64_t number);
    void drop(Step& step);
    void stop_keeping(Step& step);
    void withdraw(ReaderGroup& group, Step& step);
    void withdraw_all(ReaderGroup& group, bool as_dropped);
    void count_drops(ReaderGroup* group, std::int64_t steps);
    [[nodiscard]] static bool any_is_ready(const ReaderGroup& group);
    [[nodiscard]] static bool is_paused(const ReaderGroup& group);
    [[nodiscard]] bool any_group_may_lose_steps() const;

    // Members (director_members.cpp). Called in the endpoint's thread, without the mutex.
    void handle(const std::shared_ptr<transport::Link>& link, transport::Packet packet);
    base::Result<> join_writer(const std::shared_ptr<transport::Link>& link, const Attributes& request,
                               std::vector<os::FileDescriptor> descriptors);
    base::Result<> join_reader(const std::shared_ptr<transport::Link>& link, const Attributes& request);
    base::Result<> send_pools(const std::shared_ptr<transport::Link>& link, const Attributes& request);
    base::Result<Attributes> set_ready(const Attributes& request);
    base::Result<Attributes> detach(const Attributes& request);
    base::Result<Attributes> pause(const Attributes& request);
    base::Result<Attributes> resume(const Attributes& request);
    base::Result<Attributes> follow(const Attributes& request);
    base::Result<Attributes> awaits(const Attributes& request);
    void lose_member(std::int64_t id, bool by_leaving);
    void fail_member(const Attributes& request);
    [[nodiscard]] bool speaks_for_itself(const std::shared_ptr<transport::Link>& link, const Attributes& request) const;
    void give_up_join(const std::shared_ptr<transport::Link>& link, const Attributes& request);
    // The mutex is held.
    base::Result<std::int64_t> add_member(const std::shared_ptr<transport::Link>& link, int rank,
                                          const Attributes& request, MemberMemory& memory);
    base::Result<Joined> admit_reader(const std::shared_ptr<transport::Link>& link, const Attributes& request);
    [[nodiscard]] static bool goes_on(const Attributes& request);
    base::Result<ReaderGroup> read_group(const Attributes& request) const;
    ReaderGroup& find_forming_group(ReaderGroup&& wanted, int rank);
    base::Result<Member*> find_reader(const Attributes& request);
    [[nodiscard]] Joined answer_for(std::int64_t member, const MemberMemory& memory) const;
    void activate_if_ready(ReaderGroup& group);
    void answer_deferred();
    [[nodiscard]] bool all_writers_joined() const;

    // Reports (director_report.cpp, director_waits.cpp). The mutex is held.
    [[nodiscard]] Attributes report();
    /// Adds who waits, and for whom.
    void report_waits(Attributes& report) const;
    [[nodiscard]] bool keeps(int pid, const Step& step) const;
    [[nodiscard]] Awaited awaited_by_writer(int rank) const;
    [[nodiscard]] Awaited awaited_by_closing() const;
    [[nodiscard]] Awaited awaited_by_reader(const Member& member) const;
    [[nodiscard]] Awaited awaited_readers() const;
    struct MissingRecords {
        std::int64_t number = 0;  // of the step
        std::vector<int> ranks;   // that have not ended it
    };
    [[nodiscard]] MissingRecords ranks_without_oldest_step() const;
    [[nodiscard]] List report_writers() const;
    [[nodiscard]] List report_members(const ReaderGroup& group) const;
    [[nodiscard]] Value report_incomplete_step() const;
    [[nodiscard]] double seconds_held(const Member& member) const;
    [[nodiscard]] double stall_seconds() const;
    void describe_variables(const Step& step);

    const std::shared_ptr<transport::Endpoint> endpoint_;
    const Settings settings_;
    const monitor::Tracer tracer_;
    const double started_;

    mutable std::mutex mutex_;
    std::shared_ptr<memory::Pool> control_;
    transport::Bell* bell_ = nullptr;
    std::map<std::int64_t, Member> members_;  // but rank 0
    std::list<ReaderGroup> groups_;
    std::vector<WriterRank> writers_;
    std::vector<DeferredJoin> deferred_;

    std::list<Step> steps_;        // not freed, oldest first
    std::list<Step> spare_steps_;  // freed: their memory is used again
    std::vector<std::int64_t> freed_for_rank_0_;
    std::unique_ptr<Progress> progress_;
    std::int64_t first_step_ = 0;
    std::int64_t next_step_ = 0;     // after the newest one that is complete
    std::int64_t newest_gone_ = -1;  // published, and freed
    int groups_seen_ = 0;            // that were active once
    std::int64_t dropped_for_expected_ = 0;
    int lost_writer_ = -1;
    std::string failure_;                // who failed and why; empty if the lost writer rank died
    memory::Allocation failure_memory_;  // where members read that
    bool offered_ = false;               // the name is ours until the stream ends
    bool ended_ = false;
    List variables_;  // as the latest look at a step found them

    monitor::Counter published_steps_, published_bytes_, dropped_, spilled_steps_, spilled_bytes_;
    monitor::TimeCounter stall_;
    std::atomic<std::int64_t> rank_0_asleep_since_{0};
    std::atomic<std::int64_t> closing_since_{0};  // rank 0 waits to end the stream
    double ended_at_ = 0.0;
    bool stopping_ = false;
    std::thread service_;
};

}  // namespace staithe::stream
