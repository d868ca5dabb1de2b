// The director of a stream: carries out what its queue decides. Lives in writer rank 0, or in a server.
//
// What happens comes in as calls of rank 0, as hot messages on the members' channels, and as requests on their links
// (reception.hpp). The queue says what is to be told to whom; the book holds what there is to tell; the members say how
// they are reached. One mutex guards them all.
//
// It has no thread. While rank 0 writes alone, rank 0 collects what members have sent when it next calls; where steps
// become complete while rank 0 computes, the endpoint's thread attends to the members. In a server that thread does
// everything: rank 0 is a member like the others, and who comes later finds the steps that stay, and the end.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <staithe/options.hpp>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "memory/pool.hpp"
#include "monitor/counter.hpp"
#include "monitor/span.hpp"
#include "stream/directing/director_settings.hpp"
#include "stream/directing/members.hpp"
#include "stream/directing/protocol.hpp"
#include "stream/directing/publication.hpp"
#include "stream/directing/room_for_others.hpp"
#include "stream/directing/small_blocks.hpp"
#include "stream/directing/step_book.hpp"
#include "stream/directing/step_queue.hpp"
#include "stream/directing/stream_state.hpp"
#include "stream/holding/block_offer.hpp"
#include "stream/staging/own_depot.hpp"
#include "stream/staging/staging.hpp"
#include "stream/waiting/awaited.hpp"
#include "transport/endpoint.hpp"

namespace staithe::stream {

/// A rank's part of a step that it has ended.
struct WrittenPart {
    std::int64_t step = 0;
    RecordView record;
    std::span<const std::byte> schema;  // what the record's number of it stands for
    std::int64_t data_bytes = 0;        // in its blocks
    std::int64_t spilled_bytes = 0;     // of these, on disk
};

class Reception;

class Director : public std::enable_shared_from_this<Director> {
  public:
    /// Takes the stream's name; the pools are rank 0's, the second one on disk or null.
    static base::Result<std::shared_ptr<Director>> start(std::shared_ptr<transport::Endpoint> endpoint,
                                                         DirectorSettings settings, const memory::Pool& pool,
                                                         const memory::Pool* spill_pool);
    /// Depots of other servers, and what readers ask these for.
    struct FarDepots {
        struct Each {
            std::shared_ptr<Depot> depot;
            transport::Entry server;
        };
        std::string service;
        std::vector<Each> all;
    };
    /// Asks the server's other streams for so much of its memory. Does not wait.
    using AskOthers = std::function<void(std::int64_t bytes)>;
    /// The same in a server, whose name the settings say.
    static base::Result<std::shared_ptr<Director>> host(
        std::shared_ptr<transport::Endpoint> endpoint, DirectorSettings settings, FarDepots depots = {},
        AskOthers ask_others = [](std::int64_t) {});
    ~Director();

    // What rank 0 does, as the other ranks do through their channels.

    /// `limit_reached` if there is no memory to write it down: then rank 0 has not spoken of the step.
    base::Result<> submit(const WrittenPart& part);
    void abandon(std::int64_t step);
    void finished();
    /// The process of rank 0 may hold no more.
    void squeeze();
    /// Moves the steps whose memory rank 0 may use again to the end of `steps`; true if there are any.
    bool take_freed(std::vector<std::int64_t>& steps);
    /// Where rank 0 waits.
    [[nodiscard]] transport::Waitable& news() const { return *switchboard_; }
    void show_asleep(std::int64_t since) { state_.rank_0_asleep_since.store(since, std::memory_order_relaxed); }
    void add_stall(std::chrono::nanoseconds time) { state_.stall.add(time); }
    /// Of the writer group; not 0 when it resumes.
    [[nodiscard]] std::int64_t first_step() const { return state_.first_step; }
    /// Steps that reader groups have lost, summed over the groups.
    [[nodiscard]] std::int64_t dropped() const;
    /// Why rank 0 cannot go on, if so.
    [[nodiscard]] std::optional<base::Failure> trouble() const;
    /// Why rank 0's queue is full, or why the stream does not end though rank 0 has closed it.
    [[nodiscard]] Awaited awaited_by_rank_0() const;

