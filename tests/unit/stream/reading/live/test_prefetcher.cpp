#include "stream/reading/live/prefetcher.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <staithe/limits.hpp>

#include "support/watchdog.hpp"

namespace staithe::stream::live {
namespace {

constexpr std::int64_t items = 64 << 10;

/// Blocks of one value each, the offset of their refs, which take a while to come.
class SlowBlocks final : public store::BlockSource {
  public:
    base::Result<> fetch(std::span<const store::BlockRef> refs, std::span<const store::Piece> pieces,
                         const MutableArrayView& destination) override {
        const auto until = base::Clock::now() + takes.load();  // before it counts as begun: the test changes it then
        ++begun;
        if (out_of_memory) {
            throw std::bad_alloc();
        }
        note_pause();
        while (base::Clock::now() < until && !stopped) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        {
            const std::lock_guard lock(mutex_);
            fetched_.push_back(refs[pieces.front().block].offset);
            ended_ = base::Clock::now();
        }
        ++fetches;
        std::memset(destination.data, static_cast<int>(refs[pieces.front().block].offset), items);
        return stopped ? base::fail(ErrorCode::timeout, "stopped") : base::Result<>();
    }
    /// Takes some, if it is told to.
    std::unique_ptr<store::Order> order(std::span<const store::BlockRef> refs, std::span<const store::Piece> pieces,
                                        const MutableArrayView& destination) override {
        class Ordered final : public store::Order {
          public:
            Ordered(SlowBlocks& blocks, std::span<const store::BlockRef> refs, std::span<const store::Piece> pieces,
                    const MutableArrayView& destination)
                : blocks_(blocks), refs_(refs), pieces_(pieces), destination_(destination) {
                blocks_.most_ordered = std::max(blocks_.most_ordered.load(), ++blocks_.ordered);
            }
            ~Ordered() override { --blocks_.ordered; }
            base::Result<> await(base::FunctionRef<void()> meanwhile) override {
                meanwhile();
                auto fetched = blocks_.fetch(refs_, pieces_, destination_);
                meanwhile();
                return fetched;
            }

          private:
            SlowBlocks& blocks_;
            const std::span<const store::BlockRef> refs_;
            const std::span<const store::Piece> pieces_;
            const MutableArrayView destination_;
        };
        if (out_of_memory) {
            throw std::bad_alloc();
        }
        return takes_orders ? std::make_unique<Ordered>(*this, refs, pieces, destination) : nullptr;
    }
    [[nodiscard]] base::Seconds delay() const override { return way.load(); }
    void stop() override { stopped = true; }
    /// Which steps came, in that order.
    std::vector<std::int64_t> fetched() {
        const std::lock_guard lock(mutex_);
        return fetched_;
    }

    /// Since this was asked last, the longest time between the end of a fetch and the begin of the next one.
    base::Seconds longest_pause() {
        const std::lock_guard lock(mutex_);
        return std::exchange(longest_pause_, {});
    }

    std::atomic<bool> takes_orders{false};
    std::atomic<bool> out_of_memory{false};
    std::atomic<int> ordered{0};  // and not awaited yet
    std::atomic<int> most_ordered{0};
    std::atomic<base::Seconds> way{};

    std::atomic<base::Clock::duration> takes{std::chrono::milliseconds(2)};
    std::atomic<int> begun{0};
    std::atomic<int> fetches{0};
    std::atomic<bool> stopped{false};

  private:
    void note_pause() {
        const std::lock_guard lock(mutex_);
        if (ended_ != base::Clock::time_point()) {
            longest_pause_ = std::max(longest_pause_, base::Seconds(base::Clock::now() - ended_));
        }
    }

