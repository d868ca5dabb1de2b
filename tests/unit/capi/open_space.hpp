// A space that this process keeps, through the C interface.
#pragma once

#include <staithe/staithe.h>

#include <gtest/gtest.h>

#include "support/stream_test.hpp"

namespace staithe::testing {

#define EXPECT_DONE(call) EXPECT_EQ(call, STAITHE_OK) << staithe_last_error()

class OpenSpace : public StreamTest {
  protected:
    void SetUp() override {
        staithe_space_options options;
        staithe_space_options_init(&options, sizeof options);
        options.server = "";
        options.timeout = 5;
        EXPECT_DONE(staithe_space_open("s", &options, &space));
    }
    void TearDown() override { staithe_space_free(&space); }

    staithe_space* space = nullptr;
};

}  // namespace staithe::testing
