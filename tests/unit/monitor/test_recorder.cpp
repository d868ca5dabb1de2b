#include "monitor/recorder.hpp"

#include <map>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "monitor/span.hpp"

namespace staithe::monitor {
namespace {

struct Taken {
    SpanRecord span;
    int thread;
};

std::vector<Taken> take_all(Recorder& recorder) {
    std::vector<Taken> taken;
    recorder.take([&](const SpanRecord& span, int thread) { taken.push_back({span, thread}); });
    return taken;
}

SpanRecord span_of_step(std::int64_t step) {
    return {"put", "melt", 10 * step, 5, step, -1, 0, nullptr, -1, nullptr, -1, -1, -1};
}

TEST(Recorder, HandsOverEachSpanOnceAndInOrder) {
    Recorder& recorder = Recorder::start();
    for (int round = 0; round < 3; ++round) {
        for (int step = 0; step < 10; ++step) {
            recorder.record(span_of_step(step));
        }
        const auto taken = take_all(recorder);
        ASSERT_EQ(taken.size(), 10U);
        for (int step = 0; step < 10; ++step) {
            EXPECT_EQ(taken[static_cast<std::size_t>(step)].span.step, step);
            EXPECT_EQ(taken[static_cast<std::size_t>(step)].span.begin, 10 * step);
        }
    }
    EXPECT_TRUE(take_all(recorder).empty());
    EXPECT_EQ(recorder.lost(), 0);
}

TEST(Recorder, LosesAndCountsWhatDoesNotFit) {
    Recorder& recorder = Recorder::start();
    const auto capacity = static_cast<std::int64_t>(Recorder::capacity);
    for (std::int64_t step = 0; step < capacity + 7; ++step) {
        recorder.record(span_of_step(step));
    }
    EXPECT_TRUE(recorder.is_filling());
    const auto taken = take_all(recorder);
    ASSERT_EQ(taken.size(), Recorder::capacity);
    EXPECT_EQ(taken.back().span.step, capacity - 1) << "the newest are lost, not the oldest";
    EXPECT_EQ(recorder.lost(), 7);
    EXPECT_FALSE(recorder.is_filling());
    recorder.record(span_of_step(1));
    EXPECT_EQ(take_all(recorder).size(), 1U) << "there is room again";
}

TEST(Recorder, KeepsThreadsApartAndGivesBuffersOfEndedOnesToOthers) {
    Recorder& recorder = Recorder::start();
    recorder.record(span_of_step(0));
    for (int i = 1; i <= 3; ++i) {
        std::thread([&] { recorder.record(span_of_step(i)); }).join();
    }
    std::map<std::int64_t, int> thread_of;
    for (const Taken& taken : take_all(recorder)) {
        thread_of[taken.span.step] = taken.thread;
    }
    ASSERT_EQ(thread_of.size(), 4U);
    EXPECT_NE(thread_of[0], thread_of[1]);
    EXPECT_EQ(thread_of[1], thread_of[2]);
    EXPECT_EQ(thread_of[1], thread_of[3]);
}

TEST(Recorder, IsEmptiedWhileThreadsRecord) {
    Recorder& recorder = Recorder::start();
    constexpr std::int64_t each = 20000;
    std::vector<std::thread> threads;
    std::atomic<int> running{3};
    for (int thread = 0; thread < 3; ++thread) {
        threads.emplace_back([&] {
            for (std::int64_t step = 0; step < each; ++step) {
                recorder.record(span_of_step(step));
            }
            --running;
        });
    }
    std::map<int, std::int64_t> last_of;
    std::int64_t count = 0;
    std::size_t beginnings = 0;
    const auto look = [&] {
        for (const Taken& taken : take_all(recorder)) {
            std::int64_t& last = last_of.emplace(taken.thread, each).first->second;
            beginnings += taken.span.step <= last ? 1 : 0;  // or it is out of order
            last = taken.span.step;
            ++count;
        }
    };
    while (running > 0) {
        look();
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    look();
    EXPECT_EQ(count + recorder.lost(), 3 * each);
    EXPECT_LE(beginnings, threads.size()) << "in order, and a buffer that a thread has left may be another's";
}

TEST(Recorder, StartingOverLeavesEarlierSpansBehind) {
    Recorder& first = Recorder::start();
    first.record(span_of_step(1));
    Recorder& second = Recorder::start();
    EXPECT_EQ(Recorder::current(), &second);
    second.record(span_of_step(2));
    const auto taken = take_all(second);
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(taken.front().span.step, 2);
}

TEST(Span, TakesTheTimeFromItsConstructionToItsEnd) {
    Recorder& recorder = Recorder::start();
    const Tracer tracer("melt", 3);
    {
        const Span outer(tracer, "end", 7, 800);
        Span inner(tracer, "wait for room");
        inner.set_step(8);
        inner.set_bytes(16);
    }
    const auto taken = take_all(recorder);
    ASSERT_EQ(taken.size(), 2U);
    const SpanRecord& inner = taken[0].span;
    const SpanRecord& outer = taken[1].span;
    EXPECT_STREQ(inner.name, "wait for room");
    EXPECT_STREQ(outer.name, "end");
    EXPECT_STREQ(outer.stream, "melt");
    EXPECT_EQ(outer.rank, 3);
    EXPECT_EQ(outer.step, 7);
    EXPECT_EQ(outer.bytes, 800);
    EXPECT_EQ(inner.step, 8);
    EXPECT_EQ(inner.bytes, 16);
    EXPECT_LE(outer.begin, inner.begin);
    EXPECT_GE(outer.begin + outer.duration, inner.begin + inner.duration);
}

TEST(Span, OfASilentTracerLeavesNothing) {
    const Tracer silent;
    Recorder& recorder = Recorder::start();
    {
        Span span(silent, "put", 1, 2);
        span.set_step(2);
    }
    EXPECT_TRUE(take_all(recorder).empty());
}

}  // namespace
}  // namespace staithe::monitor
