// Steps that memory has no room for go to files, which readers cannot tell.
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <staithe/staithe.hpp>

#include "support/stream_test.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;

class SpillingTest : public StreamTest {
  protected:
    [[nodiscard]] WriterOptions options() const {
        return {.queue_steps = 2,
                .readers = 1,
                .overflow = "spill",
                .spill_directory = directory_.path(),
                .spill_bytes = 1 << 20};
    }
    [[nodiscard]] const std::string& directory() const { return directory_.path(); }

  private:
    TemporaryDirectory directory_;
};

TEST_F(SpillingTest, ReadersGetAllSteps) {
    Writer out("s", options());
    write_steps(out, 40, 256);
    EXPECT_EQ(out.statistics().spilled_steps, 38);
    EXPECT_EQ(out.statistics().spilled_bytes, 38 * 256 * 8);
    EXPECT_EQ(find(describe("s"), "spilled_steps")->as_int(), 38);
    Reader in("s");
    out.close();
    EXPECT_EQ(read_to_end(in), first_numbers(40));
    EXPECT_EQ(in.statistics().dropped, 0);
}

TEST_F(SpillingTest, SpillIsBoundedAndUsedAgain) {
    WriterOptions small = options();
    small.spill_bytes = 10 * 256 * 8;
    Writer out("s", small);
    Reader in("s");
    write_steps(out, 12, 256);
    EXPECT_EQ(code_thrown_by([&] { static_cast<void>(out.begin_step(0.02)); }), ErrorCode::timeout);
    std::thread reading([&] { EXPECT_EQ(read_to_end(in), first_numbers(500)); });
    write_steps(out, 488, 256);
    out.close();
    reading.join();
}

TEST_F(SpillingTest, ViewsOfWhatIsOnDiskAreCopiesThatTheirOwnerKeeps) {
    Writer out("s", options());
    write_steps(out, 4, 256);
    std::optional<View> block;
    std::optional<View> part;
    {
        Reader in("s");
        for (int i = 0; i < 3; ++i) {
            const ReadStep step = in.next().value();
            block = step.variable("x").block(0);
            part = step.variable("x").view(Selection{Slice{10, 3, 4}});
        }
    }
    EXPECT_EQ(block->array.span<double>()[255], value_at(2, 255));
    EXPECT_EQ(part->array.span<double>()[3], value_at(2, 19));
}

/// The file that steps were spilled to; it has no name any more.
int descriptor_of_spill_file(const std::string& directory) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        if (std::filesystem::read_symlink(entry.path(), gone).string().starts_with(directory + "/")) {
            return std::stoi(entry.path().filename());
        }
    }
    return -1;
}

TEST_F(SpillingTest, AFileThatWasCutShortIsAnErrorOfTheRead) {
    Writer out("s", options());
    write_steps(out, 4, 4096);
    Reader in("s");
    static_cast<void>(in.next());
    static_cast<void>(in.next());
    const ReadStep step = in.next().value();
    expect_intact(step);
    ASSERT_EQ(::truncate(("/proc/self/fd/" + std::to_string(descriptor_of_spill_file(directory()))).c_str(), 0), 0);
    EXPECT_EQ(code_thrown_by([&] { static_cast<void>(step.variable("x").read<double>()); }), ErrorCode::protocol);
    EXPECT_EQ(code_thrown_by([&] { static_cast<void>(step.variable("x").block(0)); }), ErrorCode::protocol);
}

TEST_F(SpillingTest, LeavesNoFile) {
    Writer out("s", options());
    write_steps(out, 20, 256);
    EXPECT_TRUE(std::filesystem::is_empty(directory()));
}

TEST_F(SpillingTest, MemoryComesFirstAgainOnceThereIsRoom) {
    Writer out("s", options());
    Reader in("s");
    write_steps(out, 5, 256);
    for (int i = 0; i < 5; ++i) {
        expect_intact(in.next().value());
    }
    in.pause();  // gives the last one back
    in.resume();
    const std::int64_t spilled = out.statistics().spilled_steps;
    write_steps(out, 2, 256);
    EXPECT_EQ(out.statistics().spilled_steps, spilled);
}

TEST_F(SpillingTest, LoansAndManyRanksSpillAsWell) {
    run_ranks(4, [&](int index) {
        if (index < 2) {
            WriterOptions with_group = options();
            with_group.group = {.rank = index, .size = 2};
            Writer out("s", with_group);
            for (int i = 0; i < 30; ++i) {
                WriteStep step = out.begin_step();
                Loan loan = step.loan("x", Dtype::f64, {64}, {.offset = Extents{64 * index}, .shape = Extents{128}});
                for (std::int64_t k = 0; k < 64; ++k) {
                    loan.data<double>()[k] = value_at(step.index(), 64 * index + k);
                }
                step.publish(std::move(loan));
                step.end();
            }
            EXPECT_GT(out.statistics().spilled_steps, 0);
            out.close();
            return;
        }
        if (index == 3) {
            return;  // one reader rank comes late: nobody reads until it is there
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        Reader in("s");
        EXPECT_EQ(read_to_end(in), first_numbers(30));
    });
}

TEST_F(SpillingTest, DirectoryThatDoesNotWorkIsNamed) {
    WriterOptions nowhere = options();
    nowhere.spill_directory = "/nonexistent/spill";
    try {
        Writer("s", nowhere);
        FAIL() << "opened";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("/nonexistent/spill"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace staithe
