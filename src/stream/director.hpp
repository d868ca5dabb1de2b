// The director of a stream: knows its steps and where their blocks are, and who reads it. Lives in writer rank 0.
//
// It has no thread of its own while rank 0 writes alone: rank 0 submits its records and collects releases by calling
// it. With more writer ranks a thread sleeps on the director's bell, since their records come while rank 0 computes.
// Joining, leaving and dying members are handled in the endpoint's thread. One mutex guards it all.
//
// A step passes through it like this: every writer rank submits its record → complete → announced to all ranks of all
// reader groups → released by each of them → freed: all writer ranks may use its memory again.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "memory/pool.hpp"
#include "monitor/counter.hpp"
#include "stream/protocol.hpp"
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
        int queue_steps = 1;
        std::int64_t queue_bytes = 0;
        int expected_readers = 1;
        std::string placement;
        Attributes attributes;
    };

    /// Takes the stream's name; `pool` is rank 0's.
    static base::Result<std::shared_ptr<Director>> start(std::shared_ptr<transport::Endpoint> endpoint,
                                                         Settings settings, const memory::Pool& pool);
    ~Director();

    // What rank 0 does, as the other ranks do through their rings.
    void submit(const transport::Message& message);
    /// Moves the steps whose memory rank 0 may use again to the end of `steps`; true if there are any.
    bool take_freed(std::vector<std::int64_t>& steps);
    [[nodiscard]] transport::Bell& bell() const { return *bell_; }
    monitor::TimeCounter& stall() { return stall_; }
    /// Why rank 0 cannot go on, if so.
    [[nodiscard]] std::optional<base::Failure> trouble() const;
    /// Whose fault it is that the queue is full.
    [[nodiscard]] std::string who_holds_steps() const;

    /// Waits until all writer ranks have finished and the expected readers have joined. Then, or when that failed,
    /// the stream ends: its name is free again and readers get what is complete and the end.
    base::Result<> finish(const base::Deadline& deadline);
    /// Ends the stream without waiting for anyone.
    void stop();

  private:
    struct Member {
        std::shared_ptr<transport::Link> link;
        std::shared_ptr<transport::Link::CloseHandler> on_close;
        std::int64_t ticket = 0;  // the request that it joined by
        memory::Allocation memory;
        MemberHead* head = nullptr;
        transport::RingProducer down;
        transport::RingConsumer up;
        int rank = 0;
        std::int64_t group = -1;         // of a reader rank
        std::vector<std::int64_t> held;  // steps announced to a reader rank and not released by it
        bool ready = false;              // a reader rank that has all it needs to read
        std::int64_t released = 0;
    };
    struct ReaderGroup {
        std::string program;
        std::string id;
        int size = 1;
        std::vector<std::int64_t> members;  // by rank; none: -1
        bool active = false;                // all ranks were ready once: steps are announced to it
        double joined_at = 0.0;
        int pid = 0;
    };
    struct Step {
        std::int64_t number = 0;
        std::vector<transport::Message> records;  // by writer rank
        int missing = 0;                          // records
        bool abandoned = false;
        int holders = 0;  // reader ranks that have not released it
        std::int64_t data_bytes = 0;
    };
    struct WriterRank {
        std::int64_t member = -1;
        transport::Peer peer;
        os::FileDescriptor pool;  // read-only
        std::unique_ptr<transport::MappedPool> mapped;
        bool finished = false;
    };
    struct DeferredJoin {
        std::shared_ptr<transport::Link> link;
        Attributes request;
    };

    Director(std::shared_ptr<transport::Endpoint> endpoint, Settings settings);
    base::Result<> open(const memory::Pool& pool);

    // Steps (director.cpp). The mutex is held.
    bool drain();
    void handle_writer(int rank, const transport::Message& message);
    void handle_reader(Member& member, const transport::Message& message);
    void add_record(int rank, const transport::Message& message, bool abandoned);
    void skip(std::int64_t number);
    void announce(Step& step, Member& member);
    void release(Member& member, std::int64_t number);
    /// Frees the step if nobody needs it any more; returns the step behind it.
    std::deque<Step>::iterator settle(const std::deque<Step>::iterator& step);
    void settle_all();
    void free_step(const Step& step);
    void lose_writer(int rank);
    [[nodiscard]] bool all_finished() const;
    [[nodiscard]] base::Failure loss() const;
    void end_stream();
    void run_service();

    // Members (director_members.cpp). Called in the endpoint's thread, without the mutex.
    void handle(const std::shared_ptr<transport::Link>& link, transport::Packet packet);
    base::Result<> join_writer(const std::shared_ptr<transport::Link>& link, const Attributes& request,
                               std::vector<os::FileDescriptor> descriptors);
    base::Result<> join_reader(const std::shared_ptr<transport::Link>& link, const Attributes& request);
    base::Result<> send_pools(const std::shared_ptr<transport::Link>& link, const Attributes& request);
    base::Result<Attributes> set_ready(const Attributes& request);
    base::Result<Attributes> detach(const Attributes& request);
    void lose_member(std::int64_t id, bool by_leaving);
    void give_up_join(const std::shared_ptr<transport::Link>& link, const Attributes& request);
    // The mutex is held.
    base::Result<std::int64_t> add_member(const std::shared_ptr<transport::Link>& link, int rank,
                                          const Attributes& request, MemberMemory& memory);
    base::Result<Joined> admit_reader(const std::shared_ptr<transport::Link>& link, const Attributes& request);
    std::int64_t find_forming_group(const std::string& program, const std::string& id, int rank, int size);
    [[nodiscard]] Joined answer_for(std::int64_t member, const MemberMemory& memory) const;
    void activate_if_ready(ReaderGroup& group);
    void answer_deferred();
    [[nodiscard]] bool all_writers_joined() const;

    // Reports (director_report.cpp). The mutex is held.
    [[nodiscard]] Attributes report();
    void describe_variables(const Step& step);

    const std::shared_ptr<transport::Endpoint> endpoint_;
    const Settings settings_;
    const double started_;

    mutable std::mutex mutex_;
    std::unique_ptr<memory::Pool> control_;
    transport::Bell* bell_ = nullptr;
    std::map<std::int64_t, Member> members_;  // but rank 0
    std::map<std::int64_t, ReaderGroup> groups_;
    std::vector<WriterRank> writers_;
    std::vector<DeferredJoin> deferred_;
    std::int64_t next_id_ = 0;

    std::deque<Step> steps_;  // not freed, oldest first
    std::vector<std::vector<transport::Message>> spare_records_;
    std::vector<std::int64_t> freed_for_rank_0_;
    int groups_seen_ = 0;  // that were active once
    int lost_writer_ = -1;
    bool offered_ = false;  // the name is ours until the stream ends
    bool ended_ = false;
    List variables_;  // as the latest look at a step found them

    monitor::Counter published_steps_, published_bytes_;
    monitor::TimeCounter stall_;
    bool stopping_ = false;
    std::thread service_;
};

}  // namespace staithe::stream
