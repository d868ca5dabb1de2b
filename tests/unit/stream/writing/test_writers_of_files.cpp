// Writers whose stream is a file, as C++ ends them; what lies in the file, tests/python/test_file_writers.py looks at.
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <staithe/staithe.hpp>

#include <gtest/gtest.h>

#include "support/child_process.hpp"
#include "support/stream_test.hpp"

namespace staithe::stream {
namespace {

class WritersOfFiles : public testing::StreamTest, public ::testing::WithParamInterface<std::string> {
  protected:
    [[nodiscard]] std::string path() const { return run_directory() + "/x" + GetParam(); }

    static void put(WriteStep& step) {
        const auto value = static_cast<double>(step.index());
        step.put("x", ArrayView::row_major(&value, Dtype::f64, {1}));
    }
    static void write_step(Writer& out) {
        WriteStep step = out.begin_step();
        put(step);
        step.end();
    }
    [[nodiscard]] std::vector<double> there() const {
        std::vector<double> values;
        Reader in(path());
        while (const auto step = in.next()) {
            values.push_back(step->variable("x").read<double>().front());
        }
        return values;
    }
};

TEST_P(WritersOfFiles, MayEndAStepAfterTheyHaveFailed) {
    Writer out(path());
    write_step(out);
    WriteStep step = out.begin_step();
    put(step);
    out.fail("on purpose");
    try {
        step.end();
        out.close();
    } catch (const Error&) {  // either may say that the stream has failed; nothing hangs
    }
    EXPECT_EQ(there(), (std::vector<double>{0}));
}

TEST_P(WritersOfFiles, ThatAreNeverClosedHaveWrittenAllThatWasEnded) {
    {
        Writer out(path());
        for (int i = 0; i < 5; ++i) {
            write_step(out);
        }
        WriteStep open = out.begin_step();
        put(open);
    }
    EXPECT_EQ(there(), (std::vector<double>{0, 1, 2, 3, 4}));
}

TEST_P(WritersOfFiles, LeaveOutWhatWasAbandoned) {
    Writer out(path());
    for (int i = 0; i < 6; ++i) {
        WriteStep step = out.begin_step();
        put(step);
        i % 2 == 0 ? step.end() : step.abandon();
    }
    out.close();
    EXPECT_EQ(there(), (std::vector<double>{0, 2, 4}));
}

TEST_P(WritersOfFiles, AreNotEndedByAForkedChild) {
    Writer out(path());
    write_step(out);
    constexpr int of_the_stream = 2;  // that writes the file, and that attends to members
    if (testing::forked_children_may_start_threads) {
        testing::ChildProcess child(
            [&] {
                EXPECT_THROW(static_cast<void>(out.begin_step()), Closed);
                return 0;
            },
            of_the_stream);
        EXPECT_EQ(child.wait(), 0);
    }
    write_step(out);
    out.close();
    EXPECT_EQ(there(), (std::vector<double>{0, 1}));
}

INSTANTIATE_TEST_SUITE_P(Of, WritersOfFiles, ::testing::Values(".h5", ".zarr"),
                         [](const auto& each) { return each.param.substr(1); });

}  // namespace
}  // namespace staithe::stream
