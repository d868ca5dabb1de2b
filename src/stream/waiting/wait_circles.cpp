#include "stream/waiting/wait_circles.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

namespace staithe::stream {
namespace {

bool holds_up(const NotedWait& wait, const std::string& stream) {
    return std::find(wait.held_up.begin(), wait.held_up.end(), stream) != wait.held_up.end();
}

/// The waits that a wait can lead to, and which of them will never end.
class Graph {
  public:
    Graph(WaitingNotes& notes, const NotedWait& start) : notes_(notes), start_(&start) {
        add(start_);
        while (remove_those_that_end()) {
        }
    }

    /// The shortest way from the start back to it, among those that never end.
    [[nodiscard]] std::vector<const NotedWait*> circle() const {
        std::map<const NotedWait*, const NotedWait*> came_from;
        std::deque<const NotedWait*> front;
        if (stuck_.contains(start_)) {
            front.push_back(start_);
        }
        for (; !front.empty(); front.pop_front()) {
            for (const NotedWait* next : stuck_next(front.front())) {
                if (next == start_) {
                    return way_to(front.front(), came_from);
                }
                if (came_from.emplace(next, front.front()).second) {
                    front.push_back(next);
                }
            }
        }
        return {};
    }

  private:
    using Waits = std::vector<const NotedWait*>;

    /// With all that it leads to.
    void add(const NotedWait* first) {
        std::deque<const NotedWait*> front{first};
        stuck_.insert(first);
        for (; !front.empty(); front.pop_front()) {
            for (const Waits& needed : needs_[front.front()] = needs_of(*front.front())) {
                for (const NotedWait* wait : needed) {
                    if (stuck_.insert(wait).second) {
                        front.push_back(wait);
                    }
                }
            }
        }
    }

    /// For each of those who must act, the waits that keep it from that; none if it may still act.
    std::vector<Waits> needs_of(const NotedWait& wait) {
        std::vector<Waits> needs;
        for (const int process : wait.on) {
            auto waits = notes_of([&] { return notes_.of_process(process); });
            std::erase_if(waits, [&](const NotedWait* other) { return !holds_up(*other, wait.stream); });
            needs.push_back(std::move(waits));
        }
        if (wait.absent != Awaited::Absent::nobody) {
            needs.push_back(those_to_open(
                wait.stream, wait.absent == Awaited::Absent::writers ? &NotedWait::to_write : &NotedWait::to_read));
        }
        return needs;
    }

    /// The waits of all the processes that are to open the stream; none if one of them does not wait.
    Waits those_to_open(const std::string& stream, std::map<std::string, int> NotedWait::* unopened) {
        auto waits = notes_of([&] { return notes_.all(); });
        std::erase_if(waits, [&](const NotedWait* wait) { return !(wait->*unopened).contains(stream); });
        std::set<int> processes;
        std::size_t ranks = 0;
        for (const NotedWait* wait : waits) {
            processes.insert(wait->who.pid);
            ranks = std::max(ranks, static_cast<std::size_t>((wait->*unopened).at(stream)));
        }
        return processes.size() < ranks ? Waits() : waits;
    }

    /// The start is known better than from its note.
    template <class Read>
    Waits notes_of(Read&& read) {
        Waits waits = read();
        std::replace_if(
            waits.begin(), waits.end(), [&](const NotedWait* wait) { return wait->id == start_->id; }, start_);
        return waits;
    }

    [[nodiscard]] bool is_stuck(const Waits& needed) const {
        return !needed.empty() &&
               std::all_of(needed.begin(), needed.end(), [&](const NotedWait* wait) { return stuck_.contains(wait); });
    }

    bool remove_those_that_end() {
        return std::erase_if(stuck_, [&](const NotedWait* wait) {
                   const auto& needs = needs_.at(wait);
                   return std::none_of(needs.begin(), needs.end(),
                                       [&](const Waits& needed) { return is_stuck(needed); });
               }) > 0;
    }

    [[nodiscard]] Waits stuck_next(const NotedWait* wait) const {
        Waits next;
        for (const Waits& needed : needs_.at(wait)) {
            if (is_stuck(needed)) {
                next.insert(next.end(), needed.begin(), needed.end());
            }
        }
        return next;
    }

    [[nodiscard]] Waits way_to(const NotedWait* last,
                               const std::map<const NotedWait*, const NotedWait*>& came_from) const {
        Waits way{last};
        while (way.back() != start_) {
            way.push_back(came_from.at(way.back()));
        }
        std::reverse(way.begin(), way.end());
        return way;
    }

    WaitingNotes& notes_;
    const NotedWait* const start_;
    std::map<const NotedWait*, std::vector<Waits>> needs_;
    std::set<const NotedWait*> stuck_;  // as far as known
};

}  // namespace

std::vector<const NotedWait*> find_circle(WaitingNotes& notes, const NotedWait& own) {
    return Graph(notes, own).circle();
}

std::string describe_circle(const std::vector<const NotedWait*>& circle) {
    std::string steps;
    for (const NotedWait* wait : circle) {
        steps += (steps.empty() ? "" : "; ") + to_string(*wait);
    }
    return circle.size() == 1
               ? steps +
                     ". That is itself, so it would wait for ever: let it read, or drop views, before it writes on; "
                     "or raise queue_steps"
               : "programs wait for each other in a circle: " + steps +
                     ". None of them can go on: let one of them write before it reads, or raise queue_steps so that "
                     "writers get ahead of readers";
}

}  // namespace staithe::stream
