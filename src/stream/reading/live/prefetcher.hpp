// What the steps to come will be asked for, fetched by a thread while the program is busy with the one that it has.
//
// What was fetched of two steps one after the other is taken to be fetched of the next ones, too, unless the program
// asks for it so soon that there is nothing to gain, and the way is short. Where the source takes orders, the next ones
// are placed while the first is awaited; who wants one of them waits for those before it, too. The bytes of
// steps that the program has not taken, there or under way, are claimed from the budget of this process (the limit
// `prefetch`); where that has no room nothing is fetched ahead. Thread-safe. What it is told of a step ends with
// `forget`.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include <staithe/array_view.hpp>

#include "base/budget.hpp"
#include "base/deadline.hpp"
#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "os/fork.hpp"
#include "store/block_source.hpp"
#include "stream/reading/fetched_memory.hpp"

namespace staithe::stream::live {

class Prefetcher {
  public:
    /// Of these blocks, which outlive it.
    Prefetcher(store::BlockSource& blocks, std::shared_ptr<FetchedMemory> memory)
        : blocks_(blocks), memory_(std::move(memory)) {}
    /// Ends what is under way, without waiting for it longer than a moment.
    ~Prefetcher();
    Prefetcher(const Prefetcher&) = delete;
    Prefetcher& operator=(const Prefetcher&) = delete;

    /// The program has taken that step: what comes of it counts as its own.
    void begin(std::int64_t step);
    /// That step will come next, or after others that were expected; or it was begun, and later ones will be expected,
    /// which come behind it.
    void expect(std::int64_t step, std::span<const store::BlockRef> refs);
    /// The step was given back.
    void forget(std::int64_t step);

    /// As of the blocks themselves.
    base::Result<> fetch(std::int64_t step, std::span<const store::BlockRef> refs, std::span<const store::Piece> pieces,
                         const MutableArrayView& destination);
    /// A piece in the order of its block, with the memory that it was fetched into; nothing if it was not.
    struct Fetched {
        ArrayView array;
        std::shared_ptr<std::byte[]> memory;
    };
    std::optional<Fetched> take(std::int64_t step, const store::Piece& piece);

  private:
    /// What the program fetches of each step.
    struct Habit {
        std::vector<store::BlockDescription> descriptions;
        std::vector<store::Piece> pieces;  // which name those
        MutableArrayView shape;            // of the destination, dense, without memory
        std::int64_t bytes = 0;
        std::int64_t last = 0;  // step of those that were begun, by count
        int in_a_row = 1;       // of these
        base::Seconds time{};   // that it took last

        [[nodiscard]] bool is_for(std::span<const store::Piece> wanted, const MutableArrayView& destination) const;
    };
    struct Job {
        std::int64_t step = 0;
        std::shared_ptr<const Habit> habit;
        std::vector<store::BlockRef> refs;
        std::shared_ptr<std::byte[]> memory;
        base::Claim claim;
        std::unique_ptr<store::Order> order;  // placed; null where it is fetched when it is its turn
        base::Clock::time_point asked_since{};
        enum class State : std::uint8_t { waits, runs, done, failed } state = State::waits;

        [[nodiscard]] MutableArrayView destination() const;
    };

    using Jobs = std::deque<std::shared_ptr<Job>>;

    void run();
    void ask_ahead(Jobs& asked, std::unique_lock<std::mutex>& lock);
    base::Result<> await(Jobs& asked);
    /// Whether nothing of other steps comes before it.
    [[nodiscard]] bool is_next(Jobs::const_iterator job) const;
    void drop(base::FunctionRef<bool(const Job&)> which);
    /// The one that is done, once it is; null if there is none, or it failed. Takes it off the list.
    std::shared_ptr<Job> job_for(std::int64_t step, std::span<const store::Piece> pieces,
                                 const MutableArrayView& destination);
    void learn(std::span<const store::Piece> pieces, const MutableArrayView& destination, base::Seconds time);

    store::BlockSource& blocks_;
    const std::shared_ptr<FetchedMemory> memory_;
    const os::Home home_;  // a forked child has no such thread, and maybe its lock for ever

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::shared_ptr<Habit>> habits_;
    Jobs jobs_;                           // in the order in which they are asked for
    std::int64_t begun_ = 0;              // steps, by count
    std::int64_t at_hand_ = -1;           // the step that was begun last
    base::Clock::time_point last_use_{};  // the end of the last fetch
    base::Seconds busy_{};                // for how long the program did without, before it fetched of a new step
    bool has_fetched_ = false;            // of the step that was begun last
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace staithe::stream::live
