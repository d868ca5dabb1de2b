// Which steps a stream has, which reader ranks have been given them, and who may lose them: the director's rules alone.
//
// Events go in as calls; what is to be told to whom comes out as deliveries. There is no clock, thread, lock, log or
// message in it: whoever owns it carries out the deliveries, in their order, before the next event.
//
// A step passes through it like this: every writer rank records its part → complete → announced to all ranks of all
// reader groups → released by each of them → at rest, as long as it is one of those that stay for readers to come →
// freed: all writer ranks may use its memory again.
//
// A group that may lose steps gets a step when it asks for one. Until then its steps wait here, where its overflow
// policy drops them as soon as the queue has no room for one more: so the writer never waits for such a group.
//
// Step numbers and sizes that peers send may be anything. Ranks and members are the owner's own, and must be right.
// No event but a join allocates once the queue has been full.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include <staithe/options.hpp>

#include "stream/directing/overflow.hpp"
#include "stream/directing/queue_limits.hpp"

namespace staithe::stream {

class StepQueue {
  public:
    struct Settings {
        int writers = 1;
        QueueLimits limits;
        Overflow overflow{};  // of the reader groups that are expected, until they have joined
        int expected_readers = 1;
        std::int64_t first_step = 0;
    };
    /// What one writer rank has written in a step.
    struct StepPart {
        std::int64_t data_bytes = 0;
        std::int64_t spilled_bytes = 0;  // of these, on disk
        bool abandoned = false;          // then nobody gets the step
    };
    /// How the first rank of a reader group wants it to be.
    struct GroupWish {
        std::string program{};
        std::string id{};  // tells two groups of one program apart
        int size = 1;
        Overflow overflow{};
        std::int64_t start = start_oldest;
        bool goes_on = false;    // it has read the stream before its writer died
        bool is_inline = false;  // made of the writer ranks themselves
    };

    // What there is, for reports. Nobody but the queue changes it. --------------------------------------------------

    struct Step {
        std::int64_t number = 0;
        int slot = 0;     // no other step has it until this one is freed: for what the owner keeps beside it
        int missing = 0;  // writer ranks that have not spoken of it; 0: it is complete
        bool abandoned = false;
        bool kept = true;       // for the reader groups that are expected and not there
        bool retained = false;  // one of the newest, which stay for readers to come
        bool at_rest = false;   // nobody else has needed it: it takes no room of the queue any more
        int holders = 0;        // reader ranks that have been given it and have not released it
        int pins = 0;           // of these, the ranks of groups that may lose steps
        int waiting = 0;        // groups that will be given it when they ask
        int firm = 0;           // of these, the ones that do not do without it
        std::int64_t data_bytes = 0;
        std::int64_t spilled_bytes = 0;
        std::vector<std::int64_t> bytes_of;  // by writer rank
        Step* next = nullptr;                // the next younger one
        Step* previous = nullptr;
    };
    struct Group {
        struct Place {
            int member = nobody;
            bool came = false;  // somebody there was ready once
        };
        std::int64_t number = 0;  // no other group ever has it
        std::string program;
        std::string id;
        Overflow overflow;
        bool is_inline = false;
        std::vector<Place> places;          // by rank
        int present = 0;                    // places that are taken
        int ready = 0;                      // of these, ranks that are ready
        int came = 0;                       // places where somebody was ready once
        bool active = false;                // all ranks were ready once: steps are announced to it
        bool paused = false;                // from the first of its ranks that pauses to the last that resumes
        std::int64_t start = start_oldest;  // once it is active, a step's number
        std::int64_t none_before = 0;       // ranks of it were told that nothing came before they were all there
        std::int64_t announced = -1;        // the newest step that was
        // Of a group that may lose steps; none wait while it is paused or nobody there is ready:
        std::vector<Step*> waiting;  // steps that it has not been given, oldest first
        bool wants = false;          // a rank of it waits for one
        std::int64_t dropped = 0;
    };
    /// A reader rank.
    struct Member {
        Group* group = nullptr;  // none: nobody has this number
        int rank = 0;
        bool ready = false;       // it has all it needs to read
        std::vector<Step*> held;  // announced to it and not released, in the order of the announcements
        std::int64_t released = 0;
        std::int64_t pauses = 0;
        std::int64_t resumes = 0;
    };
    struct Writer {
        std::int64_t next = 0;  // the step that it is to speak of next
        bool finished = false;
        Step* newest = nullptr;             // the one it spoke of last; not to be looked at once that is complete
        std::int64_t incomplete_bytes = 0;  // of its parts of steps that are not complete
    };
    /// A rank that closed before others had written as many steps: those can never be complete.
    struct Disagreement {
        int rank = 0;
        std::int64_t step = 0;  // the first that it lacks
    };
    static constexpr int nobody = -1;

