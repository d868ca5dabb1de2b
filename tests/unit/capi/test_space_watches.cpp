// Watches through the C interface: each version once, and the end.
#include <thread>

#include <staithe/staithe.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/capi/open_space.hpp"

namespace {

class CSpaceWatchTest : public staithe::testing::OpenSpace {
  protected:
    void TearDown() override {
        staithe_watch_free(&watch);
        OpenSpace::TearDown();
    }

    void put(int64_t version) {
        staithe_space_put_options options;
        staithe_space_put_options_init(&options, sizeof options);
        options.version = version;
        const double value = 1;
        EXPECT_DONE(staithe_space_put(space, "T", &value, STAITHE_F64, 0, nullptr, &options, nullptr));
    }
    int64_t next() {
        int64_t version = -1;
        int32_t ended = -1;
        EXPECT_DONE(staithe_watch_next(watch, &version, &ended));
        EXPECT_EQ(ended, 0);
        return version;
    }

    staithe_watch* watch = nullptr;
};

TEST_F(CSpaceWatchTest, EachVersionComesOnceInTheOrderOfCompletion) {
    put(7);
    put(3);
    EXPECT_DONE(staithe_space_watch(space, "T", 1, STAITHE_UNSET, &watch));
    EXPECT_EQ(next(), 7);
    EXPECT_EQ(next(), 3);
    std::thread later([&] { put(5); });
    EXPECT_EQ(next(), 5);
    later.join();
    staithe_watch_free(&watch);
    EXPECT_DONE(staithe_space_watch(space, "T", 0, STAITHE_UNSET, &watch));
    put(9);
    EXPECT_EQ(next(), 9) << "those before are passed over";
}

TEST_F(CSpaceWatchTest, WaitsForSoLongAndGoesOn) {
    EXPECT_DONE(staithe_space_watch(space, "T", 0, 0.01, &watch));
    int64_t version = -7;
    int32_t ended = -1;
    EXPECT_EQ(staithe_watch_next(watch, &version, &ended), STAITHE_TIMEOUT);
    EXPECT_EQ(version, -7);
    EXPECT_EQ(ended, -1);
    put(4);
    EXPECT_EQ(next(), 4);
}

TEST_F(CSpaceWatchTest, EndsWithTheSpace) {
    EXPECT_DONE(staithe_space_watch(space, "T", 0, STAITHE_UNSET, &watch));
    std::thread closer([&] { EXPECT_DONE(staithe_space_close(space)); });
    int64_t version = -7;
    int32_t ended = 0;
    EXPECT_DONE(staithe_watch_next(watch, &version, &ended));
    closer.join();
    EXPECT_EQ(ended, 1);
    EXPECT_EQ(version, -7);
    staithe_space_free(&space);
    EXPECT_DONE(staithe_watch_next(watch, &version, &ended)) << "its space's handle is gone";
    EXPECT_EQ(ended, 1);
}

TEST_F(CSpaceWatchTest, SaysWhatIsWrong) {
    int64_t version = 0;
    int32_t ended = 0;
    EXPECT_EQ(staithe_watch_next(watch, &version, &ended), STAITHE_INVALID_ARGUMENT);
    EXPECT_THAT(staithe_last_error(), ::testing::HasSubstr("watch a variable of the space first"));
    EXPECT_EQ(staithe_space_watch(space, "", 0, STAITHE_UNSET, &watch), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_space_watch(space, "T", 0, -5, &watch), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(watch, nullptr);
    EXPECT_DONE(staithe_space_watch(space, "T", 0, STAITHE_UNSET, &watch));
    EXPECT_EQ(staithe_watch_next(watch, nullptr, &ended), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_watch_next(watch, &version, nullptr), STAITHE_INVALID_ARGUMENT);
    staithe_watch_free(&watch);
    staithe_watch_free(&watch);
    staithe_watch_free(nullptr);
}

}  // namespace
