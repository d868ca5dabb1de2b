// What whoever keeps a space must do with many small blocks at once. A new keeper shows it as with keeper_suite.hpp.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/shown_block.hpp"
#include "space/keeper.hpp"
#include "support/watchdog.hpp"

namespace staithe::testing {

template <class T>
class KeeperBatchSuite : public ::testing::Test {
  protected:
    [[nodiscard]] space::Keeper& keeper() const { return *keeper_; }
    static base::Deadline soon() { return base::Deadline(base::Seconds(20)); }

    /// Blocks that show their places.
    void add(const std::string& variable, std::int64_t version, std::int64_t offset = 0, std::int64_t count = 64) {
        space::Parcel& parcel = parcels_.emplace_back();
        parcel.put.block = {.variable = variable,
                            .dtype = Dtype::u8,
                            .shape = {64},
                            .box = {{offset}, {count}},
                            .unit = "K",
                            .attributes = {{"run", "a12"}}};
        parcel.put.version = version;
        parcel.put.by.name = "this test";
        bytes_.push_back(std::make_unique<std::string>(64, static_cast<char>('a' + parcels_.size() - 1)));
        parcel.bytes = reinterpret_cast<const std::byte*>(bytes_.back()->data());
    }
    std::vector<base::Result<std::int64_t>> put() { return keeper().put_many(parcels_, soon()); }

    std::string shown(const std::string& variable, std::int64_t version, std::size_t place = 0) {
        const auto found = another_->find({.variable = variable, .version = version}, soon());
        EXPECT_TRUE(found) << found.error().message;
        return shown_block(*found, place);
    }

    std::vector<space::Parcel> parcels_;
    std::shared_ptr<space::Keeper>& another() { return another_; }

  private:
    Watchdog watchdog_;
    T made_;
    std::vector<std::unique_ptr<std::string>> bytes_;
    std::shared_ptr<space::Keeper> keeper_ = made_.open();
    std::shared_ptr<space::Keeper> another_ = made_.open();
};

TYPED_TEST_SUITE_P(KeeperBatchSuite);

TYPED_TEST_P(KeeperBatchSuite, EachIsPutAsIfItWerePutAlone) {
    this->add("x", 7);
    this->add("y", 3, 0, 40);
    this->add("y", 3, 20, 44);
    this->add("x", 8);
    this->parcels_.back().put.version.reset();
    const auto results = this->put();
    ASSERT_EQ(results.size(), 4U);
    for (const auto& result : results) {
        EXPECT_TRUE(result) << result.error().message;
    }
    EXPECT_EQ(*results[3], 8);
    EXPECT_EQ(this->shown("x", 7), std::string(64, 'a'));
    EXPECT_EQ(this->shown("x", 8), std::string(64, 'd'));
    EXPECT_EQ(this->shown("y", 3, 0), std::string(40, 'b'));
    EXPECT_EQ(this->shown("y", 3, 1), std::string(44, 'c')) << "that lies above";
}

TYPED_TEST_P(KeeperBatchSuite, OneThatIsRefusedIsInNobodysWay) {
    this->add("x", 1);
    this->add("x", 1);
    this->add("x", 2, 60, 5);
    this->add("x", 3);
    const auto results = this->put();
    ASSERT_EQ(results.size(), 4U);
    EXPECT_TRUE(results[0] && results[3]);
    EXPECT_EQ(results[1].error().code, ErrorCode::already_exists);
    EXPECT_EQ(results[2].error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(this->shown("x", 1), std::string(64, 'a'));
    EXPECT_EQ(this->shown("x", 3), std::string(64, 'd'));
}

TYPED_TEST_P(KeeperBatchSuite, WhatIsPutUnderALockThatHasEndedIsRefused) {
    const store::space::LockTable::Wish wish{
        .variable = "x", .mode = store::space::LockMode::write, .box = {}, .lease = std::chrono::seconds(5)};
    const auto ended = this->keeper().lock(wish, 1, this->soon());
    ASSERT_TRUE(ended);
    ASSERT_TRUE(this->keeper().unlock(ended->token));
    const auto held = this->keeper().lock(wish, 1, this->soon());
    ASSERT_TRUE(held);
    for (const std::int64_t version : {0, 1, 2}) {
        this->add("x", version);
    }
    this->parcels_[0].put.locks = {held->token};
    this->parcels_[1].put.locks = {ended->token};
    const auto results = this->put();
    EXPECT_TRUE(results[0] && results[2]);
    ASSERT_FALSE(results[1]);
    EXPECT_EQ(results[1].error().code, ErrorCode::closed) << results[1].error().message;
}

TYPED_TEST_P(KeeperBatchSuite, ManyTimesManyLeaveNothingBehind) {
    ASSERT_TRUE(this->keeper().retain("x", {.keep = 3}));
    for (int version = 0; version < 200; ++version) {
        this->add("x", version);
    }
    for (const auto& result : this->put()) {
        ASSERT_TRUE(result) << result.error().message;
    }
    EXPECT_EQ(this->another()->versions("x")->size(), 3U);
    EXPECT_TRUE(this->keeper().put_many({}, this->soon()).empty());
}

TYPED_TEST_P(KeeperBatchSuite, VersionsComeInTheOrderInWhichTheyWereCompleted) {
    const auto next = [this](std::int64_t after) {
        return this->another()->find({.variable = "x", .after = after}, this->soon());
    };
    this->add("x", 5);
    this->add("x", 2, 0, 32);
    this->add("x", 3);
    this->add("x", 2, 32, 32);
    std::thread later([this] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        for (const auto& result : this->put()) {
            EXPECT_TRUE(result) << result.error().message;
        }
    });
    std::vector<std::int64_t> versions;
    for (std::int64_t after = 0; versions.size() < 3;) {
        const auto found = next(after);
        ASSERT_TRUE(found) << found.error().message;
        EXPECT_GT(found->completion, after);
        after = found->completion;
        versions.push_back(found->version);
    }
    later.join();
    EXPECT_EQ(versions, (std::vector<std::int64_t>{5, 3, 2}));
    ASSERT_TRUE(this->keeper().remove("x", 3));
    const auto listed = this->another()->versions("x");
    ASSERT_TRUE(listed);
    const auto passed_over = next(listed->back().completion);
    ASSERT_TRUE(passed_over);
    EXPECT_EQ(passed_over->version, 2) << "the other one is gone";
    const auto none =
        this->another()->find({.variable = "x", .after = passed_over->completion}, base::Deadline(base::Seconds(0.02)));
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::timeout);
}