    // What the owner is to do. --------------------------------------------------------------------------------------

    struct Delivery {
        enum class Kind : std::uint8_t {
            published,  // `step` is complete: write its table; the announcements follow
            skipped,    // `step` was abandoned: tell all reader ranks that they need not wait for any up to it
            announce,   // give `step` to `member`
            at_rest,    // `step` stays for readers to come alone: it counts in no writer rank's queue any more
            freed,      // all writer ranks may use the memory of `step` again
            dropped,    // `count` steps were lost by `group`, or if there is none, by those that are expected
            activated,  // `group` gets steps from now on
            lost,       // tell `member`, or if that is nobody, all writers: no step comes after a loss
            ended,      // tell the same: no step comes
        };
        Kind kind = Kind::published;
        int slot = 0;  // of `step`; what step_in() says of it holds until the next event, even if it has been freed
        int member = nobody;
        std::int64_t step = 0;
        std::int64_t count = 0;
        const Group* group = nullptr;
    };
    /// In order; the owner clears them.
    [[nodiscard]] std::vector<Delivery>& deliveries() { return deliveries_; }

    explicit StepQueue(const Settings& settings);
    StepQueue(const StepQueue&) = delete;
    StepQueue& operator=(const StepQueue&) = delete;

    // What happens: writers. ----------------------------------------------------------------------------------------

    enum class Refusal : std::uint8_t {
        none,
        said_before,     // a step that the rank has spoken of, or after its last one
        out_of_turn,     // a step that it has yet to come to
        too_many_steps,  // more than the queue can hold
        too_many_bytes,  // more than any memory can hold, or fewer than none
    };
    /// What record() would say of it.
    [[nodiscard]] Refusal judge(int rank, std::int64_t number, const StepPart& part) const;
    struct Recorded {
        Refusal refusal = Refusal::none;
        int slot = 0;  // of the step
    };
    /// The rank has ended its part of the step. Each rank speaks of all steps, one after the other.
    Recorded record(int rank, std::int64_t number, const StepPart& part);
    /// The rank writes no more.
    void finished(int rank);
    /// A rank's process may hold no more, whatever the queue has room for: one step is dropped, if any may be lost; at
    /// once, or when that changes.
    void squeeze();
    /// The rank died or cannot go on; false if that is no loss, since it has finished, or another was lost before.
    bool lose_writer(int rank);
    /// No further step comes, because of that rank. Readers are given all that are complete, and then told.
    void give_up(int rank);
    /// The stream ends: readers are given what waits for them. Steps may still be released, and readers still join as
    /// long as steps stay for them.
    void end();

    // What happens: readers. ----------------------------------------------------------------------------------------

    /// The first step that is wanted is gone, and a group that may lose none would miss it: it is not to join.
    [[nodiscard]] bool is_too_late(const GroupWish& wish) const;
    /// The member, which has a number that nobody else has now, takes its place in a group. Numbers are small: there is
    /// a table of them.
    const Group& join(const GroupWish& wish, int rank, int member);
    void ready(int member);
    /// Nothing more is announced to it.
    void detach(int member);
    /// It has gone, and holds nothing any more.
    void leave(int member);
    /// False if it does not hold the step: said twice, or never announced.
    bool release(int member, std::int64_t number);
    /// A rank of a group that may lose steps waits for the step, or any after it.
    void want(int member, std::int64_t number);
    /// A step that was announced before the group followed the latest one, and that was not taken.
    void hand_back(int member, std::int64_t number);
    void pause(int member);
    void resume(int member);
    /// The group's policy is "latest" from now on.
    void follow_latest(int member);

