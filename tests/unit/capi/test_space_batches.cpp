// Batches through the C interface: what is gathered, sent, refused.
#include <array>
#include <string>

#include <staithe/staithe.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/capi/open_space.hpp"

namespace {

using ::testing::HasSubstr;

class CSpaceBatchTest : public staithe::testing::OpenSpace {
  protected:
    void SetUp() override {
        OpenSpace::SetUp();
        EXPECT_DONE(staithe_space_batch(space, &batch));
    }
    void TearDown() override {
        staithe_batch_free(&batch);
        OpenSpace::TearDown();
    }

    staithe_status put(const char* name, int64_t version) {
        staithe_space_put_options options;
        staithe_space_put_options_init(&options, sizeof options);
        options.version = version;
        const int32_t value = static_cast<int32_t>(version);
        return staithe_batch_put(batch, name, &value, STAITHE_I32, 0, nullptr, &options);
    }
    int64_t pending() {
        int64_t count = -1;
        EXPECT_DONE(staithe_batch_pending(batch, &count));
        return count;
    }
    int64_t failures() {
        int64_t count = -1;
        EXPECT_DONE(staithe_batch_failure_count(batch, &count));
        return count;
    }
    /// -1 if there is no such version.
    int32_t value(const char* name, int64_t version) {
        int32_t got = -1;
        static_cast<void>(
            staithe_space_read(space, name, version, nullptr, 0, STAITHE_I32, 0, nullptr, &got, nullptr, nullptr));
        return got;
    }

    staithe_batch* batch = nullptr;
};

TEST_F(CSpaceBatchTest, WhatIsGatheredIsThereOnceItIsSent) {
    EXPECT_DONE(put("n", 3));
    EXPECT_DONE(put("n", 4));
    EXPECT_EQ(pending(), 2);
    EXPECT_EQ(value("n", 3), -1);
    EXPECT_DONE(staithe_batch_send(batch));
    EXPECT_EQ(pending(), 0);
    EXPECT_EQ(value("n", 3), 3);
    EXPECT_EQ(value("n", 4), 4);
    EXPECT_DONE(staithe_batch_send(batch));
    for (int64_t version = 5; version < 5 + 1025; ++version) {
        EXPECT_DONE(put("n", version));
    }
    EXPECT_EQ(pending(), 1) << "1024 were enough to be sent";
}

TEST_F(CSpaceBatchTest, WhatIsRefusedIsNamedAndTheOthersArePut) {
    EXPECT_DONE(put("n", 1));
    EXPECT_DONE(staithe_batch_send(batch));
    EXPECT_EQ(failures(), 0);
    EXPECT_DONE(put("n", 0));
    EXPECT_DONE(put("n", 1));
    EXPECT_DONE(put("n", 2));
    EXPECT_EQ(staithe_batch_send(batch), STAITHE_ALREADY_EXISTS);
    EXPECT_THAT(staithe_last_error(), HasSubstr("1 of 3 blocks of a batch was refused"));
    EXPECT_EQ(value("n", 2), 2);
    ASSERT_EQ(failures(), 1);
    staithe_put_failure failure{};
    EXPECT_DONE(staithe_batch_failure(batch, 0, &failure, sizeof failure));
    EXPECT_EQ(failure.place, 2);
    EXPECT_EQ(failure.version, 1);
    EXPECT_EQ(failure.status, STAITHE_ALREADY_EXISTS);
    EXPECT_STREQ(failure.variable, "n");
    EXPECT_THAT(failure.message, HasSubstr("is complete"));
    EXPECT_EQ(staithe_batch_failure(batch, 1, &failure, sizeof failure), STAITHE_INVALID_ARGUMENT);
    EXPECT_STREQ(staithe_last_error(), "there are 1 failures, and no failure 1");
    EXPECT_DONE(staithe_batch_send(batch));
    EXPECT_EQ(failures(), 0);
}

TEST_F(CSpaceBatchTest, WhatWasNotSentIsNotPut) {
    EXPECT_DONE(put("n", 3));
    staithe_batch_free(&batch);
    EXPECT_EQ(batch, nullptr);
    staithe_batch_free(&batch);
    staithe_batch_free(nullptr);
    EXPECT_EQ(value("n", 3), -1);
    EXPECT_EQ(put("n", 3), STAITHE_INVALID_ARGUMENT);
    EXPECT_THAT(staithe_last_error(), HasSubstr("make a batch of the space first"));
    EXPECT_EQ(staithe_batch_send(batch), STAITHE_INVALID_ARGUMENT);
}

TEST_F(CSpaceBatchTest, OutlivesItsSpaceToSaySo) {
    EXPECT_EQ(put("", 3), STAITHE_INVALID_ARGUMENT) << "said at once";
    EXPECT_DONE(put("n", 3));
    staithe_space_free(&space);
    EXPECT_EQ(staithe_batch_send(batch), STAITHE_CLOSED);
    staithe_batch* another = batch;
    EXPECT_EQ(staithe_space_batch(space, &another), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(another, nullptr);
}

}  // namespace