TYPED_TEST_P(KeeperBatchSuite, EachIsFoundAsIfItWereLookedForAlone) {
    this->add("x", 7);
    this->add("y", 3, 0, 40);
    this->add("y", 3, 20, 44);
    this->add("x", 8);
    for (const auto& result : this->put()) {
        ASSERT_TRUE(result) << result.error().message;
    }
    const std::vector<store::space::Wanted> wanted{{.variable = "x", .version = 7},
                                                   {.variable = "y", .version = 3},
                                                   {.variable = "x"},
                                                   {.variable = "y", .version = 3, .box = Box{{50}, {4}}},
                                                   {.variable = "x", .version = 7, .box = Box{{60}, {5}}},
                                                   {.variable = "x", .version = 7}};
    const auto found = this->another()->find_many(wanted, this->soon());
    ASSERT_EQ(found.size(), wanted.size());
    for (const std::size_t i : {0U, 1U, 2U, 3U, 5U}) {
        ASSERT_TRUE(found[i]) << i << ": " << found[i].error().message;
        const auto alone = this->keeper().find(wanted[i], this->soon());
        ASSERT_TRUE(alone);
        EXPECT_EQ(found[i]->version, alone->version);
        EXPECT_EQ(found[i]->serial, alone->serial);
        EXPECT_EQ(found[i]->completion, alone->completion);
        EXPECT_EQ(found[i]->whole.variable, wanted[i].variable);
        EXPECT_EQ(found[i]->whole.unit, "K");
        EXPECT_EQ(found[i]->whole.attributes, alone->whole.attributes);
        EXPECT_EQ(found[i]->blocks.size(), alone->blocks.size());
    }
    ASSERT_FALSE(found[4]);
    EXPECT_EQ(found[4].error().code, ErrorCode::invalid_argument) << found[4].error().message;
    EXPECT_EQ(shown_block(*found[0], 0), std::string(64, 'a'));
    EXPECT_EQ(shown_block(*found[2], 0), std::string(64, 'd')) << "the newest";
    EXPECT_EQ(shown_block(*found[1], 1), std::string(44, 'c'));
    EXPECT_EQ(shown_block(*found[3], 0), std::string(44, 'c')) << "the block that has all of the box";
    ASSERT_TRUE(this->keeper().remove("x", std::nullopt));
    EXPECT_EQ(shown_block(*found[5], 0), std::string(64, 'a')) << "it stays as long as somebody has it";
    EXPECT_TRUE(this->keeper().find_many({}, this->soon()).empty());
}

TYPED_TEST_P(KeeperBatchSuite, WhatIsNotThereYetIsWaitedFor) {
    this->add("x", 1);
    this->add("x", 2);
    ASSERT_TRUE(this->keeper().put(this->parcels_[0], this->soon()));
    std::thread later([this] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        EXPECT_TRUE(this->keeper().put(this->parcels_[1], this->soon()));
    });
    const std::vector<store::space::Wanted> wanted{{.variable = "x", .version = 2}, {.variable = "x", .version = 1}};
    const auto found = this->another()->find_many(wanted, this->soon());
    later.join();
    ASSERT_TRUE(found[0] && found[1]);
    EXPECT_EQ(shown_block(*found[0], 0), std::string(64, 'b'));
    EXPECT_EQ(shown_block(*found[1], 0), std::string(64, 'a'));
    const std::vector<store::space::Wanted> never{{.variable = "x", .version = 9}, {.variable = "x", .version = 1}};
    const auto late = this->another()->find_many(never, base::Deadline(base::Seconds(0)));
    ASSERT_FALSE(late[0]);
    EXPECT_EQ(late[0].error().code, ErrorCode::timeout) << late[0].error().message;
    EXPECT_TRUE(late[1]) << "what is there needs no time";
}

TYPED_TEST_P(KeeperBatchSuite, OneIsPutInOneStep) {
    this->add("x", 4);
    this->add("x", 4);
    this->add("x", 5, 60, 5);
    const auto put = [this](std::size_t place) { return this->keeper().put(this->parcels_[place], this->soon()); };
    EXPECT_EQ(put(0).value_or(0), 4);
    EXPECT_EQ(put(1).error().code, ErrorCode::already_exists);
    EXPECT_EQ(put(2).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(this->shown("x", 4), std::string(64, 'a'));
}

REGISTER_TYPED_TEST_SUITE_P(KeeperBatchSuite, EachIsPutAsIfItWerePutAlone, EachIsFoundAsIfItWereLookedForAlone,
                            WhatIsNotThereYetIsWaitedFor, OneIsPutInOneStep, OneThatIsRefusedIsInNobodysWay,
                            WhatIsPutUnderALockThatHasEndedIsRefused, ManyTimesManyLeaveNothingBehind,
                            VersionsComeInTheOrderInWhichTheyWereCompleted);

}  // namespace staithe::testing
