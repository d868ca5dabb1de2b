#include "stream/describing/record.hpp"

#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::stream {
namespace {

/// A record as a writer rank writes it.
std::vector<std::byte> example_record(std::uint64_t step, std::uint64_t blocks, std::size_t attribute_bytes) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(record_bytes(blocks, attribute_bytes)));
    const RecordHeader header{record_magic, record_version, step, blocks, 1, 64, 128, attribute_bytes, 0};
    std::memcpy(bytes.data(), &header, sizeof(header));
    for (std::uint64_t i = 0; i < blocks; ++i) {
        const store::BlockRef block{.store = 2, .offset = static_cast<std::int64_t>(4096 * i), .bytes = 80};
        std::memcpy(bytes.data() + sizeof(header) + i * sizeof(block), &block, sizeof(block));
    }
    return bytes;
}

TEST(Record, SaysWhereTheBlocksLie) {
    const auto bytes = example_record(7, 3, 5);
    const auto header = read_record_header(bytes, 7);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->schema_bytes, 128);
    const RecordView record = view_record(bytes, *header);
    EXPECT_EQ(record.schema, 1U);
    ASSERT_EQ(record.blocks.size(), 3U);
    EXPECT_EQ(record.blocks[2], (store::BlockRef{.store = 2, .offset = 8192, .bytes = 80}));
    EXPECT_EQ(record.attributes.size(), 5U);
}

TEST(Record, IsRejectedWhenCutShortAtAnyByteOrTooLong) {
    auto bytes = example_record(7, 3, 5);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_EQ(read_record_header(std::span(bytes).first(length), 7).error().code, ErrorCode::protocol) << length;
    }
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(read_record_header(bytes, 7));
}

TEST(Record, OfAnotherStepOrVersionIsRejected) {
    auto bytes = example_record(7, 1, 0);
    EXPECT_FALSE(read_record_header(bytes, 8));
    bytes[offsetof(RecordHeader, version)] = std::byte{99};
    EXPECT_FALSE(read_record_header(bytes, 7));
}

TEST(Record, GarbledHeadersNeverLeadOutOfBounds) {
    std::mt19937 random(13);
    for (int turn = 0; turn < 20'000; ++turn) {
        auto bytes = example_record(7, 1 + random() % 3, random() % 9);
        bytes[8 * (random() % 8) + random() % 8] = static_cast<std::byte>(random());
        if (const auto header = read_record_header(bytes, 7)) {
            const RecordView record = view_record(bytes, *header);
            EXPECT_LE(record.blocks.size_bytes() + record.attributes.size(), bytes.size());
        }
    }
}

}  // namespace
}  // namespace staithe::stream
