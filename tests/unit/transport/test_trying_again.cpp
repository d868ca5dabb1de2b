#include "transport/trying_again.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace staithe::transport {
namespace {

/// Begins with the test, not with the program.
base::Deadline patient() { return base::Deadline(base::Seconds(20)); }

TEST(TryWhileFull, GoesOnUntilThereIsRoom) {
    int attempts = 0;
    const auto done = try_while_full(patient(), [&](bool& is_full) -> base::Result<int> {
        is_full = ++attempts < 3;
        return is_full ? base::fail(ErrorCode::limit_reached, "full") : base::Result<int>(attempts);
    });
    EXPECT_EQ(done.value(), 3);
}

TEST(TryWhileFull, SaysWhyItWasRefusedIfNobodyAnswersAfterThat) {
    int attempts = 0;
    const auto failed = try_while_full(patient(), [&](bool& is_full) -> base::Result<int> {
        is_full = ++attempts < 3;
        return is_full ? base::fail(ErrorCode::limit_reached, "full") : base::fail(ErrorCode::timeout, "no answer");
    });
    EXPECT_EQ(failed.error().message, "full");
}

TEST(TryWhileFull, SaysWhyItWasRefusedIfTimeIsUpBeforeTheNextRefusalIsRead) {
    const base::Deadline soon(base::Seconds(0.5));
    int attempts = 0;
    const auto failed = try_while_full(soon, [&](bool& is_full) -> base::Result<int> {
        is_full = ++attempts < 2;
        if (is_full) {
            return base::fail(ErrorCode::limit_reached, "full");
        }
        std::this_thread::sleep_for(soon.left());
        return base::fail(ErrorCode::peer_lost, "the peer closed its end");
    });
    EXPECT_EQ(failed.error().message, "full");
}

TEST(TryWhileFull, EndsAtOnceWhereItWouldNotHelp) {
    const auto failed = try_while_full(
        patient(), [](bool& /*is_full*/) -> base::Result<int> { return base::fail(ErrorCode::timeout, "no answer"); });
    EXPECT_EQ(failed.error().message, "no answer");
}

}  // namespace
}  // namespace staithe::transport
