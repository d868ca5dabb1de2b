#include "format/writes_behind.hpp"

#include <atomic>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::format {
namespace {

WritesBehind::Write that_fails(const std::string& why) {
    return [why](os::DirectWrites&) { return base::fail(ErrorCode::limit_reached, "{}", why); };
}

/// Is written once it may be.
struct Held {
    std::promise<void> may_go;

    [[nodiscard]] WritesBehind::Write write() {
        return [released = may_go.get_future().share()](os::DirectWrites&) -> base::Result<> {
            released.wait();
            return {};
        };
    }
};

TEST(WritesBehind, AreAllDoneWhenTheyAreFinished) {
    std::atomic<int> done{0};
    WritesBehind writes;
    for (int step = 0; step < 20; ++step) {
        for (int i = 0; i < 5; ++i) {
            writes.begin([&](os::DirectWrites&) -> base::Result<> {
                ++done;
                return {};
            });
        }
        EXPECT_TRUE(writes.next_step());
        EXPECT_GE(done, 5 * step) << "those of the step before";
    }
    EXPECT_TRUE(writes.finish());
    EXPECT_EQ(done, 100);
}

TEST(WritesBehind, GoOnWhileTheNextStepIsBegun) {
    Held slow;
    WritesBehind writes;
    writes.begin(slow.write());
    EXPECT_TRUE(writes.next_step()) << "does not wait for it";
    slow.may_go.set_value();
    EXPECT_TRUE(writes.next_step());
}

TEST(WritesBehind, TellAStepLaterThatTheyFailed) {
    WritesBehind writes;
    writes.begin(that_fails("the disk is full"));
    EXPECT_TRUE(writes.next_step());
    const auto told = writes.next_step();
    ASSERT_FALSE(told);
    EXPECT_EQ(told.error().code, ErrorCode::limit_reached);
    EXPECT_EQ(told.error().message, "the disk is full");
    writes.abandon_step();
    EXPECT_TRUE(writes.finish()) << "it was told";
}

TEST(WritesBehind, TellOnceWhenTheyAreFinished) {
    WritesBehind writes;
    writes.begin(that_fails("the disk is full"));
    EXPECT_TRUE(writes.next_step());
    writes.await_all();
    EXPECT_FALSE(writes.finish());
    EXPECT_TRUE(writes.finish());
}

TEST(WritesBehind, OfAStepThatIsAbandonedTellNothing) {
    std::atomic<bool> is_done{false};
    WritesBehind writes;
    writes.begin([&](os::DirectWrites&) -> base::Result<> {
        is_done = true;
        return base::fail(ErrorCode::system, "too late");
    });
    writes.abandon_step();
    EXPECT_TRUE(is_done) << "nothing is written later";
    EXPECT_TRUE(writes.finish());
}

TEST(WritesBehind, AreNotBegunOfAStepThatHasFailed) {
    std::atomic<bool> is_done{false};
    WritesBehind writes;
    writes.begin(that_fails("the disk is full"));
    writes.await_all();
    writes.begin([&](os::DirectWrites&) -> base::Result<> {
        is_done = true;
        return {};
    });
    EXPECT_FALSE(writes.finish());
    EXPECT_FALSE(is_done);
}

TEST(WritesBehind, SurviveThatMemoryRunsOut) {
    WritesBehind writes;
    writes.begin([](os::DirectWrites&) -> base::Result<> { throw std::bad_alloc(); });
    EXPECT_FALSE(writes.finish());
}

TEST(WritesBehind, LetGoOfWhatTheyKeepOnceItIsWritten) {
    auto kept = std::make_shared<int>(1);
    WritesBehind writes;
    writes.begin([kept](os::DirectWrites&) -> base::Result<> { return {}; });
    EXPECT_TRUE(writes.finish());
    EXPECT_EQ(kept.use_count(), 1);
}

TEST(WritesBehind, AreDoneBeforeTheyGo) {
    std::atomic<int> done{0};
    {
        WritesBehind writes;
        for (int i = 0; i < 4; ++i) {
            writes.begin([&](os::DirectWrites&) -> base::Result<> {
                ++done;
                return {};
            });
        }
    }
    EXPECT_EQ(done, 4);
}

}  // namespace
}  // namespace staithe::format
