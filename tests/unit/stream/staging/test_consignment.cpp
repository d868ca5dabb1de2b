#include "stream/staging/consignment.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "unit/stream/staging/blocks_of_a_rank.hpp"

namespace staithe::stream {
namespace {

/// Of an array in Fortran order, an empty one and a number.
Consignment described() {
    std::vector<BlockDescription> blocks(3);
    blocks[0].variable = "T";
    blocks[0].dtype = Dtype::f64;
    blocks[0].column_major = true;
    blocks[0].unit = "K";
    blocks[0].shape = {100, 200};
    blocks[0].box = {{10, 20}, {4, 5}};
    blocks[0].attributes = {{store::fill_attribute, 1e20}, {"long_name", "temperature"}};
    blocks[0].error = codecs::Bound::relative(1e-3);
    blocks[1].variable = "none";
    blocks[1].shape = blocks[1].box.count = {0, 3};
    blocks[1].box.offset = {0, 0};
    blocks[2].variable = "n";
    return {3,
            "a contact",
            {{.store = 3, .offset = 4096, .bytes = 160}, {.store = 3}, {.store = 3, .bytes = 1}},
            std::make_shared<const std::vector<BlockDescription>>(as_consigned(blocks))};
}

TEST(Consignment, RoundTripsThroughAMessage) {
    const Consignment consignment = described();
    const auto decoded = decode_consignment(encode(consignment)).value();
    EXPECT_EQ(decoded.rank, 3);
    EXPECT_EQ(decoded.contact, "a contact");
    EXPECT_EQ(decoded.blocks, consignment.blocks);
    EXPECT_EQ(*decoded.descriptions, *consignment.descriptions);
    EXPECT_TRUE(check(decoded));
    EXPECT_TRUE(decode_consignment(encode(Consignment{0, "", {}, bytes_of_each({})})).value().blocks.empty());
}

TEST(Consignment, TellsOfBlocksHowTheyLieAndHowFarOffTheyMayBe) {
    const auto consigned = described();
    const BlockDescription& block = consigned.descriptions->front();
    EXPECT_TRUE(block.column_major);
    EXPECT_EQ(block.box, Box::whole({4, 5}));
    EXPECT_EQ(block.error, codecs::Bound::relative(1e-3));
    EXPECT_EQ(block.attributes, (Attributes{{store::fill_attribute, 1e20}}));
}

TEST(Consignment, LacksNoField) {
    const Attributes whole = encode(described());
    for (const auto& [name, value] : whole) {
        Attributes less = whole;
        less.erase(name);
        EXPECT_EQ(decode_consignment(less).error().code, ErrorCode::protocol) << name;
    }
    for (const List& blocks : {List{1}, List{"a", 2}, List{1, 2, 3}, List{1, 2.5}}) {
        Attributes other = whole;
        other["blocks"] = blocks;
        EXPECT_EQ(decode_consignment(other).error().code, ErrorCode::protocol);
    }
}

TEST(Consignment, WhatDescribesNoBlockIsRefused) {
    const Attributes whole = encode(described());
    const std::vector<List> wrong{
        {1, 300, 1, "none", -1, "a", true},  // of each field
        {Value(), -1, Value(), List{-1}, 9, Value(), "a"},
        {2.5, "f8", "", List{"a"}, 2.5, List{}, List{}},
        {List{}, 1e9, 0, List{INT64_MAX, INT64_MAX}, INT64_MAX, std::nan(""), Attributes{}},
    };
    for (const List& values : wrong) {
        for (std::size_t field = 0; field < values.size(); ++field) {
            Attributes other = whole;
            (*other["described"].as_list())[field] = values[field];
            const auto decoded = decode_consignment(other);
            EXPECT_TRUE(!decoded || !check(*decoded)) << field;
        }
    }
}

TEST(Consignment, WhatLiesOtherwiseThanItIsDescribedIsRefused) {
    for (const auto& lie : std::vector<std::function<void(Consignment&)>>{
             [](Consignment& of) { of.blocks[0].bytes = 152; },
             [](Consignment& of) { of.blocks[0].offset = -8; },
             [](Consignment& of) { of.blocks[1].bytes = -1; },
             [](Consignment& of) { of.blocks[2].encoding = store::Encoding::payload; },
             [](Consignment& of) { of.blocks.pop_back(); },
             [](Consignment& of) { of.descriptions = nullptr; },
         }) {
        Consignment consignment = described();
        lie(consignment);
        EXPECT_EQ(check(consignment).error().code, ErrorCode::protocol);
    }
}

/// Two blocks of 1,000 and 7 bytes.
Consignment consigned() {
    std::vector<store::BlockRef> blocks{{.offset = 0, .bytes = 1000}, {.offset = 4096, .bytes = 7}};
    auto described = bytes_of_each(blocks);
    return {3, "a contact", std::move(blocks), std::move(described)};
}

TEST(Stowed, RoundTripsThroughAMessage) {
    const Stowed stowed{
        4096, 300, {{.encoding = store::Encoding::parts, .offset = 4096, .bytes = 100}, {.offset = 4224, .bytes = 7}}};
    const auto decoded = decode_stowed(encode(stowed), consigned()).value();
    EXPECT_EQ(decoded.place, 4096);
    EXPECT_EQ(decoded.bytes, 300);
    EXPECT_EQ(decoded.blocks, stowed.blocks);
    const Attributes whole = encode(stowed);
    Consignment more = consigned();
    more.blocks.push_back({.bytes = 1});
    more.descriptions = bytes_of_each(more.blocks);
    EXPECT_EQ(decode_stowed(whole, more).error().code, ErrorCode::protocol) << "of other blocks";
    for (const auto& [name, value] : whole) {
        Attributes less = whole;
        less.erase(name);
        EXPECT_EQ(decode_stowed(less, consigned()).error().code, ErrorCode::protocol) << name;
    }
    for (const List& blocks : {List{1, 2, 3}, List{1, 2, 70'000, 4, 5, 0}, List{"a", 2, 0, 4, 5, 0}}) {
        Attributes other = whole;
        other["blocks"] = blocks;
        EXPECT_EQ(decode_stowed(other, consigned()).error().code, ErrorCode::protocol);
    }
}

TEST(Stowed, ThatCannotBeWhatWasConsignedIsRefused) {
    const auto is_refused = [](std::int64_t place, std::int64_t bytes, List blocks) {
        const Attributes body{{"place", place}, {"bytes", bytes}, {"blocks", std::move(blocks)}};
        const auto decoded = decode_stowed(body, consigned());
        return !decoded && decoded.error().code == ErrorCode::protocol;
    };
    EXPECT_FALSE(is_refused(64, 1088, {64, 1000, 0, 1088, 7, 0}));
    const std::vector<List> wrong{
        {64, 999, 0, 1088, 7, 0},                       // not its elements
        {64, 1000, 1, 1088, 7, 0},                      // depots encode nothing
        {63, 1000, 0, 1088, 7, 0},                      // before the place
        {64, 1000, 0, 1146, 7, 0},                      // beyond its end
        {64, -1, 2, 1088, 7, 0},                        //
        {64, INT64_MAX, 2, 1088, 7, 0},                 //
        {INT64_MAX, 1000, 0, 1088, 7, 0},               //
        {64, 1000, std::int64_t{1} << 32, 1088, 7, 0},  //
    };
    for (std::size_t i = 0; i < wrong.size(); ++i) {
        EXPECT_TRUE(is_refused(64, 1088, wrong[i])) << i;
    }
    EXPECT_TRUE(is_refused(INT64_MAX - 64, 1088, {INT64_MAX - 64, 1000, 0, INT64_MAX, 7, 0}));
    EXPECT_TRUE(is_refused(64, 10 << 20, {64, 1000, 0, 1088, 7, 0})) << "it takes far more";
}

TEST(Stowage, LaysBlocksBehindEachOther) {
    const auto stowage = stow({{.bytes = 1}, {.bytes = 64}, {.bytes = 0}, {.bytes = 65}}).value();
    EXPECT_EQ(stowage.offsets, (std::vector<std::int64_t>{0, 64, 128, 128}));
    EXPECT_EQ(stowage.bytes, 256);
    EXPECT_EQ(stow({}).value().bytes, 0);
}

TEST(Stowage, OfWhatNoBlockCanBeIsRefused) {
    for (const std::int64_t bytes : {std::int64_t{-1}, INT64_MIN, INT64_MAX, INT64_MAX / 4 + 1}) {
        EXPECT_EQ(stow({{.bytes = bytes}}).error().code, ErrorCode::protocol) << bytes;
    }
    EXPECT_TRUE(stow({{.bytes = INT64_MAX / 4}}));
    EXPECT_FALSE(stow({{.bytes = INT64_MAX / 4}, {.bytes = 1}}));
    EXPECT_FALSE(stow({{.bytes = INT64_MAX / 8}, {.bytes = INT64_MAX / 4}}));
}

}  // namespace
}  // namespace staithe::stream