    /// There is no memory for all that stay: the oldest of these go, until one is freed. False if none is; the newest
    /// stays.
    bool let_oldest_go();

    // Questions. ----------------------------------------------------------------------------------------------------

    [[nodiscard]] const Step* oldest() const { return first_; }  // of those that are not freed; go on by `next`
    [[nodiscard]] const Step& step_in(int slot) const { return slots_[static_cast<std::size_t>(slot)]; }
    /// The oldest one that not all writer ranks have ended, if any.
    [[nodiscard]] const Step* oldest_incomplete() const { return first_incomplete_; }
    [[nodiscard]] const std::list<Group>& groups() const { return groups_; }
    [[nodiscard]] const Member& member(int number) const { return members_[static_cast<std::size_t>(number)]; }
    [[nodiscard]] const Writer& writer(int rank) const { return writers_[static_cast<std::size_t>(rank)]; }
    /// That the rank has written in the newest step that was published.
    [[nodiscard]] std::int64_t newest_bytes(int rank) const { return newest_bytes_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] bool has_ended_step(int rank, std::int64_t step) const { return writer(rank).next > step; }
    /// After the newest one that is complete: to be marked once its announcements are out.
    [[nodiscard]] std::int64_t next_step() const { return next_step_; }
    /// The number of the oldest step that a reader could still get, or of the next one.
    [[nodiscard]] std::int64_t oldest_step() const;
    [[nodiscard]] int steps() const { return complete_steps_ + incomplete_steps(); }
    [[nodiscard]] int complete_steps() const { return complete_steps_; }
    /// Of these, the ones that take no room.
    [[nodiscard]] int steps_at_rest() const { return steps_at_rest_; }
    /// Complete steps that go with the stream if it ends now, since the readers that they are kept for have not come.
    [[nodiscard]] std::int64_t unread() const;
    /// Steps that reader groups have lost, summed over the groups.
    [[nodiscard]] std::int64_t dropped() const { return dropped_; }
    [[nodiscard]] int groups_seen() const { return groups_seen_; }  // that were active once
    [[nodiscard]] bool all_expected_came() const { return groups_seen_ >= settings_.expected_readers; }
    [[nodiscard]] bool all_finished() const { return finished_writers_ == settings_.writers; }
    [[nodiscard]] std::optional<int> lost_writer() const { return lost_writer_; }
    [[nodiscard]] bool ended() const { return ended_; }
    [[nodiscard]] std::optional<Disagreement> disagreement() const;

  private:
    using Kind = Delivery::Kind;

    // Steps (step_queue.cpp).
    [[nodiscard]] int incomplete_steps() const { return static_cast<int>(next_unspoken_ - next_incomplete_); }
    Step& append_step();
    void complete(Step& step);
    void publish(Step& step);
    /// No step comes any more.
    [[nodiscard]] bool is_over() const { return lost_writer_ || ended_; }
    void announce(Step& step, Group& group);
    void let_go(Step& step, const Group& group);
    void retain(Step& step);
    void stop_retaining_oldest();
    /// Frees the step if nobody needs it any more.
    void settle(Step& step);
    void lay_to_rest(Step& step);
    void leave_queue(const Step& step);
    void settle_all();
    void deliver(Kind kind, const Step& step, int member = nobody);

    // Reader groups (step_queue_groups.cpp).
    [[nodiscard]] Member& member_of(int number) { return members_[static_cast<std::size_t>(number)]; }
    [[nodiscard]] bool is_gone(std::int64_t step) const;
    [[nodiscard]] std::int64_t start_of(const GroupWish& wish) const;
    Group& find_forming_group(const GroupWish& wish, int rank);
    void activate_if_ready(Group& group);
    void tell_of_end(Group& group);
    void set_ready(Member& member, bool ready);
    void find_whether_paused(Group& group) const;

