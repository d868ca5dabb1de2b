#include "array/race.hpp"

namespace staithe::array {

int RaceRound::way() const {
    const int place = turn_ % ways_;
    const bool forwards = turn_ / ways_ % 2 == 0;
    return forwards ? place : ways_ - 1 - place;
}

void RaceRound::record(double time) {
    times_.at(static_cast<std::size_t>(way())).at(static_cast<std::size_t>(turn_ / ways_)) = time;
    ++turn_;
}

double RaceRound::median(int way) const {
    auto times = times_.at(static_cast<std::size_t>(way));
    std::sort(times.begin(), times.end());
    return times[laps / 2];
}

int RaceRound::winner() const {
    int best = 0;
    for (int way = 1; way < ways_; ++way) {
        if (median(way) < median(best)) {
            best = way;
        }
    }
    return best;
}

bool Race::finish_round() {
    const int winner = round_.winner();
    const bool changed = winner_.exchange(winner, std::memory_order_relaxed) != winner;
    round_ = RaceRound(ways_);
    // What was measured at first need not hold later: a reader has joined, memory is warm.
    constexpr std::int64_t growth = 4;
    until_round_.store(pause_, std::memory_order_relaxed);
    pause_ *= growth;
    return changed;
}

}  // namespace staithe::array
