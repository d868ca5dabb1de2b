// Streams at the limits of their process: they wait for readers, or say what is missing; nothing is lost.
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <staithe/staithe.hpp>

#include "support/child_process.hpp"
#include "support/environment_variable.hpp"
#include "support/stream_test.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;

constexpr std::int64_t step_values = 1 << 18;
constexpr std::int64_t step_bytes = step_values * 8;  // 2 MiB

class ProducerLimitsTest : public StreamTest {
  public:
    ~ProducerLimitsTest() override { set_limits({}); }

  protected:
    /// As much memory beside what pools have at first as that many steps take.
    static void allow_memory_for(std::int64_t steps) {
        set_limits({.memory = usage().memory + steps * (step_bytes + 4096) + 4096});
    }
    static std::string message_of(const std::function<void()>& call) {
        try {
            call();
        } catch (const LimitReached& error) {
            return error.what();
        }
        ADD_FAILURE() << "no limit was reached";
        return "";
    }
    static void expect_words(const std::string& message, const std::vector<std::string>& words) {
        for (const std::string& word : words) {
            EXPECT_NE(message.find(word), std::string::npos) << "no '" << word << "' in: " << message;
        }
    }
};

TEST_F(ProducerLimitsTest, WriterWithoutMemoryWaitsUntilReadersReleaseSteps) {
    Writer out("s", {.queue_steps = 8});
    Reader in("s");
    allow_memory_for(3);
    const std::int64_t limit = *limits().memory;
    std::vector<std::int64_t> numbers;
    std::thread reading([&] {
        while (const auto step = in.next()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(3));
            expect_intact(*step);
            EXPECT_LE(usage().memory, limit);
            numbers.push_back(step->index());
        }
    });
    write_steps(out, 20, step_values);
    out.close();
    reading.join();
    EXPECT_EQ(numbers, first_numbers(20));
    EXPECT_GT(out.statistics().stall_seconds, 0.0);
}

TEST_F(ProducerLimitsTest, StreamThatMayLoseStepsDropsThemInsteadOfWaiting) {
    for (const char* overflow : {"drop-oldest", "drop-newest", "keep-every-100", "latest"}) {
        Writer out("s", {.queue_steps = 8, .overflow = overflow, .timeout = 5.0});
        Reader in("s");
        set_limits({.bytes_in_flight = 3 * step_bytes});
        write_steps(out, 1, step_values);
        const auto held = in.next();  // by a view it takes room, too
        write_steps(out, 20, step_values);
        EXPECT_LE(usage().bytes_in_flight, 3 * step_bytes) << overflow;
        EXPECT_GT(out.statistics().dropped, 15) << overflow;
        set_limits({});
        expect_intact(in.next().value());
    }
}

TEST_F(ProducerLimitsTest, RankInAProcessOfItsOwnHasStepsDroppedToo) {
    ChildProcess one([] {
        Writer out("s", {.group = {.rank = 1, .size = 2}, .timeout = 5.0});
        set_limits({.bytes_in_flight = 3 * step_bytes});
        write_steps(out, 20, step_values);
        out.close();
        return 0;
    });
    Writer out("s", {.group = {.rank = 0, .size = 2}, .queue_steps = 8, .overflow = "drop-oldest", .timeout = 20.0});
    Reader in("s");
    write_steps(out, 20, step_values);
    EXPECT_EQ(one.wait(), 0);
    EXPECT_EQ(in.next().value().index(), 17) << "of which the other rank holds no more than three";
    out.close();
}

TEST_F(ProducerLimitsTest, WhereNoReaderCouldReleaseAnythingTheErrorComesAtOnce) {
    Writer out("s", {.readers = 0, .timeout = 1000.0});
    allow_memory_for(1);
    const std::vector<double> large(3 * step_values);
    {
        WriteStep step = out.begin_step();
        expect_words(message_of([&] { step.put("x", std::span<const double>(large)); }),
                     {"cannot enlarge the pool 'staithe:s'", "6.29 MB of memory", "`memory`", "STAITHE_LIMITS"});
        EXPECT_THROW(static_cast<void>(step.loan("y", Dtype::f64, {3 * step_values})), LimitReached);
    }
    Reader in("s");
    write_step(out, step_values);
    expect_intact(in.next().value());
}

TEST_F(ProducerLimitsTest, WaitingForMemoryEndsAtTheTimeoutAndNamesWhoHoldsTheSteps) {
    Writer out("s", {.queue_steps = 8, .timeout = 0.1});
    Reader in("s");
    allow_memory_for(2);
    write_steps(out, 2, step_values);
    {
        WriteStep step = out.begin_step();
        const std::vector<double> values(step_values);
        expect_words(message_of([&] { step.put("x", std::span<const double>(values)); }),
                     {"stream 's'", "waited 0.1 s", "has not released 2 steps"});
    }
    expect_intact(in.next().value());  // and is released
    expect_intact(in.next().value());
    write_step(out, step_values);
    EXPECT_EQ(in.next().value().index(), 3) << "step 2 was abandoned, nothing else is lost";
}