    // What becomes of steps that groups do not take in time (step_queue_overflow.cpp).
    void offer(Step& step, Group& group);
    void balance();
    void make_room();
    void serve(Group& group);
    [[nodiscard]] bool may_be_given(const Step& step);
    void give_oldest(Group& group);
    [[nodiscard]] bool must_miss(const Overflow& overflow, std::int64_t step) const;
    [[nodiscard]] bool has_room() const;
    [[nodiscard]] bool leaves_room(const std::vector<std::int64_t>& bytes_of, std::int64_t steps,
                                   const Step* another) const;
    [[nodiscard]] bool is_kept(const Step& step) const { return step.kept && !all_expected_came(); }
    void relieve();
    [[nodiscard]] bool may_drop(const Step& step) const;
    [[nodiscard]] bool could_have_been_missed(const Step& step) const;
    void drop(Step& step);
    void stop_keeping(Step& step);
    void pin(Step& step);
    void unpin(Step& step);
    void add_waiting(Group& group, Step& step);
    void withdraw(Group& group, std::vector<Step*>::iterator place);
    void withdraw_all_but(std::size_t left, Group& group, bool as_dropped);
    void withdraw_all(Group& group, bool as_dropped) { withdraw_all_but(0, group, as_dropped); }
    void count_drops(Group* group, std::int64_t steps);

    const Settings settings_;
    const QueueLimits limits_of_rank_;
    const std::int64_t most_bytes_;  // of one rank: so that no sum of sizes overflows
    std::vector<Delivery> deliveries_;

    std::deque<Step> slots_;
    Step* spare_ = nullptr;  // freed ones, by `next`
    Step* first_ = nullptr;  // of those that are not freed
    Step* last_ = nullptr;
    Step* first_incomplete_ = nullptr;  // all after it are incomplete, too: ranks speak of one step after the other
    std::int64_t next_incomplete_;      // its number
    std::int64_t next_unspoken_;        // of which nobody has spoken
    std::int64_t next_step_;            // that a reader can get, or that is skipped
    std::int64_t newest_gone_;          // published, and freed
    int complete_steps_ = 0;            // that are not freed
    int steps_at_rest_ = 0;             // of these
    Step* first_retained_ = nullptr;    // all complete ones after it are, too
    std::int64_t retained_steps_ = 0;
    std::int64_t retained_bytes_ = 0;
    bool squeezed_ = false;  // since the last one was freed

    std::vector<Writer> writers_;
    int finished_writers_ = 0;
    std::optional<Disagreement> first_to_finish_;  // the rank with the fewest steps of those that have finished
    std::optional<int> lost_writer_;
    bool ended_ = false;

    std::vector<Member> members_;  // by number
    std::list<Group> groups_;
    std::int64_t groups_founded_ = 0;
    int groups_seen_ = 0;
    int lossy_groups_ = 0;  // that may lose steps
    std::int64_t dropped_ = 0;
    std::int64_t dropped_for_expected_ = 0;

    // By writer rank, so that the question for room costs no look at any step:
    std::vector<std::int64_t> newest_bytes_;  // of the newest step that was published: the next will be like it
    std::vector<std::int64_t> queued_bytes_;  // of complete steps that are not at rest
    std::vector<std::int64_t> pinned_bytes_;  // of steps that groups hold which may lose steps
    int pinned_steps_ = 0;
    struct RoomBesidePinned {
        const Step* another = nullptr;
        bool is_left = false;
    };
    std::optional<RoomBesidePinned> room_beside_pinned_;  // what was found last, while it holds
};

/// Why the queue does not take a part of a step, for people.
[[nodiscard]] const char* to_string(StepQueue::Refusal refusal);

}  // namespace staithe::stream
