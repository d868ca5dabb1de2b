#include "stream/wait_circles.hpp"

#include <algorithm>
#include <set>

namespace staithe::stream {
namespace {

bool holds_up(const NotedWait& wait, const std::string& stream) {
    return std::find(wait.held_up.begin(), wait.held_up.end(), stream) != wait.held_up.end();
}

class Search {
  public:
    Search(const std::vector<NotedWait>& waits, const NotedWait& start) : waits_(waits), path_{&start} {}

    /// Whether the last wait of the path needs somebody who is stuck.
    bool is_stuck() {
        const NotedWait& wait = *path_.back();
        return (wait.for_absent && all_are_stuck(those_to_open(wait.stream))) ||
               std::any_of(wait.on.begin(), wait.on.end(),
                           [&](int process) { return all_are_stuck(waits_of(process, wait.stream)); });
    }
    /// From the start back to it, once that has been found stuck; empty if it waits for a circle that it is not in.
    [[nodiscard]] const std::vector<const NotedWait*>& circle() const { return circle_; }

  private:
    bool all_are_stuck(const std::vector<const NotedWait*>& waits) {
        return !waits.empty() && std::all_of(waits.begin(), waits.end(), [&](const NotedWait* wait) {
            if (std::find(path_.begin(), path_.end(), wait) != path_.end()) {
                if (wait == path_.front() && circle_.empty()) {
                    circle_ = path_;
                }
                return true;
            }
            path_.push_back(wait);
            const bool stuck = is_stuck();
            path_.pop_back();
            return stuck;
        });
    }

    /// The waits that hold the stream up in a process; none if it can still act there.
    [[nodiscard]] std::vector<const NotedWait*> waits_of(int process, const std::string& stream) const {
        std::vector<const NotedWait*> found;
        for (const NotedWait& wait : waits_) {
            if (wait.who.pid == process && holds_up(wait, stream)) {
                found.push_back(&wait);
            }
        }
        return found;
    }

    /// The waits of all the processes that are to open the stream; none if one of them does not wait.
    [[nodiscard]] std::vector<const NotedWait*> those_to_open(const std::string& stream) const {
        std::vector<const NotedWait*> found;
        std::set<int> processes;
        int ranks = 0;
        for (const NotedWait& wait : waits_) {
            if (const auto unopened = wait.unopened.find(stream); unopened != wait.unopened.end()) {
                found.push_back(&wait);
                processes.insert(wait.who.pid);
                ranks = std::max(ranks, unopened->second);
            }
        }
        return static_cast<int>(processes.size()) < ranks ? std::vector<const NotedWait*>() : found;
    }

    const std::vector<NotedWait>& waits_;
    std::vector<const NotedWait*> path_;
    std::vector<const NotedWait*> circle_;
};

}  // namespace

std::vector<const NotedWait*> find_circle(const std::vector<NotedWait>& waits, const std::string& id) {
    const auto own = std::find_if(waits.begin(), waits.end(), [&](const NotedWait& wait) { return wait.id == id; });
    if (own == waits.end()) {
        return {};
    }
    Search search(waits, *own);
    return search.is_stuck() ? search.circle() : std::vector<const NotedWait*>();
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
