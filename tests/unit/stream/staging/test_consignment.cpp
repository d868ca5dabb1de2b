#include "stream/staging/consignment.hpp"

#include <gtest/gtest.h>

namespace staithe::stream {
namespace {

TEST(Consignment, RoundTripsThroughAMessage) {
    const Consignment consignment{3, "a contact", {{.store = 3, .offset = 4096, .bytes = 100}, {.store = 3}}};
    const auto decoded = decode_consignment(encode(consignment)).value();
    EXPECT_EQ(decoded.rank, 3);
    EXPECT_EQ(decoded.contact, "a contact");
    EXPECT_EQ(decoded.blocks, consignment.blocks);
    EXPECT_TRUE(decode_consignment(encode(Consignment{0, "", {}})).value().blocks.empty());
}

TEST(Consignment, LacksNoField) {
    const Attributes whole = encode(Consignment{3, "a contact", {{.store = 3, .bytes = 100}}});
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

TEST(Stowage, LaysBlocksBehindEachOther) {
    const auto stowage = stow({{.bytes = 1}, {.bytes = 64}, {.bytes = 0}, {.bytes = 65}}).value();
    EXPECT_EQ(stowage.offsets, (std::vector<std::int64_t>{0, 64, 128, 128}));
    EXPECT_EQ(stowage.bytes, 256);
    EXPECT_EQ(stow({}).value().bytes, 0);
}

TEST(Stowage, OfWhatNoBlockCanBeIsRefused) {
    for (const std::int64_t bytes : {std::int64_t{-1}, INT64_MIN, INT64_MAX, INT64_MAX - 63}) {
        EXPECT_EQ(stow({{.bytes = bytes}}).error().code, ErrorCode::protocol) << bytes;
    }
    EXPECT_FALSE(stow({{.bytes = INT64_MAX / 2}, {.bytes = INT64_MAX / 2}}));
}

}  // namespace
}  // namespace staithe::stream