    std::mutex mutex_;
    std::vector<std::int64_t> fetched_;
    base::Clock::time_point ended_{};
    base::Seconds longest_pause_{};
};

class PrefetcherTest : public ::testing::Test {
  protected:
    std::vector<store::BlockRef> refs(std::int64_t step) const { return {{.offset = step, .bytes = items}}; }
    /// The program takes a step, while the next one is there already, and fetches it; then it computes.
    std::uint8_t read(std::int64_t step) {
        begin(step);
        const auto began = base::Clock::now();
        const std::uint8_t got = fetch(step);
        compute_since(began);
        return got;
    }
    std::uint8_t fetch(std::int64_t step) {
        std::vector<std::uint8_t> got(items);
        EXPECT_TRUE(prefetcher_.fetch(step, refs(step), std::span(&piece_, 1), view_of(got)));
        return got.back();
    }
    /// For longer than what was fetched since then took, though that was kept waiting for a core.
    static void compute_since(base::Clock::time_point began) {
        std::this_thread::sleep_for(base::Clock::now() - began + std::chrono::milliseconds(10));
    }
    void begin(std::int64_t step) {
        prefetcher_.begin(step);
        prefetcher_.expect(step + 1, refs(step + 1));
    }
    /// The program does nothing but fetch these steps.
    void fetch_at_once(std::int64_t first, std::int64_t last) {
        for (std::int64_t step = first; step < last; ++step) {
            begin(step);
            fetch(step);
        }
    }
    static MutableArrayView view_of(std::vector<std::uint8_t>& values) {
        return MutableArrayView::row_major(values.data(), Dtype::u8, {items});
    }

    testing::Watchdog watchdog_;
    SlowBlocks blocks_;
    store::BlockDescription block_{
        .variable = "n", .shape = {items}, .box = {{0}, {items}}, .unit = {}, .attributes = {}};
    store::Piece piece_{0, &block_, {Box::whole({items}), Selection::all({items})}};
    Prefetcher prefetcher_{blocks_, std::make_shared<FetchedMemory>()};
};

TEST_F(PrefetcherTest, FetchesAheadWhatIsReadOfEveryStep) {
    for (std::int64_t step = 0; step < 4; ++step) {
        EXPECT_EQ(read(step), step);
    }
    while (blocks_.begun < 5) {
        std::this_thread::yield();
    }
    // Two steps tell what will be read; the fourth was there before it was asked for, as the fifth is now.
    const auto fetched = prefetcher_.take(4, piece_);
    ASSERT_TRUE(fetched);
    EXPECT_EQ(static_cast<const std::uint8_t*>(fetched->array.data)[items - 1], 4);
    EXPECT_FALSE(prefetcher_.take(4, piece_)) << "it is given once";
    EXPECT_EQ(blocks_.fetches, 5) << "each once";
}

TEST_F(PrefetcherTest, OrdersTheNextStepsWhileTheFirstIsAwaited) {
    blocks_.takes_orders = true;
    for (std::int64_t step = 0; step < 6; ++step) {
        prefetcher_.expect(step + 1, refs(step + 1));
        prefetcher_.expect(step + 2, refs(step + 2));
        EXPECT_EQ(read(step), step);
    }
    EXPECT_GE(blocks_.most_ordered, 2);
}

TEST_F(PrefetcherTest, FetchesTheStepThatWasBegunAheadOfTheNextOne) {
    blocks_.takes_orders = true;
    for (std::int64_t step = 0; step < 6; ++step) {
        prefetcher_.begin(step);
        prefetcher_.expect(step, refs(step));
        prefetcher_.expect(step + 1, refs(step + 1));
        const auto began = base::Clock::now();
        EXPECT_EQ(fetch(step), step);
        compute_since(began);
    }
    while (blocks_.fetches < 7) {
        std::this_thread::yield();
    }
    EXPECT_EQ(blocks_.fetched(), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6})) << "each once, one after the other";
}

TEST_F(PrefetcherTest, FetchesAheadForABusyReaderWhereTheWayIsLong) {
    blocks_.way = base::Seconds(1);
    fetch_at_once(0, 4);
    while (blocks_.begun < 5) {
        std::this_thread::yield();
    }
    EXPECT_TRUE(prefetcher_.take(4, piece_));
}

TEST_F(PrefetcherTest, LeavesABusyReaderAloneWhereTheWayIsShort) {
    // A program that was kept waiting for a core looks as if it computed: such steps say nothing.
    const base::Seconds pause{0.004};
    blocks_.takes = std::chrono::milliseconds(50);
    std::int64_t step = 0;
    bool was_fetched = false, was_kept_waiting = false;
    do {
        fetch_at_once(step, step + 4);
        step += 4;
        was_fetched = prefetcher_.take(step, piece_).has_value();
        was_kept_waiting = blocks_.longest_pause() > pause;
    } while (was_kept_waiting && step < 400);
    if (was_kept_waiting) {
        GTEST_SKIP() << "the machine is busy all the time";
    }
    EXPECT_FALSE(was_fetched);
}

