#include "transport/session.hpp"

#include <string_view>

#include <gtest/gtest.h>

namespace staithe::transport {
namespace {

std::span<const std::byte> frame_of(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(Session, SealFitsOneFrameAtOnePlaceOfOneSide) {
    const Session session(std::make_shared<Secret>());
    Seal sender = session.seal_of(Role::caller);
    Seal receiver = session.seal_of(Role::caller);
    const auto seal = sender.of(frame_of("first"));
    EXPECT_TRUE(receiver.fits(frame_of("first"), seal));
    EXPECT_FALSE(receiver.fits(frame_of("firsT"), seal));
    EXPECT_FALSE(receiver.fits(frame_of("first"), std::span(seal).first(15)));
    EXPECT_FALSE(session.seal_of(Role::listener).fits(frame_of("first"), seal)) << "sent back";
    sender.advance();
    receiver.advance();
    EXPECT_FALSE(receiver.fits(frame_of("first"), seal)) << "sent again";
    EXPECT_TRUE(receiver.fits(frame_of("first"), sender.of(frame_of("first"))));
}

TEST(Session, IsOfItsSecret) {
    const Session session(std::make_shared<Secret>());
    const auto other_secret = std::make_shared<Secret>();
    other_secret->bytes()[31] = 1;
    const Session other(other_secret);
    EXPECT_EQ(session.token("data 1").size(), 64U);
    EXPECT_EQ(session.token("data 1"), Session(std::make_shared<Secret>()).token("data 1"));
    EXPECT_NE(session.token("data 1"), session.token("data 2"));
    EXPECT_NE(session.token("data 1"), other.token("data 1"));
    EXPECT_NE(session.seal_of(Role::caller).of({}), other.seal_of(Role::caller).of({}));
}

}  // namespace
}  // namespace staithe::transport