    /// Waits until all writer ranks have finished and the expected readers have joined. Then, or when that failed,
    /// the stream ends: its name is free again and readers get what is complete and the end.
    base::Result<> finish(std::optional<double> chosen_timeout);
    /// Ends the stream without waiting for anyone.
    void stop();
    /// Nobody asks it for blocks any more: another one of the stream's name may be there before this one has gone.
    void withdraw_blocks();
    /// Ends the stream as failed: readers get what is complete, then why rank 0 could not go on. Those that are just
    /// coming are given a moment.
    void fail(const std::string& reason);
    /// Complete steps that go with the stream if it ends now, since the readers that they are kept for have not come.
    [[nodiscard]] std::int64_t unread() const;

    // Of one that a server hosts (director_hosting.cpp).

    /// Whether writer ranks are there, or to come.
    [[nodiscard]] bool is_written() const;
    /// What keeps a server that takes in no more streams from going: "is being written"; empty: nothing does.
    [[nodiscard]] std::string why_needed(bool drops_kept) const;
    [[nodiscard]] bool has_writer_joined() const;
    /// It has ended, all readers that were expected have come, and none is there any more.
    [[nodiscard]] bool is_past() const;
    /// Another stream finds no memory: kept steps go, as far as there are any, and ranks give back what they do not
    /// use. Returns the bytes of those steps.
    std::int64_t give_to_others(std::int64_t bytes);
    /// Which of these servers take no part in it, and could: it is being written, all its ranks are there, and blocks
    /// of some of them are fetched.
    [[nodiscard]] std::vector<std::string> lacks(const std::vector<std::string>& servers) const;
    /// The ranks whose blocks are fetched, and how they are talked to.
    [[nodiscard]] std::map<int, std::shared_ptr<transport::Link>> ranks_elsewhere() const;
    /// How the next server that takes part is to open its depot. One thread at a time has one do so.
    struct NextDepot {
        std::string service;
        std::uint32_t store = 0;
    };
    [[nodiscard]] NextDepot next_depot() const;
    /// That one has, and can have the blocks of all ranks from now on. False if it comes too late.
    bool take_in(FarDepots::Each depot);
    /// As ranks and readers of the stream know a server: by its contact.
    [[nodiscard]] std::string contact_of(transport::Entry server) const;
    /// For a list of streams: state, ranks, steps, queue, readers, memory (bytes).
    [[nodiscard]] Attributes summary() const;

  private:
    friend class Reception;

    Director(std::shared_ptr<transport::Endpoint> endpoint, DirectorSettings settings);
    base::Result<> open();
    base::Result<> take_pools(const memory::Pool& pool, const memory::Pool* spill_pool);
    [[nodiscard]] bool is_hosted() const { return !state_.settings.server.empty(); }

    // Hot messages (director_hearing.cpp), and what the queue makes of them (director.cpp). The mutex is held.
    bool attend();
    void hear_writer(Member& member, const transport::Message& message);
    void hear_reader(Member& member, const transport::Message& message);
    base::Result<> take_record(const Member& member, const transport::Message& message);
    [[nodiscard]] base::Result<> check_stores(int rank, const RecordView& record) const;
    base::Result<> take_part(int rank, const WrittenPart& part);
    void record(int rank, std::int64_t step, const StepQueue::StepPart& part);
    void distrust(Member& member, std::string_view what) const;
    /// Carries out what the queue has decided.
    void deliver();
    template <typename Say>
    void tell(const StepQueue::Delivery& delivery, const Say& say);
    void announce(const StepQueue::Delivery& delivery);
    void publish(const StepQueue::Delivery& delivery);
    void tell_dropped(const StepQueue::Delivery& delivery);
    void tell_loss(Member& member);
    void tell_writers(Hot what, std::int64_t step);
    void wake_writers();

