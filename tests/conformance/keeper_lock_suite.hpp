// What whoever keeps a space must do with locks. A new keeper shows it as with keeper_suite.hpp.
#pragma once

#include <atomic>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "space/keeper.hpp"
#include "support/watchdog.hpp"

namespace staithe::testing {

template <class T>
class KeeperLockSuite : public ::testing::Test {
  protected:
    [[nodiscard]] space::Keeper& keeper() const { return *keeper_; }

    static base::Deadline soon() { return base::Deadline(base::Seconds(20)); }
    static base::Deadline now() { return base::Deadline(base::Seconds(0.02)); }

    static store::space::LockTable::Wish to_write(const std::string& variable, const Box& box = {}) {
        return {
            .variable = variable, .mode = store::space::LockMode::write, .box = box, .lease = std::chrono::seconds(5)};
    }
    static store::space::LockTable::Wish to_read(const std::string& variable) {
        auto wish = to_write(variable);
        wish.mode = store::space::LockMode::read;
        return wish;
    }
    /// Through the other door.
    base::Result<space::LockGrant> lock(const store::space::LockTable::Wish& wish, std::int64_t thread,
                                        const base::Deadline& deadline = soon()) {
        return another_->lock(wish, thread, deadline);
    }
    [[nodiscard]] bool is_free(const std::string& variable, std::int64_t thread) {
        const auto grant = lock(to_write(variable), thread, now());
        return grant && another_->unlock(grant->token);
    }
    base::Result<std::int64_t> put(std::int64_t offset, std::vector<std::int64_t> locks) {
        store::space::Put put;
        put.block = {
            .variable = "x", .dtype = Dtype::u8, .shape = {64}, .box = {{offset}, {8}}, .unit = "", .attributes = {}};
        put.version = 0;
        put.by.name = "this test";
        put.locks = std::move(locks);
        auto room = keeper().reserve(put, soon());
        return room ? keeper().put(put, *std::move(room), soon()) : base::fail(std::move(room));
    }

  private:
    Watchdog watchdog_;
    T made_;
    std::shared_ptr<space::Keeper> keeper_ = made_.open();
    std::shared_ptr<space::Keeper> another_ = made_.open();
};

TYPED_TEST_SUITE_P(KeeperLockSuite);

TYPED_TEST_P(KeeperLockSuite, WhatIsLockedThroughOneDoorIsLockedThroughEveryDoor) {
    const auto held = this->keeper().lock(this->to_write("x"), 1, this->soon());
    ASSERT_TRUE(held) << held.error().message;
    const auto late = this->lock(this->to_read("x"), 2, this->now());
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, ErrorCode::timeout);
    EXPECT_TRUE(late.error().message.starts_with("waited 0.02 s for a lock on 'campaign/x' to read: "))
        << late.error().message;
    EXPECT_NE(late.error().message.find(" has held 'campaign/x' to write for "), std::string::npos);
    EXPECT_TRUE(this->is_free("y", 2));
    EXPECT_TRUE(this->keeper().unlock(held->token));
    EXPECT_TRUE(this->is_free("x", 2)) << "who gave up is in nobody's way";
}

TYPED_TEST_P(KeeperLockSuite, WhoWaitsGetsItWhenItIsReleasedOrDropped) {
    for (const bool drops : {false, true}) {
        const auto held = this->keeper().lock(this->to_write("x"), 1, this->soon());
        ASSERT_TRUE(held);
        std::thread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            if (drops) {
                this->keeper().drop_lock(held->token);
            } else {
                EXPECT_TRUE(this->keeper().unlock(held->token));
            }
        });
        const auto next = this->lock(this->to_write("x"), 2);
        later.join();
        ASSERT_TRUE(next) << next.error().message;
        EXPECT_GT(next->token, held->token);
        EXPECT_TRUE(this->keeper().unlock(next->token));
    }
}

TYPED_TEST_P(KeeperLockSuite, WhatIsPutUnderALockThatIsHeldNoMoreIsRefused) {
    const auto lock = this->keeper().lock(this->to_write("x", {{0}, {16}}), 1, this->soon());
    ASSERT_TRUE(lock);
    EXPECT_TRUE(this->put(8, {lock->token}));
    EXPECT_EQ(this->put(16, {lock->token}).error().code, ErrorCode::invalid_argument) << "it is not on this";
    EXPECT_EQ(this->put(0, {lock->token + 1}).error().code, ErrorCode::invalid_argument) << "nobody has it";
    ASSERT_TRUE(this->keeper().unlock(lock->token));
    const auto refused = this->put(0, {lock->token});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::closed);
    EXPECT_NE(refused.error().message.find("was released 0.0 s ago"), std::string::npos) << refused.error().message;
    EXPECT_EQ(this->keeper().versions("x")->front().blocks, 1);
}

TYPED_TEST_P(KeeperLockSuite, ALockIsReleasedOnce) {
    const auto lock = this->keeper().lock(this->to_write("x"), 1, this->soon());
    ASSERT_TRUE(lock);
    EXPECT_TRUE(this->keeper().unlock(lock->token));
    EXPECT_EQ(this->keeper().unlock(lock->token).error().code, ErrorCode::closed);
    EXPECT_EQ(this->keeper().unlock(lock->token + 1000).error().code, ErrorCode::invalid_argument);
}

TYPED_TEST_P(KeeperLockSuite, ACircleIsFoundOverSeveralVariables) {
    std::latch both_hold(2);
    std::atomic<int> circles{0};
    const auto take = [&](const std::string& first, const std::string& second, std::int64_t thread) {
        const auto held = this->keeper().lock(this->to_write(first), thread, this->soon());
        both_hold.arrive_and_wait();
        const auto other = this->lock(this->to_write(second), thread);
        if (other) {
            EXPECT_TRUE(this->keeper().unlock(other->token));
        } else {
            EXPECT_EQ(other.error().code, ErrorCode::deadlock);
            EXPECT_TRUE(other.error().message.starts_with("these would wait for each other in a circle: "));
            ++circles;
        }
        EXPECT_TRUE(held && this->keeper().unlock(held->token));
    };
    std::thread first(take, "a", "b", 1), second(take, "b", "a", 2);
    first.join();
    second.join();
    EXPECT_EQ(circles, 1);
}

REGISTER_TYPED_TEST_SUITE_P(KeeperLockSuite, WhatIsLockedThroughOneDoorIsLockedThroughEveryDoor,
                            WhoWaitsGetsItWhenItIsReleasedOrDropped, WhatIsPutUnderALockThatIsHeldNoMoreIsRefused,
                            ALockIsReleasedOnce, ACircleIsFoundOverSeveralVariables);

}  // namespace staithe::testing
