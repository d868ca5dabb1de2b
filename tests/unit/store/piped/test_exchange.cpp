#include "store/piped/exchange.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "os/socket.hpp"
#include "support/noise.hpp"
#include "support/watchdog.hpp"

namespace staithe::store::piped {
namespace {

TEST(Exchange, TakesWhatIsLongerThanAnyBuffer) {
    const testing::Watchdog watchdog;
    const auto ends = os::create_socket_pair().value();
    const auto sent = testing::noise(5'000'001);
    std::thread sender([&] { EXPECT_TRUE(send(ends.first, sent, base::Deadline(base::Seconds(30)))); });
    std::vector<std::byte> received(sent.size());
    EXPECT_TRUE(receive(ends.second, received, base::Deadline(base::Seconds(30))));
    sender.join();
    EXPECT_EQ(received, sent);
}

TEST(Exchange, EndsAtADeadlineOrWithTheOtherEnd) {
    const testing::Watchdog watchdog;
    auto ends = os::create_socket_pair().value();
    std::vector<std::byte> bytes(5'000'001);
    const auto soon = [] { return base::Deadline(base::Seconds(0.05)); };
    EXPECT_EQ(receive(ends.second, bytes, soon()).error().code, ErrorCode::timeout);
    EXPECT_EQ(send(ends.first, bytes, soon()).error().code, ErrorCode::timeout) << "nobody takes it";
    ends.second = {};
    EXPECT_EQ(send(ends.first, bytes, soon()).error().code, ErrorCode::peer_lost);
    EXPECT_EQ(receive(ends.first, bytes, soon()).error().code, ErrorCode::peer_lost);
}

}  // namespace
}  // namespace staithe::store::piped
