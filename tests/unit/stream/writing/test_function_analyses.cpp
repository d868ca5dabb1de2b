// Analyses made of functions: as readers and inline, whole and block by block.
#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <staithe/staithe.hpp>

#include "support/environment_variable.hpp"
#include "support/stream_test.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;

class FunctionAnalysisTest : public StreamTest {
  protected:
    /// Steps of x = i, i + 1, …, and n = i.
    static void write(Writer& out, int steps) {
        for (int i = 0; i < steps; ++i) {
            std::vector<double> x(10);
            std::iota(x.begin(), x.end(), i);
            WriteStep step = out.begin_step();
            step.put("x", x);
            step.put("n", i);
            step.set_attribute("time", 0.5 * i);
            step.end();
        }
    }
    static FunctionAnalysis total(FunctionOptions options = {}) {
        return {"total",
                {"x", "n"},
                {"sum", "twice"},
                [](AnalysisCall& call) {
                    const auto x = call.input("x").span<double>();
                    const double sum = std::accumulate(x.begin(), x.end(), 0.0);
                    if (call.input("n").span<int>()[0] != 1) {  // nothing to say of that one
                        call.put("sum", sum);
                        call.put("twice", std::vector<double>{sum, sum});
                    }
                },
                std::move(options)};
    }
    static void expect_totals(Reader& in) {
        EXPECT_EQ(in.attributes(), (Attributes{{"units", "lj"}}));
        for (const int i : {0, 2}) {
            const ReadStep step = in.next().value();
            EXPECT_EQ(step.attributes(), (Attributes{{"step", i}, {"time", 0.5 * i}}));
            EXPECT_EQ(step.variable("sum").read<double>(), std::vector<double>{45.0 + 10.0 * i});
            EXPECT_EQ(step.variable("twice").read<double>(), std::vector<double>(2, 45.0 + 10.0 * i));
        }
        EXPECT_FALSE(in.next());
    }
    static std::string failure_of(const std::string& stream) {
        try {
            Reader in(stream, {.timeout = 10});
            while (in.next()) {
            }
            return "none";
        } catch (const Error& error) {
            return error.what();
        }
    }
};

TEST_F(FunctionAnalysisTest, WhatAFunctionGivesIsAStream) {
    std::thread reading([] {
        Reader in("total");
        expect_totals(in);
    });
    std::thread analysing([] {
        FunctionAnalysis analysis = total();
        analyse(analysis, "s");
    });
    Writer out("s", {.attributes = {{"units", "lj"}}});
    write(out, 3);
    out.close();
    analysing.join();
    reading.join();
}

TEST_F(FunctionAnalysisTest, InlineUnderAnotherName) {
    std::thread reading([] {
        Reader in("results");
        expect_totals(in);
    });
    Writer out("s", {.readers = 0, .attributes = {{"units", "lj"}}});
    out.attach(std::make_shared<FunctionAnalysis>(total({.stream = "results"})));
    write(out, 3);
    out.close();
    reading.join();
}

/// Of two ranks, each with two blocks of rows of u and v, and a local array.
void write_rows(int rank, const std::shared_ptr<Analysis>& analysis) {
    Writer out("s", {.group = {.rank = rank, .size = 2}, .readers = analysis ? 0 : 1});
    if (analysis) {
        out.attach(analysis);
    }
    for (int i = 0; i < 2; ++i) {
        WriteStep step = out.begin_step();
        for (std::int64_t row = 2 * rank; row < 2 * rank + 2; ++row) {
            const std::vector<double> u{10.0 * static_cast<double>(row), 1.0, static_cast<double>(i)};
            step.put("u", u, {1, 3}, {.offset = Extents{row, 0}, .shape = Extents{4, 3}});
            step.put("v", u, {1, 3}, {.offset = Extents{row, 0}, .shape = Extents{4, 3}});
        }
        step.put("own", std::vector<float>(static_cast<std::size_t>(3 + rank), 2.0F));
        step.end();
    }
    out.close();
}

