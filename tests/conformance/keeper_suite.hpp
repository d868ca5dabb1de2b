// What whoever keeps a space must do, in this process or elsewhere.
//
// A new keeper shows that it conforms with a class of its own (see test_keepers.cpp):
//
//     struct MyKeeper {
//         std::shared_ptr<space::Keeper> open();   // one more door to the same empty space
//     };
//     INSTANTIATE_TYPED_TEST_SUITE_P(Mine, KeeperSuite, MyKeeper);
#pragma once

#include <algorithm>
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
class KeeperSuite : public ::testing::Test {
  protected:
    [[nodiscard]] space::Keeper& keeper() const { return *keeper_; }
    [[nodiscard]] space::Keeper& another() const { return *another_; }

    static base::Deadline soon() { return base::Deadline(base::Seconds(20)); }
    static base::Deadline now() { return base::Deadline(base::Seconds(0.02)); }

    /// A block of `count` bytes from `offset` on, of 64.
    static store::space::Put block(std::int64_t offset, std::int64_t count, std::optional<std::int64_t> version) {
        store::space::Put put;
        put.block = {.variable = "x",
                     .dtype = Dtype::u8,
                     .shape = {64},
                     .box = {{offset}, {count}},
                     .unit = "K",
                     .attributes = {{"run", "a12"}}};
        put.version = version;
        put.by.name = "this test";
        return put;
    }
    base::Result<std::int64_t> put(const store::space::Put& put, char value) {
        auto room = keeper().reserve(put, soon());
        if (!room) {
            return base::fail(std::move(room));
        }
        std::memset(room->memory(), value, static_cast<std::size_t>(put.block.data_bytes()));
        return keeper().put(put, *std::move(room), soon());
    }
    base::Result<std::int64_t> put(std::int64_t version, char value) { return put(block(0, 64, version), value); }

    base::Result<space::Found> find(std::optional<std::int64_t> version = std::nullopt) {
        return another().find({.variable = "x", .version = version}, soon());
    }

  private:
    Watchdog watchdog_;
    T made_;
    std::shared_ptr<space::Keeper> keeper_ = made_.open();
    std::shared_ptr<space::Keeper> another_ = made_.open();
};

TYPED_TEST_SUITE_P(KeeperSuite);

TYPED_TEST_P(KeeperSuite, WhatIsPutIsFoundThroughEveryDoor) {
    ASSERT_EQ(this->put(7, 'a'), 7);
    const auto found = this->find();
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->version, 7);
    EXPECT_EQ(found->whole.unit, "K");
    EXPECT_EQ(found->whole.attributes, (Attributes{{"run", "a12"}}));
    EXPECT_EQ(shown_block(*found, 0), std::string(64, 'a'));
}

TYPED_TEST_P(KeeperSuite, BlocksComeInTheOrderInWhichTheyWerePut) {
    ASSERT_TRUE(this->put(this->block(0, 40, 1), 'a'));
    ASSERT_TRUE(this->put(this->block(20, 44, 1), 'b'));
    const auto found = this->find(1);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->blocks.size(), 2U);
    EXPECT_EQ(shown_block(*found, 0), std::string(40, 'a'));
    EXPECT_EQ(shown_block(*found, 1), std::string(44, 'b'));
    const auto part = this->another().find({.variable = "x", .box = Box{{50}, {4}}}, this->soon());
    ASSERT_TRUE(part);
    EXPECT_EQ(part->blocks.size(), 1U) << "the other one does not meet it";
}

TYPED_TEST_P(KeeperSuite, WhoIsTooEarlyWaits) {
    std::thread later([this] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        EXPECT_TRUE(this->put(this->block(0, 32, 3), 'a'));
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        EXPECT_TRUE(this->put(this->block(32, 32, 3), 'b'));
    });
    const auto found = this->find(3);
    later.join();
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->blocks.size(), 2U);
}

