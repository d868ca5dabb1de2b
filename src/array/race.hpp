// Several ways to do the same, of which the fastest here and now is found by timing them at work.
//
// Now and then, at first and then ever less often, work is cut into pieces which the ways do in turn. Whoever has the
// best median does all work until the next round. So nothing is done that was not asked for, no memory is needed to try
// things in, and what is timed is what happens: with these caches, this peer, this neighbour on the machine.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace staithe::array {

/// The turns of one round: each way has several, forwards and backwards in turn, so that none always follows the same
/// other.
class RaceRound {
  public:
    static constexpr int most_ways = 16;
    static constexpr int laps = 3;

    explicit RaceRound(int ways) : ways_(ways) {}
    [[nodiscard]] bool over() const { return turn_ == ways_ * laps; }
    /// Whose turn it is.
    [[nodiscard]] int way() const;
    /// What this turn's work took, by the byte.
    void record(double time);
    /// Who has the least median, once the round is over.
    [[nodiscard]] int winner() const;
    [[nodiscard]] double median(int way) const;

  private:
    int ways_;
    int turn_ = 0;
    std::array<std::array<double, laps>, most_ways> times_{};
};

class Race {
  public:
    explicit Race(int ways) : ways_(ways), round_(ways) {}

    /// Has `work(way, first, count)` do `items` things of so many bytes each, in pieces if they are timed. Threads that
    /// come while another is timed do as the last winner did. Says whether there is a new winner.
    template <class Work>
    bool run(std::int64_t items, std::int64_t item_bytes, const Work& work) {
        if (const std::int64_t left = until_round_.load(std::memory_order_relaxed); left > 0) {
            until_round_.store(left - 1, std::memory_order_relaxed);  // that threads lose some counts does no harm
        } else if (const std::unique_lock lock(mutex_, std::try_to_lock); lock) {
            const std::int64_t piece = std::max<std::int64_t>(1, piece_bytes / item_bytes);
            std::int64_t first = 0;
            // A last piece that is short would tell little.
            for (; !round_.over() && (first + piece <= items || first == 0); first += piece) {
                const std::int64_t count = std::min(piece, items - first);
                const auto began = std::chrono::steady_clock::now();
                work(round_.way(), first, count);
                const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
                round_.record(took.count() / static_cast<double>(count * item_bytes));
            }
            const bool decided = round_.over() && finish_round();
            if (first < items) {
                work(winner(), first, items - first);
            }
            return decided;
        }
        work(winner(), std::int64_t{0}, items);
        return false;
    }

    [[nodiscard]] int winner() const { return winner_.load(std::memory_order_relaxed); }

  private:
    // Long enough for its time to be exact, short enough for a step of 64 MiB to try all ways.
    static constexpr std::int64_t piece_bytes = std::int64_t{1} << 20;
    static constexpr std::int64_t first_pause = 16;  // calls

    bool finish_round();

    const int ways_;
    std::atomic<std::int64_t> until_round_{0};
    std::atomic<int> winner_{0};
    std::mutex mutex_;
    std::int64_t pause_ = first_pause;
    RaceRound round_;
};

}  // namespace staithe::array