std::shared_ptr<FunctionAnalysis> of_blocks(std::vector<std::string> inputs, FunctionAnalysis::Function function) {
    return std::make_shared<FunctionAnalysis>("made", std::move(inputs), std::vector<std::string>{"w"},
                                              std::move(function), FunctionOptions{.share = Share::process});
}

TEST_F(FunctionAnalysisTest, OfEachBlockLiesWhereThatDoes) {
    const auto add = [](AnalysisCall& call) {
        const auto u = call.input("u").span<double>();
        const auto v = call.input("v").span<double>();
        std::vector<float> w(u.size());
        std::ranges::transform(u, v, w.begin(), [](double a, double b) { return static_cast<float>(a + b); });
        EXPECT_EQ(call.input("u").shape, (Extents{1, 3}));
        EXPECT_TRUE(call.step().has("own"));
        call.put("w", view_of(w, {1, 3}));
    };
    run_ranks(3, [&](int index) {
        if (index < 2) {
            write_rows(index, of_blocks({"u", "v"}, add));
            return;
        }
        Reader in("made");
        for (int i = 0; i < 2; ++i) {
            const ReadStep step = in.next().value();
            const Variable w = step.variable("w");
            EXPECT_EQ(w.blocks().size(), 4U);
            const auto twice = static_cast<float>(2 * i);
            EXPECT_EQ(w.read<float>(), (std::vector<float>{0, 2, twice, 20, 2, twice, 40, 2, twice, 60, 2, twice}));
        }
        EXPECT_FALSE(in.next());
    });
}

TEST_F(FunctionAnalysisTest, OfEachLocalArrayIsOne) {
    const auto shorter = [](AnalysisCall& call) { call.put("w", call.input("own").span<float>().subspan(1)); };
    run_ranks(3, [&](int index) {
        if (index < 2) {
            write_rows(index, of_blocks({"own"}, shorter));
            return;
        }
        Reader in("made");
        while (const auto step = in.next()) {
            const std::vector<BlockInfo> blocks = step->variable("w").blocks();
            ASSERT_EQ(blocks.size(), 2U);
            EXPECT_EQ(blocks[1].box.count, Extents{3});
        }
    });
}

TEST_F(FunctionAnalysisTest, PartsOfRanksAreLocalArrays) {
    const auto first = [](AnalysisCall& call) { call.put("w", call.input("u").span<double>()[0]); };
    run_ranks(3, [&](int index) {
        if (index < 2) {
            write_rows(index, std::make_shared<FunctionAnalysis>("made", std::vector<std::string>{"u"},
                                                                 std::vector<std::string>{"w"}, first,
                                                                 FunctionOptions{.share = Share::count}));
            return;
        }
        Reader in("made");
        const ReadStep step = in.next().value();
        const Variable w = step.variable("w");
        EXPECT_EQ(w.block(1).array.span<double>()[0], 20.0);
        while (in.next()) {
        }
    });
}

TEST_F(FunctionAnalysisTest, WhatDoesNotGoTogetherIsNamedAndEndsTheResultsAsFailed) {
    const auto same = [](AnalysisCall& call) { call.put("w", call.input("u")); };
    const auto other = [](AnalysisCall& call) { call.put("v", call.input("u")); };
    const auto short_one = [](AnalysisCall& call) { call.put("w", 1.0); };
    const auto unknown = [](AnalysisCall& call) { call.put("w", call.input("T")); };
    for (const auto& [analysis, why] :
         {std::pair(of_blocks({"u", "own"}, same), "'own' has no block of rank 0 where 'u' has"),
          std::pair(of_blocks({"own"}, same), "this rank has 2 local arrays of 'own', and each rank writes one"),
          std::pair(of_blocks({"u"}, other), "'v' is no output; there is 'w'"),
          std::pair(of_blocks({"u"}, short_one),
                    "output 'w' has the shape (), and the block where it is to lie (1, 3)"),
          std::pair(of_blocks({"u"}, unknown), "'T' is no input; there is 'u'")}) {
        std::string thrown;
        std::string seen;
        run_ranks(4, [&, analysis = analysis](int index) {
            if (index < 2) {
                write_rows(index, nullptr);
            } else if (index == 2) {
                seen = failure_of("made");
            } else {
                try {
                    analyse(*analysis, "s");
                } catch (const Error& error) {
                    thrown = error.what();
                }
            }
        });
        EXPECT_NE(thrown.find(why), std::string::npos) << thrown;
        EXPECT_NE(seen.find(why), std::string::npos) << seen;
    }
}

