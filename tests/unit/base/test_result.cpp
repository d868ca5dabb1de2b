#include "base/result.hpp"

#include <set>
#include <string>
#include <typeinfo>

#include <gtest/gtest.h>

namespace staithe::base {
namespace {

constexpr ErrorCode every_code[] = {ErrorCode::invalid_argument, ErrorCode::not_found, ErrorCode::already_exists,
                                    ErrorCode::timeout,          ErrorCode::peer_lost, ErrorCode::closed,
                                    ErrorCode::limit_reached,    ErrorCode::protocol,  ErrorCode::system,
                                    ErrorCode::writer_failed,    ErrorCode::deadlock};

template <class Expected>
void expect_raised(ErrorCode code) {
    try {
        raise({code, "the message"});
    } catch (const Error& error) {
        EXPECT_EQ(typeid(error), typeid(Expected)) << name_of(code);
        EXPECT_EQ(error.code(), code);
        EXPECT_STREQ(error.what(), "the message");
    }
}

TEST(Raise, ThrowsTheClassOfEveryCode) {
    expect_raised<InvalidArgument>(ErrorCode::invalid_argument);
    expect_raised<NotFound>(ErrorCode::not_found);
    expect_raised<AlreadyExists>(ErrorCode::already_exists);
    expect_raised<Timeout>(ErrorCode::timeout);
    expect_raised<PeerLost>(ErrorCode::peer_lost);
    expect_raised<Closed>(ErrorCode::closed);
    expect_raised<LimitReached>(ErrorCode::limit_reached);
    expect_raised<ProtocolError>(ErrorCode::protocol);
    expect_raised<SystemFailure>(ErrorCode::system);
    expect_raised<WriterFailed>(ErrorCode::writer_failed);
    expect_raised<Deadlock>(ErrorCode::deadlock);
    static_assert(std::size(every_code) == error_code_count, "a new code belongs above");
    static_assert(std::is_base_of_v<PeerLost, WriterFailed>);
}

TEST(NameOf, IsStableAndDifferentForEveryCode) {
    std::set<std::string> names;
    for (const ErrorCode code : every_code) {
        names.insert(name_of(code));
    }
    EXPECT_EQ(names,
              (std::set<std::string>{"invalid_argument", "not_found", "already_exists", "timeout", "peer_lost",
                                     "closed", "limit_reached", "protocol", "system", "writer_failed", "deadlock"}));
}

TEST(Fail, FormatsItsMessageAndPassesFailuresOn) {
    const Result<int> result = fail(ErrorCode::timeout, "waited {} s for {}", 5, "rank 0");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "waited 5 s for rank 0");
    const Result<std::string> passed = fail(result);
    EXPECT_EQ(passed.error().code, ErrorCode::timeout);
    EXPECT_EQ(passed.error().message, result.error().message);
}

TEST(ValueOrRaise, GivesTheValueOrThrows) {
    EXPECT_EQ(value_or_raise(Result<int>(7)), 7);
    EXPECT_NO_THROW(value_or_raise(Result<>()));
    EXPECT_THROW(value_or_raise(Result<int>(fail(ErrorCode::closed, "closed"))), Closed);
}

}  // namespace
}  // namespace staithe::base