TEST_F(ProducerLimitsTest, OneStreamGetsTheMemoryThatAnotherKeepsForReuse) {
    Writer first("first");
    Reader in_first("first");
    Writer second("second");
    Reader in_second("second");
    allow_memory_for(3);
    write_steps(first, 3, step_values);
    for (int i = 0; i < 3; ++i) {
        expect_intact(in_first.next().value());
    }
    const std::int64_t held = usage().memory;
    EXPECT_NO_THROW(static_cast<void>(first.begin_step()));  // finds that the steps were released
    write_steps(second, 2, step_values);
    expect_intact(in_second.next().value());
    EXPECT_LE(usage().memory, held + 4096);
    write_step(first, step_values);
    expect_intact(in_first.next().value());
}

TEST_F(ProducerLimitsTest, BytesInFlightAreThoseOfStepsThatReadersHold) {
    const std::int64_t before = usage().bytes_in_flight;
    {
        Writer out("s");
        Reader in("s");
        write_steps(out, 3, step_values);
        EXPECT_EQ(usage().bytes_in_flight, before + 3 * step_bytes);
        static_cast<void>(in.next());
        static_cast<void>(in.next());
        static_cast<void>(out.begin_step());  // notes what came back
        EXPECT_EQ(usage().bytes_in_flight, before + step_bytes);
    }
    EXPECT_EQ(usage().bytes_in_flight, before);
}

TEST_F(ProducerLimitsTest, BytesInFlightAreBoundedOverAllStreams) {
    set_limits({.bytes_in_flight = 4 * step_bytes});
    Writer first("first", {.timeout = 0.1});
    Reader in_first("first");
    Writer second("second", {.timeout = 0.1});
    Reader in_second("second");
    write_steps(first, 2, step_values);
    write_steps(second, 2, step_values);
    expect_words(message_of([&] { static_cast<void>(first.begin_step()); }),
                 {"stream 'first'", "cannot begin a step", "8.39 MB in flight", "`bytes_in_flight`", "waited 0.1 s"});
    EXPECT_THROW(static_cast<void>(second.begin_step()), LimitReached);

    expect_intact(in_second.next().value());
    std::thread other([&] {  // only a look of its own tells the second writer that its step came back
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        static_cast<void>(second.begin_step());
    });
    EXPECT_NO_THROW(static_cast<void>(first.begin_step(20.0)));
    other.join();
}

TEST_F(ProducerLimitsTest, StreamWithOneStepInFlightMayAlwaysBeginAnother) {
    set_limits({.bytes_in_flight = 1});
    Writer first("first");
    Writer second("second");
    Reader in_first("first");
    Reader in_second("second");
    std::optional<ReadStep> last_of_first;  // held until the next has come
    std::optional<ReadStep> last_of_second;
    for (int i = 0; i < 5; ++i) {  // a program that reads both in turn never waits for itself
        write_step(first, step_values);
        write_step(second, step_values);
        last_of_first = in_first.next();
        last_of_second = in_second.next();
        expect_intact(*last_of_first);
        expect_intact(*last_of_second);
    }
}

TEST_F(ProducerLimitsTest, DescriptorsThatRanOutAreNamedAndLaterThereAgain) {
    Writer out("s", {.readers = 0});
    set_limits({.descriptors = usage().descriptors + 1});
    expect_words(message_of([] { const Writer other("other"); }), {"`descriptors`", "STAITHE_LIMITS"});
    EXPECT_EQ(stream_names(), std::vector<std::string>{"s"});
    set_limits({});
    EXPECT_NO_THROW(const Writer other("other"));
}

/// Descriptors of this process that are open.
std::int64_t open_descriptors() { return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}); }

/// Whether each stream took as many as the one before it.
void expect_the_same_for_each(const std::vector<std::int64_t>& open) {
    for (std::size_t i = 2; i < open.size(); ++i) {
        EXPECT_EQ(open[i] - open[i - 1], open[1] - open[0]) << "with stream " << i;
    }
}

TEST_F(ProducerLimitsTest, TwoProcessesShareOneConnectionAndEachStreamTakesTheSameDescriptors) {
    const EnvironmentVariable in_shared_memory("STAITHE_TEST_CHANNEL", nullptr);  // a socket has descriptors of its own
    constexpr int streams = 12;
    const Signal opened;
    const Signal done;
    ChildProcess writing([&] {
        std::vector<std::unique_ptr<Writer>> writers;
        std::vector<std::int64_t> open;
        for (int i = 0; i < streams; ++i) {
            writers.push_back(std::make_unique<Writer>(numbered("s", i)));
            write_steps(*writers.back(), 2);
            open.push_back(open_descriptors());
        }
        expect_the_same_for_each(open);
        const std::int64_t without_readers = open_descriptors();
        opened.give();
        done.await();
        EXPECT_EQ(open_descriptors(), without_readers + 1) << "the one connection";
        EXPECT_EQ(usage().connections, 1);
        for (auto& writer : writers) {
            writer->close();
        }
        return 0;
    });
    opened.await();
    std::vector<std::unique_ptr<Reader>> readers;
    std::vector<std::int64_t> open;
    for (int i = 0; i < streams; ++i) {
        readers.push_back(std::make_unique<Reader>(numbered("s", i)));
        expect_intact(readers.back()->next().value());
        open.push_back(open_descriptors());
        EXPECT_EQ(usage().connections, 1);
    }
    expect_the_same_for_each(open);
    done.give();
    for (auto& reader : readers) {
        EXPECT_EQ(read_to_end(*reader), std::vector<std::int64_t>{1});
    }
    EXPECT_EQ(writing.wait(), 0);
}

}  // namespace
}  // namespace staithe
