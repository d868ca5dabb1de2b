// Steps that the queue has no room for as they are stay in memory, encoded.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <staithe/staithe.hpp>

#include "support/stream_test.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;

constexpr std::int64_t length = 64 << 10;  // half a MiB
constexpr std::int64_t bytes = length * 8;

std::vector<double> wave(std::int64_t step) {
    std::vector<double> values(length);
    for (std::int64_t i = 0; i < length; ++i) {
        values[i] = std::sin(1e-3 * static_cast<double>(i) + static_cast<double>(step));
    }
    return values;
}

void write(Writer& out, const std::vector<double>& values) {
    WriteStep step = out.begin_step(5.0);
    step.put("u", ArrayView::row_major(values.data(), Dtype::f64, {length}));
    step.end();
}

double largest_difference(const ReadStep& step) {
    const std::vector<double> written = wave(step.index()), read = step.variable("u").read<double>();
    double largest = 0.0;
    for (std::size_t i = 0; i < written.size(); ++i) {
        largest = std::max(largest, std::abs(written[i] - read[i]));
    }
    return largest;
}

class CompressingTest : public StreamTest {
  protected:
    static WriterOptions options(Errors error = {}) {
        return {.queue_bytes = 8 * bytes, .readers = 1, .overflow = "compress", .error = std::move(error)};
    }
};

TEST_F(CompressingTest, FarMoreStepsFitWithinAnError) {
    Writer out("s", options({{"u", codecs::Bound::absolute(1e-3)}}));
    for (std::int64_t i = 0; i < 40; ++i) {
        write(out, wave(i));
    }
    EXPECT_GE(out.statistics().compressed_steps, 32);
    EXPECT_LT(out.statistics().compressed_bytes, 4 * bytes);
    EXPECT_EQ(out.statistics().bytes, 40 * bytes);
    EXPECT_EQ(out.statistics().spilled_steps, 0);
    Reader in("s");
    out.close();
    for (std::int64_t i = 0; i < 40; ++i) {
        const ReadStep step = in.next().value();
        EXPECT_EQ(step.index(), i);
        EXPECT_LE(largest_difference(step), 1e-3);
        EXPECT_NEAR(step.variable("u").reduce("max").array.span<double>()[0], 1.0, 2e-3);
        EXPECT_EQ(step.variable("u").read<double>(Selection{Slice{10, 3, 4}})[1],
                  step.variable("u").read<double>()[13]);
    }
    EXPECT_FALSE(in.next());
}

TEST_F(CompressingTest, IsExactWithoutAnErrorAndThenWaits) {
    Writer out("s", options());
    Reader in("s");
    std::int64_t written = 0;
    const auto write_until_full = [&] {
        while (true) {
            WriteStep step = out.begin_step(0.05);
            const std::vector<double> values = wave(step.index());
            step.put("u", ArrayView::row_major(values.data(), Dtype::f64, {length}));
            step.end();
            ++written;
        }
    };
    EXPECT_EQ(code_thrown_by(write_until_full), ErrorCode::timeout);
    EXPECT_GT(written, 4);
    EXPECT_LT(out.statistics().pool_bytes, 10 * bytes);
    for (std::int64_t i = 0; i < written; ++i) {
        EXPECT_EQ(largest_difference(in.next().value()), 0.0);
    }
    in.pause();  // gives the last one back
    in.resume();
    const std::int64_t compressed = out.statistics().compressed_steps;
    write(out, wave(written));
    EXPECT_EQ(out.statistics().compressed_steps, compressed) << "there is room for it as it is";
}

TEST_F(CompressingTest, WhoWantsMoreThanTheErrorIsTold) {
    Writer out("s", options({{"*", codecs::Bound::relative(1e-2)}}));
    for (std::int64_t i = 0; i < 10; ++i) {
        write(out, wave(i));
    }
    Reader exact("s", {.error = {{"*", codecs::Bound::exact()}}, .program = "exact"});
    Reader rough("s", {.error = {{"u", codecs::Bound::absolute(0.5)}}, .program = "rough"});
    std::optional<ErrorCode> last;
    for (std::int64_t i = 0; i < 10; ++i) {
        const ReadStep step = exact.next().value();
        try {
            EXPECT_EQ(largest_difference(step), 0.0);
        } catch (const Error& error) {
            last = error.code();
            EXPECT_NE(
                std::string(error.what()).find("'u': it was encoded within its error of 0.01 rel while the queue"),
                std::string::npos)
                << error.what();
        }
        EXPECT_LE(largest_difference(rough.next().value()), 2e-2);
    }
    EXPECT_EQ(last, ErrorCode::invalid_argument);
}

TEST_F(CompressingTest, LoansOfManyRanksAndWhatDoesNotShrink) {
    constexpr int steps = 30;
    run_ranks(4, [&](int index) {
        if (index < 2) {
            WriterOptions with_group = options({{"u", codecs::Bound::pointwise_relative(1e-3)}});
            with_group.group = {.rank = index, .size = 2};
            Writer out("s", with_group);
            for (int i = 0; i < steps; ++i) {
                WriteStep step = out.begin_step();
                Loan loan = step.loan("u", Dtype::f64, {length / 2},
                                      {.offset = Extents{length / 2 * index}, .shape = Extents{length}});
                const std::vector<double> values = wave(step.index());
                std::copy_n(values.data() + length / 2 * index, length / 2, loan.data<double>());
                step.publish(std::move(loan));
                std::vector<std::uint64_t> noise(1024);
                std::uint64_t next = static_cast<std::uint64_t>(i) + 1;
                for (std::uint64_t& each : noise) {
                    each = next = next * 6364136223846793005U + 1442695040888963407U;
                }
                step.put("noise", ArrayView::row_major(noise.data(), Dtype::u64, {1024}));
                step.end();
            }
            EXPECT_GT(out.statistics().compressed_steps, 0);
            out.close();
            return;
        }
        if (index == 3) {
            return;  // nobody reads for a while
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        Reader in("s");
        std::int64_t read = 0;
        for (auto step = in.next(); step; step = in.next()) {
            EXPECT_LE(largest_difference(*step), 1e-3);
            EXPECT_EQ(step->variable("noise").blocks().size(), 2U);
            static_cast<void>(step->variable("noise").block(1));
            ++read;
        }
        EXPECT_EQ(read, steps);
    });
}

}  // namespace
}  // namespace staithe