TEST_F(FunctionAnalysisTest, AllOutputsAreGivenOrNone) {
    const auto one = [](AnalysisCall& call) { call.put("a", 1.0); };
    FunctionAnalysis analysis("made", {"x"}, {"a", "b"}, one, {.results = {.readers = 0}});
    Writer out("s");
    write(out, 1);
    try {
        analyse(analysis, "s");
        FAIL();
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find("the function has put 'a', and not 'b'"), std::string::npos);
    }
}

TEST_F(FunctionAnalysisTest, NothingIsLeftOfARunThatFailed) {
    std::vector<double> seen;
    bool fails = true;
    FunctionAnalysis analysis("made", {"x"}, {"a", "b"},
                              [&](AnalysisCall& call) {
                                  seen.push_back(call.input("x").span<double>()[0]);
                                  call.put("a", 1.0);
                                  if (std::exchange(fails, false)) {
                                      throw std::runtime_error("this once");
                                  }
                                  call.put("b", 1.0);
                              },
                              {.results = {.readers = 0}});
    for (const int first : {100, 200}) {
        Writer out("s", {.readers = 1});
        WriteStep step = out.begin_step();
        step.put("x", static_cast<double>(first));
        step.end();
        std::thread analysing([&] {
            try {
                analyse(analysis, "s");
            } catch (const std::runtime_error& error) {
                EXPECT_EQ(std::string(error.what()), "this once");
            }
        });
        out.close();
        analysing.join();
    }
    EXPECT_EQ(seen, (std::vector<double>{100.0, 200.0}));
}

TEST_F(FunctionAnalysisTest, WhereTheStreamIsPlacedSaysNothingOfTheResults) {
    for (const char* const placement : {"inline", "file"}) {
        const testing::EnvironmentVariable variable("STAITHE_PLACEMENT", placement);
        std::thread reading([] {
            Reader in("total", {.placement = "producer"});
            expect_totals(in);
        });
        Writer out("s", {.readers = 0, .placement = "inline", .attributes = {{"units", "lj"}}});
        out.attach(std::make_shared<FunctionAnalysis>(total()));
        write(out, 3);
        out.close();
        reading.join();
    }
}

TEST_F(FunctionAnalysisTest, NamesAreThereOnce) {
    const auto none = [](AnalysisCall&) {};
    EXPECT_THROW(FunctionAnalysis("a", {"x", "x"}, {"y"}, none), InvalidArgument);
    EXPECT_THROW(FunctionAnalysis("a", {}, {"y"}, none), InvalidArgument);
    EXPECT_THROW(FunctionAnalysis("a", {"x"}, {}, none), InvalidArgument);
}

TEST_F(FunctionAnalysisTest, WhatEndsEarlyIsNotTakenForComplete) {
    std::string seen;
    std::thread reading([&] { seen = failure_of("total"); });
    {
        Writer out("s", {.readers = 0});
        FunctionAnalysis analysis = total();
        analysis.start({}, {});
    }
    reading.join();
    EXPECT_NE(seen.find("analysis 'total': was not run to its end"), std::string::npos) << seen;
}

}  // namespace
}  // namespace staithe
