// A naive model of StepQueue: makes random events of numbers, and says which rule a delivery breaks.
//
// It knows sets of steps, ranks and groups, from the events and the deliveries alone, and looks at all of them after
// each event. It does not choose what is dropped: it says what may be, and that it is counted.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stream/directing/step_queue.hpp"

namespace staithe::testing {

using stream::Overflow;
using stream::StepQueue;

using Numbers = std::set<std::int64_t>;

/// A number that says what happens: its digits, in changing bases.
class Choice {
  public:
    explicit Choice(std::uint64_t digits) : digits_(digits) {}
    std::uint64_t below(std::uint64_t base) {
        const std::uint64_t digit = digits_ % base;
        digits_ /= base;
        return digit;
    }
    template <class Values>
    auto among(const Values& values) {
        return *std::next(values.begin(), static_cast<std::ptrdiff_t>(below(values.size())));
    }

  private:
    std::uint64_t digits_;
};

StepQueue::Settings settings_at_random(Choice& choice);

/// What the model knows of a step, a reader rank and a group: from the events and the deliveries alone.
struct KnownStep {
    std::vector<std::int64_t> bytes;  // by rank, of those that have spoken
    bool abandoned = false;
    bool published = false;
    bool freed = false;
    std::set<int> holders{};
};
struct KnownMember {
    std::int64_t group = 0;
    int rank = 0;
    bool ready = false;
    std::int64_t last = -1;  // that it was given, and has not handed back
    int pauses = 0;
    int resumes = 0;
    bool reads_no_more = false;  // it was told of a loss or the end
};
struct KnownGroup {
    StepQueue::GroupWish wish;
    std::set<int> came{};  // ranks
    std::set<int> members{};
    bool active = false;
    bool wants = false;
    std::int64_t none_before = 0;  // that step
    std::int64_t announced = -1;
    Numbers owed{};  // steps that it waits for
    std::int64_t dropped = 0;
};

class Model {
  public:
    explicit Model(const StepQueue::Settings& settings) : settings_(settings), queue_(settings) {
        next_.assign(static_cast<std::size_t>(settings.writers), settings.first_step);
        newest_.assign(next_.size(), 0);
        finished_.assign(next_.size(), false);
    }

    /// Lets that happen; what should not have followed, or nothing.
    std::string happen(std::uint64_t number);
    [[nodiscard]] const std::string& what() const { return what_; }

  private:
    void check(bool holds, std::string_view rule) {
        if (!holds && broken_.empty()) {
            broken_ = rule;
        }
    }

    // Events.
    void write(Choice& choice);
    void say_nonsense(Choice& choice);
    void join(Choice& choice);
    void use(int number, Choice& choice);
    void leave(int number);
    void activate(KnownGroup& group, std::int64_t number);

    // Rules.
    void look_at(const StepQueue::Delivery& delivery);
    void look_at_announcement(std::int64_t number, int to);
    void look_at_drop(const StepQueue::Delivery& delivery);
    void look_at_all();
    void look_at(const StepQueue::Group& seen);

    [[nodiscard]] bool is_lossless(const KnownGroup& group) const { return group.wish.overflow.is_lossless(); }
    [[nodiscard]] bool is_paused(const KnownGroup& group) const {
        int pauses = 0;
        int resumes = INT32_MAX;
        for (const int member : group.members) {
            pauses = std::max(pauses, members_.at(member).pauses);
            resumes = std::min(resumes, members_.at(member).resumes);
        }
        return resumes < pauses;
    }
    [[nodiscard]] std::set<int> ready_ranks(const KnownGroup& group) const {
        std::set<int> ready;
        std::ranges::copy_if(group.members, std::inserter(ready, ready.end()),
                             [&](int member) { return members_.at(member).ready; });
        return ready;
    }
    [[nodiscard]] bool takes_steps(const KnownGroup& group) const {
        return group.active && !is_paused(group) && !ready_ranks(group).empty();
    }
    /// The steps that are complete and not freed.
    [[nodiscard]] Numbers there() const {
        Numbers numbers;
        for (const auto& [number, step] : steps_) {
            if (step.published && !step.freed) {
                numbers.insert(number);
            }
        }
        return numbers;
    }
    [[nodiscard]] bool leaves_room(const Numbers& numbers) const {
        const stream::QueueLimits part = settings_.limits.part_of_rank(settings_.writers);
        for (std::size_t rank = 0; rank < next_.size(); ++rank) {
            std::int64_t bytes = 0;
            for (const std::int64_t number : numbers) {
                bytes += steps_.at(number).bytes[rank];
            }
            if (!part.admit(static_cast<std::int64_t>(numbers.size()), bytes, newest_[rank])) {
                return false;
            }
        }
        return true;
    }
    /// The steps that ranks hold whose groups may lose steps.
    [[nodiscard]] Numbers pinned() const {
        Numbers numbers;
        for (const auto& [number, step] : steps_) {
            if (std::ranges::any_of(step.holders,
                                    [&](int member) { return !is_lossless(groups_.at(members_.at(member).group)); })) {
                numbers.insert(number);
            }
        }
        return numbers;
    }
    [[nodiscard]] bool may_be_kept() const { return seen_ < settings_.expected_readers; }

    const StepQueue::Settings settings_;
    StepQueue queue_;
    std::string what_;    // happened last
    std::string broken_;  // the first rule

    std::vector<std::int64_t> next_, newest_;  // by writer rank: step to come, bytes of the newest published
    std::vector<bool> finished_;
    std::map<std::int64_t, KnownStep> steps_;
    std::map<int, KnownMember> members_;
    std::map<std::int64_t, KnownGroup> groups_;
    int seen_ = 0;
    bool lost_ = false, ended_ = false;
    std::int64_t dropped_ = 0, expected_dropped_ = 0, unkept_ = 0;
    // Of the event that is looked at:
    bool drops_are_free_ = false;                     // some are not for want of room
    std::map<std::int64_t, std::int64_t> withdrawn_;  // by group: it gave up what it waited for
    std::map<std::int64_t, std::int64_t> lost_now_;   // by group
    std::map<std::pair<std::int64_t, std::int64_t>, std::set<int>> given_now_;  // by group and step
};

}  // namespace staithe::testing