TYPED_TEST_P(KeeperSuite, WhoWaitsInVainIsToldWhatThereIs) {
    ASSERT_TRUE(this->put(this->block(0, 16, 3), 'a'));
    const auto found = this->another().find({.variable = "x", .version = 3}, this->now());
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::timeout);
    EXPECT_TRUE(found.error().message.starts_with(
        "waited 0.02 s: version 3 of 'x' is not complete: 25 % of its elements were put"));
    EXPECT_TRUE(this->put(this->block(16, 48, 3), 'b'));
    EXPECT_TRUE(this->find(3)) << "who gave up waits no more, and is in nobody's way";
}

TYPED_TEST_P(KeeperSuite, WhatCannotBePutIsRefusedBeforeItIsFilled) {
    ASSERT_TRUE(this->put(3, 'a'));
    for (const auto& wrong : {this->block(0, 64, 3), this->block(60, 5, 4)}) {
        const auto room = this->keeper().reserve(wrong, this->soon());
        EXPECT_FALSE(room);
    }
    EXPECT_FALSE(this->another().find({.variable = "x", .box = Box{{60}, {5}}}, this->soon()));
}

TYPED_TEST_P(KeeperSuite, RoomThatIsNotUsedIsGivenBack) {
    for (int repeat = 0; repeat < 1000; ++repeat) {
        auto put = this->block(0, 64, 0);
        put.block.shape = put.block.box.count = {16 << 20};
        ASSERT_TRUE(this->keeper().reserve(put, this->soon())) << "16 GiB in all would not fit";
    }
}

TYPED_TEST_P(KeeperSuite, WhatIsHeldStaysWhenItIsRemovedAndMoreIsPut) {
    ASSERT_TRUE(this->put(0, 'a'));
    const auto held = this->find(0);
    ASSERT_TRUE(held);
    ASSERT_TRUE(this->keeper().remove("x", 0));
    for (int version = 1; version < 50; ++version) {
        ASSERT_TRUE(this->put(version, 'b'));
    }
    EXPECT_EQ(shown_block(*held, 0), std::string(64, 'a'));
    EXPECT_EQ(this->another().find({.variable = "x", .version = 0}, this->now()).error().code, ErrorCode::timeout);
    EXPECT_EQ(this->keeper().remove("x", 0).error().code, ErrorCode::not_found);
}

TYPED_TEST_P(KeeperSuite, RanksWithNothingToPutAreInNobodysWay) {
    for (const std::int64_t offset : {0, 0, 64, 30, 0}) {
        ASSERT_TRUE(this->put(this->block(offset, 0, 0), 'a'));
    }
    ASSERT_TRUE(this->put(this->block(0, 64, 0), 'b'));
    ASSERT_TRUE(this->put(this->block(64, 0, 0), 'a'));
    const auto found = this->find(0);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->blocks.size(), 1U);
    EXPECT_EQ(shown_block(*found, 0), std::string(64, 'b'));
}

TYPED_TEST_P(KeeperSuite, WhatSomebodyWaitsForStays) {
    ASSERT_TRUE(this->keeper().retain("x", {.keep = 1}));
    ASSERT_TRUE(this->put(5, 'a'));
    std::thread waiting([this] { EXPECT_TRUE(this->find(3)); });
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_TRUE(this->put(3, 'b'));
    waiting.join();
}

TYPED_TEST_P(KeeperSuite, ListsWhatThereIs) {
    ASSERT_TRUE(this->keeper().retain("x", {.keep = 2}));
    for (int version = 0; version < 4; ++version) {
        ASSERT_TRUE(this->put(version, 'a'));
    }
    ASSERT_TRUE(this->put(this->block(0, 1, 9), 'a'));
    EXPECT_EQ(this->another().list("*").value(), std::vector<std::string>{"x"});
    EXPECT_EQ(this->another().list("y*").value(), std::vector<std::string>{});
    const auto versions = this->another().versions("x");
    ASSERT_TRUE(versions);
    ASSERT_EQ(versions->size(), 3U);
    EXPECT_EQ(versions->front().version, 2);
    EXPECT_TRUE(versions->front().is_complete);
    EXPECT_EQ(versions->front().bytes, 64);
    EXPECT_EQ(versions->front().whole.attributes, (Attributes{{"run", "a12"}}));
    EXPECT_FALSE(versions->back().is_complete);
    EXPECT_EQ(this->another().versions("y").error().code, ErrorCode::not_found);
}

