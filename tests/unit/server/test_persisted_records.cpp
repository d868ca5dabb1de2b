// What a log describes comes back as it was, and nothing else is taken for it.
#include "server/persisted_records.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::server {
namespace {

using Bytes = std::vector<std::byte>;

store::space::Put put() {
    store::space::Put put;
    put.block = {.variable = "run/T",
                 .dtype = Dtype::f32,
                 .column_major = true,
                 .shape = {40, 3, 0},
                 .box = {{30, 1, 0}, {10, 2, 0}},
                 .unit = "K",
                 .attributes = {{"run", "a12"}, {"steps", List{1, 2.5}}}};
    put.version = INT64_MAX;
    put.by = {"rank 3, python (pid 7 on here)", 3, 4};
    put.completes = true;
    return put;
}

TEST(PersistedRecordsTest, BlocksComeBackAsTheyWere) {
    for (const bool is_plain : {false, true}) {
        store::space::Put one = put();
        if (is_plain) {
            one.block = {.variable = "x", .dtype = Dtype::c128, .unit = "", .attributes = {}};
            one.by = {};
            one.completes = false;
        }
        const auto decoded = decode_record(encode_block("campaign", one));
        ASSERT_TRUE(decoded) << decoded.error().message;
        const auto& block = std::get<PersistedBlock>(*decoded);
        EXPECT_EQ(block.space, "campaign");
        EXPECT_EQ(block.put.block, one.block);
        EXPECT_EQ(block.put.version, one.version);
        EXPECT_EQ(block.put.by.name, one.by.name);
        EXPECT_EQ(block.put.by.rank, one.by.rank);
        EXPECT_EQ(block.put.by.ranks, one.by.ranks);
        EXPECT_EQ(block.put.completes, one.completes);
        EXPECT_TRUE(block.put.persist);
    }
}

TEST(PersistedRecordsTest, RulesAndAttributesComeBackAsTheyWere) {
    const PersistedRules rules{"campaign", "T", {.keep = 3, .keep_for = std::chrono::seconds(90)}};
    const auto decoded_rules = decode_record(encode(rules));
    ASSERT_TRUE(decoded_rules);
    const auto& same_rules = std::get<PersistedRules>(*decoded_rules);
    EXPECT_EQ(same_rules.variable, "T");
    EXPECT_EQ(same_rules.rules.keep, 3);
    EXPECT_EQ(same_rules.rules.keep_bytes, std::nullopt);
    EXPECT_EQ(same_rules.rules.keep_for, rules.rules.keep_for);
    EXPECT_EQ(key_of(same_rules), key_of(rules));

    const PersistedAttributes attributes{"campaign", "T", {{"by", "hand"}}};
    const auto decoded = decode_record(encode(attributes));
    ASSERT_TRUE(decoded);
    const auto& same = std::get<PersistedAttributes>(*decoded);
    EXPECT_EQ(same.path, "T");
    EXPECT_EQ(same.attributes, attributes.attributes);
    EXPECT_NE(key_of(same), key_of(rules));
}

TEST(PersistedRecordsTest, WhatIsCutShortOrGoesOnIsNone) {
    for (Bytes whole : {encode_block("campaign", put()), encode(PersistedRules{"campaign", "T", {.keep = 3}}),
                        encode(PersistedAttributes{"campaign", "run", {{"by", "hand"}}})}) {
        for (std::size_t length = 0; length < whole.size(); ++length) {
            EXPECT_FALSE(decode_record(std::span(whole).first(length))) << length;
        }
        whole.push_back({});
        EXPECT_FALSE(decode_record(whole));
    }
}

TEST(PersistedRecordsTest, BlocksThatNobodyCanHavePutAreNone) {
    const auto is_none = [](const auto& change) {
        store::space::Put one = put();
        change(one);
        return !decode_record(encode_block("campaign", one));
    };
    EXPECT_FALSE(is_none([](auto&) {}));
    EXPECT_TRUE(is_none([](auto& one) { one.block.variable = "\xff"; }));
    EXPECT_TRUE(is_none([](auto& one) { one.block.unit = "\xc0\x80"; }));
    EXPECT_TRUE(is_none([](auto& one) { one.by.name = "\xed\xa0\x80"; }));
    EXPECT_TRUE(is_none([](auto& one) { one.by.rank = 4; }));
    EXPECT_TRUE(is_none([](auto& one) { one.by.rank = -1; }));
    EXPECT_TRUE(is_none([](auto& one) { one.by.ranks = 0; }));
    EXPECT_TRUE(is_none([](auto& one) { one.block.box.offset[0] = 31; }));
    EXPECT_TRUE(is_none([](auto& one) { one.block.box.count[1] = -1; }));
    EXPECT_TRUE(is_none([](auto& one) { one.block.shape[2] = -1; }));
    EXPECT_TRUE(is_none([](auto& one) { one.block.dtype = static_cast<Dtype>(200); }));
}

}  // namespace
}  // namespace staithe::server
