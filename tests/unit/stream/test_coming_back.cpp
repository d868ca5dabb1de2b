// Writers that are killed and come back, and readers that wait for them. Children are forked before the test opens
// anything.
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <staithe/staithe.hpp>

#include "stream/directing/progress.hpp"
#include "support/child_process.hpp"
#include "support/stream_test.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;
using namespace std::chrono_literals;

using Numbers = std::vector<std::int64_t>;

class WriterThatComesBack : public StreamTest {};

TEST_F(WriterThatComesBack, ReadersGoOnAlthoughTheLastStepsWereAbandoned) {
    const Signal written;
    ChildProcess first([&] {
        Writer out("s", {.resume = true});
        write_steps(out, 2);
        out.begin_step().abandon();
        written.give();
        wait_for_death();
        return 0;
    });
    Reader in("s", {.timeout = 20.0, .resume = true});
    EXPECT_EQ(in.next()->index(), 0);
    EXPECT_EQ(in.next()->index(), 1);
    written.await();
    first.kill();
    Writer out("s", {.resume = true});
    EXPECT_EQ(out.next_step(), 2);
    out.begin_step().abandon();
    write_step(out);
    std::thread closing([&] { out.close(); });  // once the reader is there
    EXPECT_EQ(read_to_end(in), (Numbers{3}));
    closing.join();
}

TEST_F(WriterThatComesBack, WritesTheStepThatItFailedIn) {
    try {
        Writer out("s", {.readers = 0, .resume = true});
        write_steps(out, 2);
        const WriteStep step = out.begin_step();
        throw std::runtime_error("no convergence");
    } catch (const std::runtime_error&) {
        EXPECT_EQ(Writer("s", {.readers = 0, .resume = true}).next_step(), 2);
    }
}

TEST_F(WriterThatComesBack, StreamThatWasEndedByADestructorIsNotContinued) {
    {
        Writer out("s", {.readers = 0});
        write_steps(out, 2);
    }
    EXPECT_EQ(Writer("s", {.readers = 0, .resume = true}).next_step(), 0);
}

TEST_F(WriterThatComesBack, ReadersSleepWhileRankZeroDoesNotKnowThatAnotherRankDied) {
    const Signal written;
    ChildProcess one([&] {
        Writer out("s", {.group = {.rank = 1, .size = 2}});
        write_step(out);
        written.give();
        wait_for_death();
        return 0;
    });
    Writer zero("s", {.group = {.rank = 0, .size = 2}, .resume = true});
    Reader in("s", {.resume = true});
    write_step(zero);
    EXPECT_EQ(in.next()->index(), 0);
    written.await();
    one.kill();
    try {
        static_cast<void>(in.next(0.3));
        ADD_FAILURE() << "nobody could have written a step";
    } catch (const PeerLost& loss) {
        EXPECT_NE(std::string(loss.what()).find("it did not come back within 0.3 s"), std::string::npos) << loss.what();
    }
    std::thread returning([&] {
        std::this_thread::sleep_for(50ms);
        EXPECT_EQ(code_thrown_by([&] { zero.close(); }), ErrorCode::peer_lost);
        run_ranks(2, [](int rank) {
            Writer out("s", {.group = {.rank = rank, .size = 2}, .resume = true});
            EXPECT_EQ(out.next_step(), 1);
            write_steps(out, 2);
            out.close();
        });
    });
    EXPECT_NO_THROW(EXPECT_EQ(read_to_end(in), (Numbers{1, 2})));
    returning.join();
}

// The director dies when it has announced step 2 to rank 0 only, and has not marked it as published.
TEST_F(WriterThatComesBack, StepThatOnlySomeRanksGotIsPublishedAgainForTheOthers) {
    const Signal written;
    ChildProcess first([&] {
        Writer out("s");
        write_steps(out, 3);
        written.give();
        wait_for_death();
        return 0;
    });
    const auto options = [](int rank) {
        return ReaderOptions{.group = {.rank = rank, .size = 2}, .resume = true, .program = "group"};
    };
    std::vector<std::unique_ptr<Reader>> ranks(2);
    run_ranks(2, [&](int rank) {
        Reader in("s", options(rank));
        for (std::int64_t number = 0; number < 3; ++number) {
            EXPECT_EQ(in.next()->index(), number);
        }
        ranks[static_cast<std::size_t>(rank)] = std::make_unique<Reader>(std::move(in));
    });
    written.await();
    first.kill();
    ranks[1] = nullptr;
    stream::Progress::open(run_directory(), "s", true).value()->set_next_step(2);

    Writer out("s", {.resume = true});
    EXPECT_EQ(out.next_step(), 2);
    write_steps(out, 2);
    std::thread rank_1([&] {
        auto lacking = options(1);
        lacking.start = 2;
        Reader in("s", lacking);
        EXPECT_EQ(read_to_end(in), (Numbers{2, 3}));
    });
    std::thread closing([&] { out.close(); });
    EXPECT_EQ(read_to_end(*ranks[0]), (Numbers{3}));
    rank_1.join();
    closing.join();
}

TEST_F(WriterThatComesBack, AllRanksBeginWithTheSameStep) {
    for (int i = 0; i < 50; ++i) {
        stream::Progress::open(run_directory(), "s", false).value()->set_next_step(5);
        run_ranks(4, [](int rank) {
            Writer out("s", {.group = {.rank = rank, .size = 4}, .readers = 0, .resume = true});
            EXPECT_EQ(out.next_step(), 5) << "rank " << rank;
            out.close();
        });
    }
}

}  // namespace
}  // namespace staithe
