// Gets and puts that are not waited for, through the C interface: what comes of them, and how they end.
#include <array>

#include <staithe/staithe.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/capi/open_space.hpp"

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CSpaceFutureTest : public staithe::testing::OpenSpace {
  protected:
    void TearDown() override {
        staithe_future_free(&future);
        staithe_space_array_free(&array);
        OpenSpace::TearDown();
    }

    staithe_status get(int64_t version, double timeout = STAITHE_UNSET) {
        return staithe_space_get_async(space, "T", version, nullptr, timeout, &future);
    }
    staithe_status put(int64_t version, staithe_future** started) {
        staithe_space_put_options options;
        staithe_space_put_options_init(&options, sizeof options);
        options.version = version;
        return staithe_space_put_async(space, "T", three.data(), STAITHE_F64, 1, &count, &options, started);
    }

    const std::array<double, 3> three{1, 2, 3};
    const int64_t count = 3;
    staithe_future* future = nullptr;
    staithe_space_array* array = nullptr;
};

TEST_F(CSpaceFutureTest, AGetWaitsForWhatAPutBrings) {
    EXPECT_DONE(get(7));
    int32_t is_ready = -1;
    EXPECT_DONE(staithe_future_is_ready(future, &is_ready));
    EXPECT_EQ(is_ready, 0);
    EXPECT_EQ(staithe_future_wait(future, 0.01), STAITHE_TIMEOUT);
    EXPECT_THAT(staithe_last_error(), HasSubstr("still under way"));

    std::array<staithe_future*, 8> puts{};
    for (std::size_t i = 0; i < puts.size(); ++i) {
        EXPECT_DONE(put(static_cast<int64_t>(i), &puts[i]));
    }
    for (std::size_t i = 0; i < puts.size(); ++i) {
        int64_t version = -1;
        EXPECT_DONE(staithe_future_version(&puts[i], &version));
        EXPECT_EQ(version, static_cast<int64_t>(i));
        EXPECT_EQ(puts[i], nullptr);
    }
    EXPECT_DONE(staithe_future_wait(future, STAITHE_UNSET));
    EXPECT_DONE(staithe_future_is_ready(future, &is_ready));
    EXPECT_EQ(is_ready, 1);
    EXPECT_DONE(staithe_future_array(&future, &array));
    EXPECT_EQ(future, nullptr);
    std::array<double, 3> got{};
    EXPECT_DONE(staithe_space_array_read(array, STAITHE_F64, got.data(), nullptr));
    EXPECT_THAT(got, ElementsAre(1, 2, 3));
}

TEST_F(CSpaceFutureTest, ErrorsComeWithTheResult) {
    EXPECT_DONE(put(0, &future));
    EXPECT_DONE(staithe_future_version(&future, nullptr));
    EXPECT_DONE(put(0, &future));
    int64_t version = -7;
    EXPECT_EQ(staithe_future_version(&future, &version), STAITHE_ALREADY_EXISTS);
    EXPECT_EQ(version, -7);
    EXPECT_EQ(future, nullptr);
    EXPECT_DONE(get(5, 0.01));
    EXPECT_EQ(staithe_future_array(&future, &array), STAITHE_TIMEOUT);
    EXPECT_THAT(staithe_last_error(), HasSubstr("version 5"));
    EXPECT_EQ(array, nullptr);
    EXPECT_EQ(staithe_space_get_async(space, "", 0, nullptr, 0, &future), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(future, nullptr);
    EXPECT_DONE(get(5, 1000));
    EXPECT_DONE(staithe_space_close(space));
    EXPECT_EQ(staithe_future_array(&future, &array), STAITHE_CLOSED);
    EXPECT_EQ(get(5), STAITHE_CLOSED);
}

TEST_F(CSpaceFutureTest, OneThatIsFreedWaitsNoMoreOrHasBeenPut) {
    EXPECT_DONE(get(7, 1000));
    staithe_future_free(&future);
    EXPECT_EQ(future, nullptr);
    staithe_future_free(&future);
    staithe_future_free(nullptr);
    EXPECT_DONE(put(3, &future));
    staithe_future_free(&future);
    EXPECT_DONE(staithe_space_get(space, "T", 3, nullptr, 0, &array));
}

TEST_F(CSpaceFutureTest, WhatIsOfTheOtherKindSaysSo) {
    EXPECT_DONE(put(3, &future));
    EXPECT_EQ(staithe_future_array(&future, &array), STAITHE_INVALID_ARGUMENT);
    EXPECT_THAT(staithe_last_error(), HasSubstr("is of a put"));
    EXPECT_EQ(future, nullptr);
    EXPECT_DONE(get(3));
    EXPECT_EQ(staithe_future_version(&future, nullptr), STAITHE_INVALID_ARGUMENT);
    EXPECT_THAT(staithe_last_error(), HasSubstr("is of a get"));
    EXPECT_EQ(staithe_future_version(&future, nullptr), STAITHE_INVALID_ARGUMENT);
    EXPECT_THAT(staithe_last_error(), HasSubstr("a future whose result was taken is gone"));
    int32_t is_ready = 0;
    EXPECT_EQ(staithe_future_is_ready(future, &is_ready), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_future_wait(future, 0), STAITHE_INVALID_ARGUMENT);
}

TEST_F(CSpaceFutureTest, OutlivesTheHandleOfItsSpace) {
    EXPECT_DONE(get(7, 1000));
    staithe_space_free(&space);
    EXPECT_EQ(staithe_future_array(&future, &array), STAITHE_CLOSED);
}

}  // namespace