TEST_F(PrefetcherTest, LeavesSelectionsThatChangeAlone) {
    for (std::int64_t step = 0; step < 4; ++step) {
        piece_.overlap.source[0].start = step;  // as if it moved along
        EXPECT_EQ(read(step), step);
    }
    EXPECT_EQ(blocks_.fetches, 4);
}

TEST_F(PrefetcherTest, LeavesAloneWhatNobodyWroteAllOf) {
    piece_.overlap = {{{0}, {items - 1}}, {Slice{0, 1, items - 1}}};
    for (std::int64_t step = 0; step < 4; ++step) {
        read(step);
    }
    EXPECT_EQ(blocks_.fetches, 4) << "what was in the last element before stays";
}

TEST_F(PrefetcherTest, ForgetsAStepThatWasGivenBack) {
    for (std::int64_t step = 0; step < 4; ++step) {
        read(step);
    }
    prefetcher_.forget(4);
    EXPECT_FALSE(prefetcher_.take(4, piece_)) << "its memory may be another step's now";
}

TEST_F(PrefetcherTest, FetchesAsMuchAheadAsTheProcessMay) {
    for (const std::int64_t steps : {0, 2}) {
        set_limits({.prefetch = steps * items});
        const int before = blocks_.fetches;
        for (std::int64_t step = 10 * steps; step < 10 * steps + 4; ++step) {
            EXPECT_EQ(read(step), step);
            EXPECT_LE(usage().prefetch, steps * items);
        }
        while (steps > 0 && blocks_.fetches - before < 5) {
            std::this_thread::yield();
        }
        EXPECT_EQ(blocks_.fetches - before, steps == 0 ? 4 : 5) << "with that of the next step";
    }
    set_limits({});
}

TEST_F(PrefetcherTest, FetchesTheNextStepWhereThereIsRoomForOneThoughAnotherWasBegun) {
    blocks_.takes_orders = true;
    set_limits({.prefetch = items});
    for (std::int64_t step = 0; step < 6; ++step) {
        prefetcher_.begin(step);
        prefetcher_.expect(step, refs(step));
        prefetcher_.expect(step + 1, refs(step + 1));
        while (step > 2 && blocks_.begun < step + 2) {  // before anybody has asked for the one that was begun
            std::this_thread::yield();
        }
        const auto began = base::Clock::now();
        EXPECT_EQ(fetch(step), step);
        compute_since(began);
    }
    set_limits({});
}

TEST_F(PrefetcherTest, FetchesWhatWasBegunAtOnceIfLaterStepsWereExpectedBefore) {
    for (std::int64_t step = 0; step < 3; ++step) {
        read(step);
    }
    blocks_.takes = std::chrono::seconds(2);
    prefetcher_.begin(10);
    prefetcher_.expect(11, refs(11));
    prefetcher_.expect(12, refs(12));
    prefetcher_.expect(10, refs(10));
    while (blocks_.begun < 5) {  // step 3, and 11, which takes long
        std::this_thread::yield();
    }
    blocks_.takes = std::chrono::milliseconds(1);
    EXPECT_EQ(fetch(10), 10);
    EXPECT_EQ(blocks_.fetches, 5) << "of steps 0 to 3, and of this one";
}

TEST_F(PrefetcherTest, GoesOnOnceThereIsMemoryAgain) {
    for (std::int64_t step = 0; step < 3; ++step) {
        read(step);
    }
    while (blocks_.begun < 4) {
        std::this_thread::yield();
    }
    blocks_.out_of_memory = true;
    begin(3);
    while (blocks_.begun < 5) {
        std::this_thread::yield();
    }
    EXPECT_FALSE(prefetcher_.take(4, piece_)) << "the program asks itself, and is told";
    blocks_.out_of_memory = false;
    EXPECT_EQ(read(4), 4);
}

TEST_F(PrefetcherTest, DoesNotHoldAReaderThatGoes) {
    for (std::int64_t step = 0; step < 3; ++step) {
        read(step);
    }
    blocks_.takes = std::chrono::minutes(10);
    begin(3);
}

}  // namespace
}  // namespace staithe::stream::live