    // Who comes and goes (director_joining.cpp), in the endpoint's thread. The mutex is held.
    base::Result<Members::Admission> admit(const std::shared_ptr<transport::Link>& link, const Attributes& request,
                                           int rank, bool reads);
    base::Result<transport::Packet> join_writer(const std::shared_ptr<transport::Link>& link, const Attributes& request,
                                                std::vector<os::FileDescriptor> pools);
    base::Result<transport::Packet> join_reader(const std::shared_ptr<transport::Link>& link,
                                                const Attributes& request);
    [[nodiscard]] bool must_wait(const Attributes& request) const;
    [[nodiscard]] base::Result<> check_share(const std::shared_ptr<transport::Link>& link, std::int64_t size) const;
    base::Result<transport::Packet> answer_for(Members::Admission admission, bool on_request) const;
    base::Result<> welcome_from_afar(Members::Admission& admission);
    base::Result<BlockOffer::Files> files_held_here() const;
    base::Result<> attend_from_now_on();
    void lose_member(std::int64_t id, const std::optional<std::string>& how_lost);  // nothing: it has left

    // Memory that is leased to writer ranks (director_leasing.cpp), and how their stream goes on without them
    // (director_hosting.cpp). The mutex is held.
    base::Result<> lease_memory(int rank);
    base::Result<> lease_more(const Member& member, std::int64_t bytes);
    bool ask_others_for(std::int64_t bytes) const;
    [[nodiscard]] std::vector<RankMemory> memories_of_ranks() const;
    bool let_oldest_go();
    using BytesOfStep = std::function<std::int64_t(const StepQueue::Step&)>;
    std::optional<std::int64_t> let_go(std::int64_t bytes, const BytesOfStep& bytes_of);
    bool make_room_in_lease(int rank, std::int64_t bytes);
    void reclaim(int rank);
    void reclaim_of_those_gone();
    void end_if_written();

    // Writer ranks elsewhere, whose blocks are fetched (director_staging.cpp). The mutex is held.
    base::Result<> expect_from_afar(int rank, const transport::Entry& entry);
    void add_to_staging(const FarDepots::Each& depot);
    [[nodiscard]] bool is_staged(int rank) const { return staging_ && staging_->has(rank); }
    bool hear_staged(Member& member, const transport::Message& message);
    base::Result<Said> said_in(const Member& member, const transport::Message& message);
    void say_staged(int rank, Said said);
    void arrive(const Staging::Arrival& arrival);
    void take_what_counts(int rank);
    void advance_staging();
    void take_of(int rank);
    void lose_staged(int rank, const base::Failure& why);
    bool try_again_later(std::int64_t bytes);

    // How it ends (director_ending.cpp). The mutex is held.
    void lose_writer(int rank, const std::string& failure);
    void give_up(int rank, const std::string& failure);
    // Here it is not.
    bool far_readers_have_all();
    void let_far_members_go();

    const std::shared_ptr<transport::Endpoint> endpoint_;
    const std::shared_ptr<Reception> reception_;
    std::unique_ptr<Publication> publication_;
    std::shared_ptr<transport::Switchboard> switchboard_;

    mutable std::mutex mutex_;
    StreamState state_;
    std::vector<std::int64_t> freed_for_rank_0_;
    std::shared_ptr<BlockOffer> offer_;  // from the first member of another host on
    SmallBlocks small_blocks_;
    std::shared_ptr<OwnDepot> depot_;   // from the first writer rank elsewhere on
    std::unique_ptr<Staging> staging_;  // of a stream that a server hosts
    FarDepots far_depots_;
    AskOthers ask_others_;
    std::vector<store::BlockRef> refs_;  // of the step that is announced
    bool keeps_less_ = false;            // than it was told to, for want of memory
    std::int64_t asked_ = 0;             // for memory, by other streams: so often
    std::shared_ptr<void> next_try_;     // to fetch what others have the memory for
    bool attends_ = false;               // the endpoint's thread does
    bool stopped_ = false;
};

}  // namespace staithe::stream
