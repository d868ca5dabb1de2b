// Analyses in the simulation's thread, and the same ones as programs of their own.
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <staithe/staithe.hpp>

#include "support/stream_test.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;

class AnalysisTest : public StreamTest {};

/// Notes what it is called with, and checks the steps.
class Witness : public Analysis {
  public:
    void start(const Group& group, const Attributes& attributes) override {
        events.push_back(-1);
        size = group.size;
        stream_attributes = attributes;
        thread = std::this_thread::get_id();
    }
    void step(const ReadStep& step) override {
        EXPECT_EQ(std::this_thread::get_id(), thread);
        expect_intact(step);
        events.push_back(step.index());
    }
    void finish() override { events.push_back(-2); }

    std::vector<std::int64_t> events;
    int size = 0;
    Attributes stream_attributes;
    std::thread::id thread;
};

TEST_F(AnalysisTest, InlineRunsAtTheEndOfEveryStep) {
    Writer out("s", {.queue_steps = 1, .attributes = {{"units", "lj"}}});
    const auto witness = std::make_shared<Witness>();
    out.attach(witness);
    for (std::int64_t i = 0; i < 5; ++i) {
        write_step(out);
        EXPECT_EQ(witness->events.back(), i);
    }
    out.close();
    EXPECT_EQ(witness->events, (std::vector<std::int64_t>{-1, 0, 1, 2, 3, 4, -2}));
    EXPECT_EQ(witness->stream_attributes, (Attributes{{"units", "lj"}}));
}

TEST_F(AnalysisTest, InlineSkipsAbandonedSteps) {
    Writer out("s");
    const auto witness = std::make_shared<Witness>();
    out.attach(witness);
    write_step(out);
    out.begin_step().abandon();
    write_step(out);
    out.close();
    EXPECT_EQ(witness->events, (std::vector<std::int64_t>{-1, 0, 2, -2}));
}

TEST_F(AnalysisTest, InlineMissesNoStepWhereOtherReadersMay) {
    for (const char* policy : {"drop-oldest", "drop-newest", "latest"}) {
        Writer out("s", {.queue_steps = 2, .readers = 2, .overflow = policy, .timeout = 10.0});
        const auto witness = std::make_shared<Witness>();
        out.attach(witness);
        Reader in("s");
        write_step(out);
        const auto held = in.next();  // leaves no room that is not needed for the next step
        write_steps(out, 4);
        EXPECT_EQ(witness->events, (std::vector<std::int64_t>{-1, 0, 1, 2, 3, 4})) << policy;
        out.close();
    }
}

TEST_F(AnalysisTest, AttachedLateInlineSeesTheNewestStepAtItsEnd) {
    Writer out("s", {.readers = 1});
    write_steps(out, 2);
    const auto witness = std::make_shared<Witness>();
    out.attach(witness);
    write_step(out);
    EXPECT_EQ(witness->events.back(), 2);
    out.close();
    EXPECT_EQ(witness->events.back(), -2);
}

TEST_F(AnalysisTest, InlineOfSeveralRanksSeesTheWholeStep) {
    run_ranks(3, [](int rank) {
        Writer out("s", {.group = {.rank = rank, .size = 3}, .queue_steps = 2});
        const auto witness = std::make_shared<Witness>();
        out.attach(witness);
        write_steps(out, 30);
        out.close();
        EXPECT_EQ(witness->size, 3);
        EXPECT_EQ(witness->events.size(), 32U);
    });
}

TEST_F(AnalysisTest, InlineRanksMayCloseWithoutAStepBeforeOthersHaveAttached) {
    run_ranks(2, [](int rank) {
        Writer out("s", {.group = {.rank = rank, .size = 2}, .timeout = 10.0});
        std::this_thread::sleep_for(std::chrono::milliseconds(rank == 0 ? 100 : 0));
        out.attach(std::make_shared<Witness>());
        EXPECT_NO_THROW(out.close());
    });
}

TEST_F(AnalysisTest, InlineRanksDoNotWaitForAStepThatOneOfThemAbandons) {
    run_ranks(2, [](int rank) {
        Writer out("s", {.group = {.rank = rank, .size = 2}, .queue_steps = 4, .timeout = 10.0});
        const auto witness = std::make_shared<Witness>();
        out.attach(witness);
        write_step(out);
        if (rank == 0) {
            write_step(out);
        } else {
            out.begin_step().abandon();
        }
        write_step(out);
        out.close();
        EXPECT_EQ(witness->events, (std::vector<std::int64_t>{-1, 0, 2, -2}));
    });
}

TEST_F(AnalysisTest, WhatAnAnalysisThrowsReachesTheWriter) {
    class Faulty : public Analysis {
        void step(const ReadStep& step) override {
            if (step.index() == 1) {
                throw std::domain_error("no such mean");
            }
        }
    };
    Writer out("s");
    out.attach(std::make_shared<Faulty>());
    write_step(out);
    EXPECT_THROW(write_step(out), std::domain_error);
    EXPECT_NO_THROW(write_step(out)) << "the step was published all the same";
    out.close();
}

TEST_F(AnalysisTest, RunsAsAProgramOfItsOwnOverTheWholeStream) {
    Writer out("s", {.attributes = {{"dt", 0.5}}});
    std::thread analysing([] {
        Witness witness;
        analyse(witness, "s");
        EXPECT_EQ(witness.events, (std::vector<std::int64_t>{-1, 0, 1, 2, -2}));
        EXPECT_EQ(witness.stream_attributes, (Attributes{{"dt", 0.5}}));
    });
    write_steps(out, 3);
    out.close();
    analysing.join();
}

TEST_F(AnalysisTest, BaseClassNeedsNothingButAStep) {
    class Minimal : public Analysis {
        void step(const ReadStep& /*step*/) override {}
    };
    Writer out("s");
    out.attach(std::make_shared<Minimal>());
    write_step(out);
    EXPECT_NO_THROW(out.close());
}

}  // namespace
}  // namespace staithe
