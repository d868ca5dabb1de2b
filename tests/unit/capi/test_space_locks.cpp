// Locks of spaces through the C interface: whom they exclude, how they end, and what misuse gives.
#include <array>
#include <string>
#include <thread>

#include <staithe/staithe.h>

#include <gtest/gtest.h>

#include "unit/capi/open_space.hpp"

namespace {

class CSpaceLockTest : public staithe::testing::OpenSpace {
  protected:
    void TearDown() override {
        staithe_lock_free(&lock);
        OpenSpace::TearDown();
    }

    /// What another thread gets that tries, and lets go at once.
    staithe_status elsewhere(staithe_lock_mode mode, const staithe_selection* box = nullptr) {
        staithe_status status = STAITHE_OK;
        std::thread([&] {
            staithe_lock* other = nullptr;
            status = staithe_space_lock(space, "T", mode, box, 0, STAITHE_UNSET, &other);
            said = staithe_last_error();
            EXPECT_EQ(other != nullptr, status == STAITHE_OK);
            staithe_lock_free(&other);
        }).join();
        return status;
    }
    staithe_status take(staithe_lock_mode mode, const staithe_selection* box = nullptr) {
        return staithe_space_lock(space, "T", mode, box, STAITHE_UNSET, STAITHE_UNSET, &lock);
    }

    staithe_lock* lock = nullptr;
    std::string said;
};

TEST_F(CSpaceLockTest, ReadersShareWritersExclude) {
    EXPECT_DONE(take(STAITHE_LOCK_READ));
    EXPECT_EQ(elsewhere(STAITHE_LOCK_READ), STAITHE_OK);
    EXPECT_EQ(elsewhere(STAITHE_LOCK_WRITE), STAITHE_TIMEOUT);
    EXPECT_DONE(staithe_lock_release(&lock));
    EXPECT_EQ(lock, nullptr);
    EXPECT_DONE(take(STAITHE_LOCK_WRITE));
    EXPECT_EQ(elsewhere(STAITHE_LOCK_READ), STAITHE_TIMEOUT);
    EXPECT_NE(said.find("T"), std::string::npos) << said;
    staithe_lock_free(&lock);
    EXPECT_EQ(elsewhere(STAITHE_LOCK_WRITE), STAITHE_OK);
}

TEST_F(CSpaceLockTest, LocksTheBoxOnly) {
    const std::array<int64_t, 1> offset{4};
    const std::array<int64_t, 1> four{4};
    staithe_selection first;
    staithe_selection second;
    EXPECT_DONE(staithe_selection_box(&first, 1, nullptr, four.data()));
    EXPECT_DONE(staithe_selection_box(&second, 1, offset.data(), four.data()));
    EXPECT_DONE(take(STAITHE_LOCK_WRITE, &first));
    EXPECT_EQ(elsewhere(STAITHE_LOCK_WRITE, &second), STAITHE_OK);
    EXPECT_EQ(elsewhere(STAITHE_LOCK_READ, &first), STAITHE_TIMEOUT);
    EXPECT_EQ(elsewhere(STAITHE_LOCK_READ), STAITHE_TIMEOUT);
}

TEST_F(CSpaceLockTest, SaysWhatIsWrong) {
    EXPECT_EQ(take(2), STAITHE_INVALID_ARGUMENT);
    EXPECT_NE(std::string(staithe_last_error()).find("no lock mode 2"), std::string::npos);
    EXPECT_EQ(lock, nullptr);
    EXPECT_EQ(staithe_lock_release(&lock), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_lock_release(nullptr), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_space_lock(nullptr, "T", STAITHE_LOCK_READ, nullptr, 0, 0, &lock), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_space_lock(space, "T", STAITHE_LOCK_READ, nullptr, 0, 0, nullptr), STAITHE_INVALID_ARGUMENT);
    staithe_lock_free(nullptr);
    staithe_lock_free(&lock);
}

TEST_F(CSpaceLockTest, OutlivesTheHandleOfItsSpace) {
    EXPECT_DONE(take(STAITHE_LOCK_WRITE));
    staithe_space_free(&space);
    staithe_lock_free(&lock);
    EXPECT_EQ(lock, nullptr);
}

}  // namespace
