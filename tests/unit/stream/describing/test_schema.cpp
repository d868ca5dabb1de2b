#include "stream/describing/schema.hpp"

#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::stream {
namespace {

using Bytes = std::vector<std::byte>;

BlockDescription random_block(std::mt19937& random) {
    BlockDescription block;
    block.variable = std::string(1 + random() % 20, static_cast<char>('a' + random() % 26));
    block.dtype = static_cast<Dtype>(random() % (static_cast<unsigned>(Dtype::c256) + 1));
    block.local = random() % 2 == 0;
    block.column_major = random() % 2 == 0;
    const std::size_t dimensions = random() % (max_dimensions + 1);
    for (std::size_t i = 0; i < dimensions; ++i) {
        const std::int64_t offset = random() % 5;
        const std::int64_t count = random() % 4;
        block.box.offset.push_back(offset);
        block.box.count.push_back(count);
        block.shape.push_back(offset + count + random() % 3);
    }
    if (block.local) {
        block.box.offset = Extents::filled(dimensions, 0);
        block.shape = block.box.count;
    }
    block.unit = std::string(random() % 5, 'u');
    if (random() % 2 == 0) {
        block.attributes = {{"number", static_cast<std::int64_t>(random())}, {"list", List{1.5, "text", nullptr}}};
    }
    if (random() % 2 == 0) {
        block.error = random() % 2 == 0 ? codecs::Bound::relative(1e-3) : codecs::Bound::pointwise_relative(0.5);
    }
    return block;
}

std::vector<BlockDescription> random_schema(std::mt19937& random) {
    std::vector<BlockDescription> blocks(random() % 6);
    for (BlockDescription& block : blocks) {
        block = random_block(random);
    }
    return blocks;
}

TEST(Schema, RoundTripsAnyBlocks) {
    std::mt19937 random(11);
    for (int turn = 0; turn < 300; ++turn) {
        const auto blocks = random_schema(random);
        const auto decoded = decode_schema(encode_schema(blocks).value());
        ASSERT_TRUE(decoded);
        ASSERT_EQ(*decoded, blocks);
    }
}

TEST(Schema, IsRejectedWhenCutShortAtAnyByteOrTooLong) {
    std::mt19937 random(12);
    const std::vector<BlockDescription> blocks{random_block(random), random_block(random), random_block(random)};
    Bytes bytes = encode_schema(blocks).value();
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        const auto decoded = decode_schema(std::span(bytes).first(length));
        ASSERT_FALSE(decoded) << length << " of " << bytes.size() << " bytes";
        EXPECT_EQ(decoded.error().code, ErrorCode::protocol);
    }
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(decode_schema(bytes));
}

TEST(Schema, GarbledBytesNeverLeadOutOfBounds) {
    std::mt19937 random(13);
    for (int turn = 0; turn < 3000; ++turn) {
        Bytes bytes = encode_schema(random_schema(random)).value();
        for (unsigned flips = 1 + random() % 3; flips > 0; --flips) {
            bytes[random() % bytes.size()] = static_cast<std::byte>(random());
        }
        if (const auto decoded = decode_schema(bytes)) {
            for (const BlockDescription& block : *decoded) {
                EXPECT_TRUE(fits(block.box, block.shape));
                EXPECT_TRUE(size_in_bytes(block.box.count, block.dtype));
                EXPECT_FALSE(block.variable.empty());
            }
        }
    }
}

TEST(Schema, CountThatTheBytesCannotHoldIsNotBelieved) {
    const std::uint32_t head_of_many[] = {sizeof(std::uint32_t), UINT32_MAX};
    EXPECT_FALSE(decode_schema(std::as_bytes(std::span(head_of_many))));
}

TEST(Schema, BoxOutsideOfItsShapeIsRejected) {
    for (const Box& box : {Box{{3}, {2}}, Box{{-1}, {2}}, Box{{0}, {-1}}, Box{{INT64_MAX}, {1}}}) {
        BlockDescription block;
        block.variable = "x";
        block.shape = {4};
        block.box = box;
        EXPECT_FALSE(decode_schema(encode_schema(std::vector{block}).value()));
    }
}

TEST(Schema, ErrorsThatCannotBeAreRejected) {
    for (const double value : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
        BlockDescription block;
        block.variable = "T";
        block.error = codecs::Bound::absolute(value);
        EXPECT_EQ(decode_schema(encode_schema(std::vector{block}).value()).error().code, ErrorCode::protocol);
    }
    BlockDescription block;
    block.variable = "T";
    block.error = codecs::Bound::absolute(1.0);
    Bytes bytes = encode_schema(std::vector{block}).value();
    const std::size_t kind = 1 + sizeof(double) + 8;  // from the end: the box of a number is 8 bytes
    bytes[bytes.size() - kind] = std::byte{4};
    EXPECT_EQ(decode_schema(bytes).error().code, ErrorCode::protocol);
}

TEST(Schema, NamesAndUnitsThatAreNoTextAreRejected) {
    std::mt19937 random(14);
    for (const bool unit : {false, true}) {
        BlockDescription block = random_block(random);
        (unit ? block.unit : block.variable) = "\xff\xfe";
        EXPECT_EQ(decode_schema(encode_schema(std::vector{block}).value()).error().code, ErrorCode::protocol);
    }
}

TEST(Schema, SaysWhatItsBlocksAreOnceAndTheirBoxesBehind) {
    BlockDescription block;
    block.variable = "x";
    block.shape = {8, 8, 8};
    block.box = {{0, 0, 0}, {2, 2, 2}};
    const Bytes first = encode_schema(std::vector{block, block}).value();
    block.box.offset = {2, 2, 2};
    const Bytes second = encode_schema(std::vector{block, block}).value();
    const auto one = split_schema(first);
    const auto two = split_schema(second);
    ASSERT_TRUE(one && two);
    EXPECT_EQ(one->blocks, 2U);
    EXPECT_EQ(one->boxes.size(), 2 * 6 * sizeof(std::int64_t));
    EXPECT_TRUE(std::equal(one->head.begin(), one->head.end(), two->head.begin(), two->head.end()));
    EXPECT_FALSE(std::equal(one->boxes.begin(), one->boxes.end(), two->boxes.begin()));
}

}  // namespace
}  // namespace staithe::stream
