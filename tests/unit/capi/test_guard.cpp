// The border of C: every code has its status, whatever is thrown stays inside, and each thread has its own last error.
#include "capi/guard.hpp"

#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace staithe::capi {
namespace {

TEST(Guard, EveryCodeIsAStatusOfTheSameName) {
    int codes = 0;
    while (std::string(name_of(static_cast<ErrorCode>(codes))) != "unknown") {
        const auto code = static_cast<ErrorCode>(codes++);
        const std::string message = std::string("this is ") + name_of(code);
        const staithe_status status = guard([&] { throw Error(code, message); });
        EXPECT_NE(status, STAITHE_OK);
        EXPECT_STREQ(staithe_status_name(status), name_of(code));
        EXPECT_EQ(staithe_last_error(), message);
    }
    EXPECT_EQ(codes, STAITHE_DEADLOCK);  // the header has as many, and no two are the same
}

TEST(Guard, NamesWhatIsNoFailure) {
    EXPECT_STREQ(staithe_status_name(STAITHE_OK), "ok");
    EXPECT_STREQ(staithe_status_name(STAITHE_DEADLOCK + 1), "unknown");
    EXPECT_STREQ(staithe_status_name(-1), "unknown");
}

TEST(Guard, WhateverIsThrownStaysInside) {
    EXPECT_EQ(guard([] { throw std::bad_alloc(); }), STAITHE_LIMIT_REACHED);
    EXPECT_STREQ(staithe_last_error(), "there is no memory left");
    EXPECT_EQ(guard([] { throw std::runtime_error("odd"); }), STAITHE_SYSTEM);
    EXPECT_STREQ(staithe_last_error(), "odd");
    EXPECT_EQ(guard([] { throw 1; }), STAITHE_SYSTEM);
    EXPECT_STREQ(staithe_last_error(), "something was thrown that is no std::exception");
}

TEST(Guard, SuccessLeavesTheLastErrorAlone) {
    EXPECT_EQ(guard([] { throw NotFound("gone"); }), STAITHE_NOT_FOUND);
    EXPECT_EQ(guard([] {}), STAITHE_OK);
    EXPECT_STREQ(staithe_last_error(), "gone");
}

TEST(Guard, EachThreadHasItsOwnLastError) {
    EXPECT_EQ(guard([] { throw NotFound("mine"); }), STAITHE_NOT_FOUND);
    std::thread([] {
        EXPECT_STREQ(staithe_last_error(), "");
        EXPECT_EQ(guard([] { throw Timeout("theirs"); }), STAITHE_TIMEOUT);
        EXPECT_STREQ(staithe_last_error(), "theirs");
    }).join();
    EXPECT_STREQ(staithe_last_error(), "mine");
}

}  // namespace
}  // namespace staithe::capi
