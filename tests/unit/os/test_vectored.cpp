#include "os/vectored.hpp"

#include <sys/socket.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "os/event.hpp"
#include "support/stream_sockets.hpp"

namespace staithe::os {
namespace {

std::pair<FileDescriptor, FileDescriptor> owned(testing::Ends ends) {
    return {FileDescriptor(ends.first), FileDescriptor(ends.second)};
}

std::span<std::byte> bytes_of(std::string& text) { return std::as_writable_bytes(std::span(text)); }

TEST(VectoredIo, TakesPartsFromWhereTheyLieToWhereTheyBelong) {
    const auto ends = owned(testing::connected_by_tcp());
    std::array<std::string, 3> sent{"from ", "", "pool to socket"};
    const std::array parts{bytes_of(sent[0]), bytes_of(sent[1]), bytes_of(sent[2])};
    EXPECT_EQ(send_parts(ends.first, parts).value(), 19U);
    std::array<std::string, 2> got{"1234567", "1234567890123456"};
    const std::array places{bytes_of(got[0]), bytes_of(got[1])};
    std::array polled{Polled{.descriptor = ends.second.get()}};
    poll(polled, base::Deadline(base::Seconds(20)));
    EXPECT_EQ(receive_parts(ends.second, places).value(), 19U);
    EXPECT_EQ(got[0], "from po");
    EXPECT_EQ(got[1], "ol to socket3456");
}

TEST(VectoredIo, NeverWaits) {
    const auto ends = owned(testing::connected_by_unix_sockets());
    std::vector<std::byte> bytes(1 << 20);
    const std::span<std::byte> part = bytes;
    EXPECT_EQ(receive_parts(ends.first, std::span(&part, 1)).value(), 0U) << "nothing is there";
    std::size_t sent = 1;
    while (sent > 0) {
        sent = send_parts(ends.first, std::span(&part, 1)).value();
    }
}

TEST(VectoredIo, SaysThatTheOtherEndIsGone) {
    auto ends = owned(testing::connected_by_unix_sockets());
    ends.second = {};
    std::string text = "lost";
    const std::span<std::byte> part = bytes_of(text);
    EXPECT_EQ(send_parts(ends.first, std::span(&part, 1)).error().code, ErrorCode::peer_lost);
    EXPECT_EQ(receive_parts(ends.first, std::span(&part, 1)).error().code, ErrorCode::peer_lost);
}

TEST(VectoredIo, WakesOnceThereIsEnough) {
    auto ends = owned(testing::connected_by_tcp());
    make_readable_at(ends.second, 8);
    std::array polled{Polled{.descriptor = ends.second.get()}};
    const auto becomes_readable_within = [&](double seconds) {
        poll(polled, base::Deadline(base::Seconds(seconds)));
        return polled.front().ready;
    };
    std::string text = "half";
    const std::span<std::byte> part = bytes_of(text);
    static_cast<void>(send_parts(ends.first, std::span(&part, 1)).value());
    EXPECT_FALSE(becomes_readable_within(0.05));
    static_cast<void>(send_parts(ends.first, std::span(&part, 1)).value());
    EXPECT_TRUE(becomes_readable_within(20));
    std::string got = "12345678";
    const std::span<std::byte> place = bytes_of(got);
    EXPECT_EQ(receive_parts(ends.second, std::span(&place, 1)).value(), 8U);
    EXPECT_FALSE(becomes_readable_within(0.05));
    ends.first = {};
    EXPECT_TRUE(becomes_readable_within(20)) << "no more come";
}

TEST(PollOfMany, SaysWhichHadAReason) {
    std::vector<Event> events;
    std::vector<Polled> polled;
    for (int i = 0; i < 100; ++i) {
        events.push_back(Event::create().value());
        polled.push_back({.descriptor = events.back().descriptor()});
    }
    events[3].set();
    events[77].set();
    poll(polled, base::Deadline(base::Seconds(20)));
    for (std::size_t i = 0; i < polled.size(); ++i) {
        EXPECT_EQ(polled[i].ready, i == 3 || i == 77) << i;
    }
    events[3].clear();
    events[77].clear();
    poll(polled, base::Deadline(base::Seconds(0)));
    EXPECT_FALSE(polled[3].ready);
}

}  // namespace
}  // namespace staithe::os
