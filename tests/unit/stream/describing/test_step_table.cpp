#include "stream/describing/step_table.hpp"

#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "base/value_codec.hpp"

namespace staithe::stream {
namespace {

std::vector<std::byte> example_table(std::uint64_t step, std::uint64_t blocks, std::size_t attribute_bytes) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(step_table_bytes(blocks, attribute_bytes)));
    const StepTableHeader header{step_table_magic, step_table_version, step, 4, blocks, attribute_bytes};
    std::memcpy(bytes.data(), &header, sizeof(header));
    return bytes;
}

std::vector<std::byte> of_ranks(const std::vector<Attributes>& ranks) {
    base::ByteWriter out;
    for (const Attributes& attributes : ranks) {
        out.sized(base::to_cbor(attributes));
    }
    return {out.bytes().begin(), out.bytes().end()};
}

TEST(StepTable, SaysWhereTheBlocksLie) {
    const auto table = decode_step_table(example_table(7, 3, 5), 7);
    ASSERT_TRUE(table);
    EXPECT_EQ(table->layout, 4U);
    EXPECT_EQ(table->blocks.size(), 3U);
    EXPECT_EQ(table->attributes.size(), 5U);
}

TEST(StepTable, IsRejectedWhenCutShortAtAnyByteOrTooLongOrOfAnotherStep) {
    auto bytes = example_table(7, 2, 5);
    EXPECT_FALSE(decode_step_table(bytes, 8));
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_EQ(decode_step_table(std::span(bytes).first(length), 7).error().code, ErrorCode::protocol) << length;
    }
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(decode_step_table(bytes, 7));
}

TEST(StepTable, NumbersOfBlocksThatTheBytesCannotHoldAreNotBelieved) {
    for (const std::uint64_t blocks : {std::uint64_t{3}, UINT64_MAX / 24, UINT64_MAX / 24 + 1, UINT64_MAX}) {
        auto bytes = example_table(7, 2, 0);
        std::memcpy(bytes.data() + offsetof(StepTableHeader, blocks), &blocks, sizeof(blocks));
        EXPECT_FALSE(decode_step_table(bytes, 7)) << blocks;
    }
}

TEST(StepTable, WhereRanksSayDifferentThingsTheLowerOneCounts) {
    const auto merged = merge_attributes(of_ranks({{{"time", 1.0}, {"a", 1}}, {{"time", 2.0}, {"b", 2}}}));
    EXPECT_EQ(merged.value(), (Attributes{{"time", 1.0}, {"a", 1}, {"b", 2}}));
    EXPECT_TRUE(merge_attributes({}).value().empty());
}

TEST(StepTable, AttributesThatAreCutShortAreRejected) {
    const auto bytes = of_ranks({{{"time", 1.0}}});
    for (std::size_t length = 1; length < bytes.size(); ++length) {
        EXPECT_FALSE(merge_attributes(std::span(bytes).first(length))) << length;
    }
}

TEST(LayoutBytes, HoldHeadsThatAreTheSameOnceAndAllBoxes) {
    std::vector<std::vector<std::byte>> schemas;
    for (const auto& [head, box] : {std::pair{"one", 1}, {"one", 2}, {"two", 3}, {"one", 4}}) {
        base::ByteWriter schema;
        schema.sized(std::string_view(head));
        schema.number(box);
        schemas.emplace_back(schema.bytes().begin(), schema.bytes().end());
    }
    const std::vector<std::span<const std::byte>> spans(schemas.begin(), schemas.end());
    const auto bytes = encode_layout(9, spans);
    const auto parts = split_layout(bytes, 9);
    ASSERT_TRUE(parts);
    ASSERT_EQ(parts->heads.size(), 2U);
    EXPECT_EQ(std::memcmp(parts->heads[1].data(), "two", 3), 0);
    EXPECT_EQ(parts->head_of_rank, (std::vector<std::uint32_t>{0, 0, 1, 0}));
    const int boxes[] = {1, 2, 3, 4};
    ASSERT_EQ(parts->boxes.size(), sizeof(boxes));
    EXPECT_EQ(std::memcmp(parts->boxes.data(), boxes, sizeof(boxes)), 0);
    EXPECT_FALSE(split_layout(bytes, 8));
    for (std::size_t length = 0; length < bytes.size() - sizeof(boxes); ++length) {
        EXPECT_EQ(split_layout(std::span(bytes).first(length), 9).error().code, ErrorCode::protocol) << length;
    }
}

TEST(LayoutBytes, RankWithAHeadThatIsNotThereIsRejected) {
    base::ByteWriter schema;
    schema.sized(std::string_view("head"));
    const std::span<const std::byte> spans[] = {schema.bytes()};
    auto bytes = encode_layout(1, spans);
    const std::uint32_t another = 1;
    std::memcpy(bytes.data() + bytes.size() - sizeof(another), &another, sizeof(another));
    EXPECT_FALSE(split_layout(bytes, 1));
}

}  // namespace
}  // namespace staithe::stream
