#include "transport/frame.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/value_codec.hpp"
#include "os/socket.hpp"

namespace staithe::transport {
namespace {

using Bytes = std::vector<std::byte>;

Attributes body_of(int number) {
    return {{"number", number},
            {"text", std::string(static_cast<std::size_t>(number % 50), 'x')},
            {"list", List{1, 2.5, nullptr}}};
}

Bytes frame_of(const Attributes& body, std::size_t descriptors = 0) { return encode_frame(body, descriptors).value(); }

void append(Bytes& stream, const Bytes& more) { stream.insert(stream.end(), more.begin(), more.end()); }

std::vector<os::FileDescriptor> some_descriptors(std::size_t count) {
    std::vector<os::FileDescriptor> descriptors;
    for (std::size_t i = 0; i < count; ++i) {
        descriptors.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    }
    return descriptors;
}

TEST(FrameDecoder, AnyFragmentationGivesTheSamePackets) {
    Bytes stream;
    for (int i = 0; i < 20; ++i) {
        append(stream, frame_of(body_of(i)));
    }
    std::mt19937 random(1);
    for (int turn = 0; turn < 60; ++turn) {
        const std::size_t largest = turn == 0 ? 1 : 1 + random() % (turn % 2 == 0 ? 9 : 400);
        FrameDecoder decoder;
        int next = 0;
        for (std::size_t at = 0; at < stream.size();) {
            const std::size_t length = std::min(1 + random() % largest, stream.size() - at);
            decoder.feed(std::span(stream).subspan(at, length), {});
            at += length;
            for (;;) {
                auto packet = decoder.next();
                ASSERT_TRUE(packet);
                if (!*packet) {
                    break;
                }
                ASSERT_EQ((*packet)->body, body_of(next++));
            }
        }
        ASSERT_EQ(next, 20);
    }
}

TEST(FrameDecoder, PartOfAFrameIsNoPacketAndNoError) {
    const Bytes frame = frame_of(body_of(7));
    for (std::size_t length = 0; length < frame.size(); ++length) {
        FrameDecoder decoder;
        decoder.feed(std::span(frame).first(length), {});
        const auto packet = decoder.next();
        ASSERT_TRUE(packet);
        EXPECT_FALSE(*packet);
    }
}

TEST(FrameDecoder, DescriptorsGoToTheFramesThatAnnouncedThem) {
    FrameDecoder decoder;
    auto descriptors = some_descriptors(3);
    const std::vector<int> numbers{descriptors[0].get(), descriptors[1].get(), descriptors[2].get()};
    Bytes stream = frame_of(body_of(0), 1);
    append(stream, frame_of(body_of(1), 0));
    append(stream, frame_of(body_of(2), 2));
    decoder.feed(stream, std::move(descriptors));
    std::vector<int> seen;
    for (const std::size_t expected : {1U, 0U, 2U}) {
        auto packet = decoder.next();
        ASSERT_TRUE(packet && *packet);
        ASSERT_EQ((*packet)->descriptors.size(), expected);
        for (const os::FileDescriptor& descriptor : (*packet)->descriptors) {
            seen.push_back(descriptor.get());
        }
    }
    EXPECT_EQ(seen, numbers);
}

TEST(FrameDecoder, MissingDescriptorsAreAnError) {
    FrameDecoder decoder;
    decoder.feed(frame_of(body_of(0), 2), some_descriptors(1));
    EXPECT_EQ(decoder.next().error().code, ErrorCode::protocol);
}

TEST(FrameDecoder, DescriptorsThatNoFrameAnnouncedAreAnError) {
    FrameDecoder decoder;
    decoder.feed(frame_of(body_of(0), 1), some_descriptors(2));
    ASSERT_TRUE(decoder.next());
    EXPECT_EQ(decoder.next().error().code, ErrorCode::protocol);
}

TEST(FrameDecoder, DescriptorsOfAFrameThatNeverEndsAreAnErrorBeforeTheyAreMany) {
    FrameDecoder decoder;
    const Bytes frame = frame_of({{"text", std::string(1000, 'x')}}, 64);
    std::size_t fed = 0;
    while (fed < 300 && decoder.next()) {
        decoder.feed(std::span(frame).subspan(fed++, 1), some_descriptors(16));
    }
    EXPECT_LT(fed, 10U);
}

TEST(FrameDecoder, BoundsHoldFromTheNextFrameOn) {
    FrameDecoder decoder;
    const Bytes frame = frame_of({{"text", std::string(1000, 'x')}});
    decoder.feed(frame, {});
    ASSERT_TRUE(decoder.next());
    decoder.set_bounds({100, 0, 8});
    decoder.feed(std::span(frame).first(frame_header_bytes), {});
    EXPECT_EQ(decoder.next().error().code, ErrorCode::protocol);
    FrameDecoder without_descriptors;
    without_descriptors.set_bounds({100, 0, 8});
    without_descriptors.feed(frame_of({}, 1), some_descriptors(1));
    EXPECT_EQ(without_descriptors.next().error().code, ErrorCode::protocol);
}

TEST(FrameDecoder, WhatIsEnclosedComesAsItIs) {
    Bytes stream;
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{5000}}) {
        append(stream, encode_frame(body_of(3), 0, Bytes(size, std::byte{0xa5})).value());
    }
    FrameDecoder decoder;
    decoder.feed(stream, {});
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{5000}}) {
        const auto packet = decoder.next();
        ASSERT_TRUE(packet && *packet);
        EXPECT_EQ((*packet)->body, body_of(3));
        EXPECT_EQ((*packet)->enclosed, Bytes(size, std::byte{0xa5}));
    }
    decoder.set_bounds({max_body, 0, 8});
    decoder.feed(encode_frame({}, 0, Bytes(9)).value(), {});
    EXPECT_EQ(decoder.next().error().code, ErrorCode::protocol) << "more than that peer has to say";
}