TYPED_TEST_P(KeeperSuite, ThreadsPutAndFindAtTheSameTime) {
    constexpr int each = 60;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([this, thread] {
            for (int i = 0; i < each; ++i) {
                EXPECT_TRUE(this->put(thread * each + i, static_cast<char>('a' + thread)));
                const auto found = this->find(thread * each + i);
                ASSERT_TRUE(found) << found.error().message;
                EXPECT_EQ(shown_block(*found, 0), std::string(64, static_cast<char>('a' + thread)));
            }
        });
    }
    std::ranges::for_each(threads, &std::thread::join);
    EXPECT_EQ(this->keeper().versions("x")->size(), 4U * each);
}

TYPED_TEST_P(KeeperSuite, ContainersHaveAttributesOfTheirOwn) {
    ASSERT_TRUE(this->put(1, 'a'));
    ASSERT_TRUE(this->keeper().set_attributes("run/x", {{"owner", "kb"}, {"t0", 3}}));
    ASSERT_TRUE(this->another().set_attributes("run/x", {{"t0", Value()}, {"t1", 4}}));
    EXPECT_EQ(this->keeper().attributes("run/x").value(), (Attributes{{"owner", "kb"}, {"t1", 4}}));
    EXPECT_EQ(this->keeper().attributes("x").value(), Attributes{}) << "those of versions are not the variable's";
    EXPECT_EQ(this->another().list_containers("*").value(), (std::vector<std::string>{"run", "run/x"}));
    EXPECT_EQ(this->another().list_containers("?*/*").value(), std::vector<std::string>{"run/x"});
}

TYPED_TEST_P(KeeperSuite, AContainerIsRemovedWithAllThatIsInIt) {
    ASSERT_TRUE(this->put(1, 'a'));
    const auto put_as = [&](const char* variable) {
        auto put = this->block(0, 64, 1);
        put.block.variable = variable;
        return this->put(put, 'a');
    };
    for (const char* variable : {"run", "run/x", "run/y/x", "run2/x", "run/x?"}) {
        ASSERT_TRUE(put_as(variable)) << variable;
    }
    for (const char* path : {"", "run", "run/y", "run/x", "run2"}) {
        ASSERT_TRUE(this->keeper().set_attributes(path, {{"by", "me"}}));
    }
    EXPECT_EQ(this->another().remove_container("run").value(), 3);
    EXPECT_EQ(this->keeper().list("*").value(), (std::vector<std::string>{"run", "run2/x", "x"}));
    EXPECT_EQ(this->keeper().attributes("run/y").value(), Attributes{});
    EXPECT_EQ(this->keeper().attributes("run").value(), Attributes{});
    EXPECT_EQ(this->keeper().attributes("run2").value().size(), 1U);
    EXPECT_EQ(this->keeper().remove_container("run").value(), 0) << "there is none any more";
    EXPECT_EQ(this->keeper().remove_container("run*").value(), 0) << "no pattern, but a name";
    ASSERT_TRUE(put_as("run/x")) << "the same again";
    EXPECT_EQ(this->another().remove_container("").value(), 4);
    EXPECT_EQ(this->keeper().list("*").value(), std::vector<std::string>{});
    EXPECT_EQ(this->keeper().attributes("").value(), Attributes{});
}

REGISTER_TYPED_TEST_SUITE_P(KeeperSuite, WhatIsPutIsFoundThroughEveryDoor, BlocksComeInTheOrderInWhichTheyWerePut,
                            WhoIsTooEarlyWaits, WhoWaitsInVainIsToldWhatThereIs,
                            WhatCannotBePutIsRefusedBeforeItIsFilled, RoomThatIsNotUsedIsGivenBack,
                            WhatIsHeldStaysWhenItIsRemovedAndMoreIsPut, RanksWithNothingToPutAreInNobodysWay,
                            WhatSomebodyWaitsForStays, ListsWhatThereIs, ContainersHaveAttributesOfTheirOwn,
                            AContainerIsRemovedWithAllThatIsInIt, ThreadsPutAndFindAtTheSameTime);

}  // namespace staithe::testing
