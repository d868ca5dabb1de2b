// What messages say of blocks that lie with two servers, and of puts that may be asked for again.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "space/served/messages.hpp"
#include "space/served/messages_many.hpp"

namespace staithe::space {
namespace {

using store::space::BlockPlace;
using store::space::lost_store;
using store::space::Put;

Put put() {
    Put put;
    put.block = {.variable = "T", .dtype = Dtype::f64, .shape = {10}, .box = {{2}, {3}}, .unit = {}, .attributes = {}};
    put.version = 7;
    put.id = {"program 1", 5, 3};
    put.twin = BlockPlace{4, 128};
    return put;
}

Found found() {
    Found found{.version = 7, .serial = 1, .whole = put().block, .blocks = {}, .source = nullptr, .pin = nullptr};
    found.whole.box = Box::whole(found.whole.shape);
    for (const std::int64_t at : {0, 5, 9}) {
        found.blocks.push_back({.box = {{at}, {1}}, .ref = {.store = 3, .offset = 64 * at, .bytes = 8}});
    }
    found.blocks[1].twin = BlockPlace{4, 0};
    found.blocks[2].twin = BlockPlace{5, 64};
    return found;
}

TEST(MessagesReplicasTest, APutHasItsNumberAndItsTwin) {
    const auto decoded = decode_put(encode(put()));
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(decoded->id.program, "program 1");
    EXPECT_EQ(decoded->id.number, 5);
    EXPECT_EQ(decoded->id.settled, 3);
    EXPECT_EQ(decoded->twin, BlockPlace(4, 128));
    Put plain = put();
    plain.id = {};
    plain.twin = std::nullopt;
    EXPECT_FALSE(encode(plain).contains(put_id));
    EXPECT_FALSE(encode(plain).contains("twin"));
    EXPECT_TRUE(decode_put(encode(plain)).value().id.program.empty());
    EXPECT_EQ(decode_put(encode(plain)).value().twin, std::nullopt);
}

TEST(MessagesReplicasTest, WhatWasFoundHasTheTwinsOfThoseThatHaveOne) {
    std::vector<std::byte> enclosed(16);
    const Attributes body = encode(found(), enclosed);
    const auto decoded = decode_found(body, enclosed);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(enclosed.size(), 16U) << "what came before the table";
    ASSERT_EQ(decoded->blocks.size(), 3U);
    EXPECT_EQ(decoded->blocks[0].twin, std::nullopt);
    EXPECT_EQ(decoded->blocks[1].twin, BlockPlace(4, 0));
    EXPECT_EQ(decoded->blocks[2].twin, BlockPlace(5, 64));
}

TEST(MessagesReplicasTest, TheTableOfBlocksHasThemAll) {
    const auto decoded_with = [](const auto& change) {
        std::vector<std::byte> enclosed;
        Attributes body = encode(found(), enclosed);
        change(body, enclosed);
        return decode_found(body, enclosed);
    };
    const auto of_entry = [](std::size_t at, std::int64_t value) {
        return
            [=](Attributes&, std::vector<std::byte>& table) { std::memcpy(table.data() + at, &value, sizeof(value)); };
    };
    EXPECT_TRUE(decoded_with([](auto&, auto&) {}));
    EXPECT_FALSE(decoded_with([](auto&, auto& table) { table.pop_back(); }));
    EXPECT_FALSE(decoded_with([](auto& body, auto&) { body["blocks"] = 4; }));
    EXPECT_FALSE(decoded_with([](auto& body, auto&) { body["blocks"] = INT64_MAX; }));
    EXPECT_FALSE(decoded_with([](auto& body, auto&) { body["blocks"] = List{1}; }));
    EXPECT_FALSE(decoded_with([](auto& body, auto&) { body["blocks"] = -1; }));
    EXPECT_FALSE(decoded_with(of_entry(0, INT64_MAX))) << "by columns";
    for (const std::size_t at : {8U, 16U, 24U, 32U}) {  // where it lies, its bytes, its box
        EXPECT_FALSE(decoded_with(of_entry(at, -1))) << at;
    }
    EXPECT_FALSE(decoded_with(of_entry(24, 10))) << "beyond the array";
}

TEST(MessagesReplicasTest, OfManyPutsTheNumbersFollowEachOther) {
    std::vector<Parcel> parcels(3, Parcel{put()});
    for (std::int64_t i = 0; i < 3; ++i) {
        Put& each = parcels[static_cast<std::size_t>(i)].put;
        each.twin = std::nullopt;
        each.id.number = 5 + i;
        each.block.box.offset = {i};
    }
    const auto decoded = decode_puts(encode(parcels));
    ASSERT_TRUE(decoded) << decoded.error().message;
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ((*decoded)[i].id.program, "program 1");
        EXPECT_EQ((*decoded)[i].id.number, parcels[i].put.id.number);
        EXPECT_EQ((*decoded)[i].id.settled, 3);
    }
}

TEST(MessagesReplicasTest, WhatNobodyWouldSendIsRefused) {
    const auto refuses = [](const char* field, const Value& value) {
        std::vector<std::byte> table;
        Attributes of_put = encode(put()), of_found = encode(found(), table);
        of_put[field] = value;
        of_found[field] = value;
        return !decode_put(of_put) || !decode_found(of_found, table);
    };
    for (const Value& id : {Value(List{"p", 1}), Value(List{1, 2, 3}), Value(List{"p", 1, Value()}), Value(List{})}) {
        EXPECT_TRUE(refuses(put_id, id));
    }
    for (const Value& twin : {Value(List{4}), Value(List{4, -1}), Value(List{-1, 4}), Value(List{lost_store, 0})}) {
        EXPECT_TRUE(refuses("twin", twin));
    }
    for (const Value& twins : {Value(List{1, 4}), Value(List{3, 4, 0}), Value(List{-1, 4, 0}), Value(List{1, -1, 0}),
                               Value(List{1, lost_store, 0}), Value(List{1, 4, -1}), Value(List{"a", 4, 0})}) {
        EXPECT_TRUE(refuses("twins", twins));
    }
}

}  // namespace
}  // namespace staithe::space