TEST(FrameDecoder, UnclaimedDescriptorsAreClosedWithIt) {
    auto descriptors = some_descriptors(1);
    const int number = descriptors[0].get();
    {
        FrameDecoder decoder;
        decoder.feed({}, std::move(descriptors));
        EXPECT_GE(::fcntl(number, F_GETFD), 0);
    }
    EXPECT_LT(::fcntl(number, F_GETFD), 0);
}

struct Field {
    std::size_t offset;
    std::uint32_t value;
};

class FrameHeader : public ::testing::TestWithParam<Field> {};

TEST_P(FrameHeader, ThatMakesNoSenseIsRejectedBeforeTheBodyComes) {
    Bytes frame = frame_of(body_of(0));
    std::memcpy(frame.data() + GetParam().offset, &GetParam().value, 4);
    FrameDecoder decoder;
    decoder.feed(std::span(frame).first(frame_header_bytes), {});
    EXPECT_EQ(decoder.next().error().code, ErrorCode::protocol);
}

INSTANTIATE_TEST_SUITE_P(Fields, FrameHeader,
                         ::testing::Values(Field{0, 0}, Field{0, 0x32485453}, Field{4, max_body + 1},
                                           Field{4, UINT32_MAX}, Field{8, os::max_descriptors_per_message + 1},
                                           Field{8, UINT32_MAX}, Field{12, max_enclosed + 1}, Field{12, UINT32_MAX}));

TEST(FrameDecoder, BodyThatIsNoMapIsRejected) {
    const Bytes list = base::to_cbor(List{1, 2});
    for (const Bytes& body : {list, Bytes{}, Bytes{std::byte{0xff}}}) {
        Bytes frame = frame_of({});
        const auto size = static_cast<std::uint32_t>(body.size());
        std::memcpy(frame.data() + 4, &size, 4);
        frame.resize(frame_header_bytes);
        append(frame, body);
        FrameDecoder decoder;
        decoder.feed(frame, {});
        EXPECT_EQ(decoder.next().error().code, ErrorCode::protocol);
    }
}

TEST(FrameDecoder, GarbageIsRejectedOrWaitedForButNeverBelieved) {
    std::mt19937 random(9);
    for (int turn = 0; turn < 2000; ++turn) {
        Bytes frame = frame_of(body_of(static_cast<int>(random() % 40)));
        for (unsigned flips = 1 + random() % 4; flips > 0; --flips) {
            frame[random() % frame.size()] = static_cast<std::byte>(random());
        }
        FrameDecoder decoder;
        decoder.feed(frame, {});
        static_cast<void>(decoder.next());
    }
}

TEST(EncodeFrame, RefusesBodiesThatAreTooLong) {
    const auto frame = encode_frame({{"data", std::string(max_body, 'x')}}, 0);
    ASSERT_FALSE(frame);
    EXPECT_EQ(frame.error().code, ErrorCode::limit_reached);
    EXPECT_EQ(encode_frame({}, 0, Bytes(max_enclosed + 1)).error().code, ErrorCode::limit_reached);
}

}  // namespace
}  // namespace staithe::transport
