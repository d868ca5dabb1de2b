// Limits of the process through the C interface: what is unset, what is refused, and what is held.
#include <array>
#include <cstring>
#include <string>

#include <staithe/staithe.h>

#include <gtest/gtest.h>

#include "support/environment_variable.hpp"
#include "support/stream_test.hpp"

namespace {

using staithe::testing::EnvironmentVariable;
using staithe::testing::StreamTest;

#define EXPECT_OK(call) EXPECT_EQ(call, STAITHE_OK) << staithe_last_error()

staithe_limits unset() {
    staithe_limits limits;
    staithe_limits_init(&limits, sizeof limits);
    return limits;
}

staithe_limits that_hold() {
    staithe_limits limits{};
    EXPECT_OK(staithe_get_limits(&limits, sizeof limits));
    return limits;
}

staithe_usage held() {
    staithe_usage usage{};
    EXPECT_OK(staithe_get_usage(&usage, sizeof usage));
    return usage;
}

class CLimitsTest : public StreamTest {
  protected:
    ~CLimitsTest() override { EXPECT_OK(staithe_set_limits(nullptr)); }

  private:
    EnvironmentVariable environment_{"STAITHE_LIMITS", nullptr};
};

TEST_F(CLimitsTest, InitLeavesEverythingUnset) {
    staithe_limits limits;
    std::memset(&limits, 0x55, sizeof limits);
    staithe_limits_init(&limits, sizeof limits);
    EXPECT_EQ(limits.struct_size, sizeof limits);
    EXPECT_EQ(limits.memory, STAITHE_UNSET);
    EXPECT_EQ(limits.descriptors, STAITHE_UNSET);
    EXPECT_EQ(limits.connections, STAITHE_UNSET);
    EXPECT_EQ(limits.bytes_in_flight, STAITHE_UNSET);
    EXPECT_EQ(limits.prefetch, STAITHE_UNSET);
}

TEST_F(CLimitsTest, ReplaceThoseBefore) {
    staithe_limits limits = unset();
    limits.memory = int64_t{8} << 30;
    limits.descriptors = 100;
    limits.connections = 10;
    limits.bytes_in_flight = 0;
    limits.prefetch = 4096;
    EXPECT_OK(staithe_set_limits(&limits));
    staithe_limits now = that_hold();
    EXPECT_EQ(now.struct_size, sizeof now);
    EXPECT_EQ(now.memory, int64_t{8} << 30);
    EXPECT_EQ(now.descriptors, 100);
    EXPECT_EQ(now.connections, 10);
    EXPECT_EQ(now.bytes_in_flight, 0);
    EXPECT_EQ(now.prefetch, 4096);
    limits = unset();
    limits.connections = 5;
    EXPECT_OK(staithe_set_limits(&limits));
    now = that_hold();
    EXPECT_EQ(now.memory, STAITHE_UNSET);
    EXPECT_EQ(now.connections, 5);
    EXPECT_OK(staithe_set_limits(nullptr));
    EXPECT_EQ(that_hold().connections, STAITHE_UNSET);
}

TEST_F(CLimitsTest, EnvironmentSaysWhatTheProgramDoesNot) {
    const EnvironmentVariable environment("STAITHE_LIMITS", R"({"memory": "2 GiB", "connections": 100})");
    staithe_limits limits = unset();
    limits.connections = 5;
    EXPECT_OK(staithe_set_limits(&limits));
    const staithe_limits now = that_hold();
    EXPECT_EQ(now.memory, int64_t{2} << 30);
    EXPECT_EQ(now.connections, 5);
}

TEST_F(CLimitsTest, EnvironmentThatMakesNoSenseIsNamed) {
    const EnvironmentVariable environment("STAITHE_LIMITS", R"({"ram": 5})");
    staithe_limits limits = unset();
    limits.memory = 7;
    EXPECT_EQ(staithe_get_limits(&limits, sizeof limits), STAITHE_INVALID_ARGUMENT);
    EXPECT_NE(std::string(staithe_last_error()).find("STAITHE_LIMITS"), std::string::npos);
    EXPECT_EQ(limits.memory, 7) << "changed by a failure";
}

TEST_F(CLimitsTest, ThatCannotBeAreRefused) {
    staithe_limits limits = unset();
    limits.connections = 5;
    EXPECT_OK(staithe_set_limits(&limits));
    limits.connections = -2;
    EXPECT_EQ(staithe_set_limits(&limits), STAITHE_INVALID_ARGUMENT);
    EXPECT_NE(std::string(staithe_last_error()).find("a limit of -2"), std::string::npos) << staithe_last_error();
    std::memset(&limits, 0, sizeof limits);  // nobody initialised it
    EXPECT_EQ(staithe_set_limits(&limits), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_get_limits(&limits, sizeof(size_t)), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_get_limits(nullptr, sizeof limits), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_get_usage(nullptr, sizeof(staithe_usage)), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(that_hold().connections, 5);
}

TEST_F(CLimitsTest, WhatANewerProgramGotItMaySetAgain) {
    struct {
        staithe_limits known;
        int64_t added;
    } limits{{}, 9};
    EXPECT_OK(staithe_get_limits(&limits.known, sizeof limits));
    EXPECT_EQ(limits.known.struct_size, sizeof limits);
    EXPECT_EQ(limits.added, 0);
    limits.known.connections = 5;
    EXPECT_OK(staithe_set_limits(&limits.known));
    limits.added = 1;
    EXPECT_EQ(staithe_set_limits(&limits.known), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(that_hold().connections, 5);
}

TEST_F(CLimitsTest, UsageFollowsWhatIsHeldUpToALimit) {
    const staithe_usage before = held();
    staithe_writer* writer = nullptr;
    staithe_write_step* step = nullptr;
    EXPECT_OK(staithe_writer_open("s", nullptr, &writer));
    const std::array<double, 100> values{};
    const int64_t count = 100;
    for (int i = 0; i < 2; ++i) {  // with one step in flight another may always begin
        EXPECT_OK(staithe_writer_begin_step(writer, STAITHE_UNSET, &step));
        EXPECT_OK(staithe_write_step_put(step, "u", values.data(), STAITHE_F64, 1, &count, nullptr));
        EXPECT_OK(staithe_write_step_end(&step));
    }
    const staithe_usage now = held();
    EXPECT_EQ(now.bytes_in_flight, before.bytes_in_flight + 1600);
    EXPECT_GE(now.memory, before.memory + 800);
    EXPECT_GT(now.descriptors, before.descriptors);
    EXPECT_EQ(now.connections, before.connections) << "nobody else has come";

    staithe_limits limits = unset();
    limits.bytes_in_flight = now.bytes_in_flight;
    EXPECT_OK(staithe_set_limits(&limits));
    EXPECT_EQ(staithe_writer_begin_step(writer, 0.05, &step), STAITHE_LIMIT_REACHED);
    EXPECT_NE(std::string(staithe_last_error()).find("`bytes_in_flight`"), std::string::npos) << staithe_last_error();
    staithe_writer_free(&writer);
    EXPECT_EQ(held().bytes_in_flight, before.bytes_in_flight);
}

}  // namespace
