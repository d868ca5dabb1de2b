#include "stream/directing/protocol.hpp"

#include <gtest/gtest.h>

#include "base/value_codec.hpp"

namespace staithe::stream {
namespace {

Joined example() {
    return {5,
            {{"kind", "shared"}},
            2,
            42,
            {4, 1 << 20, 1 << 30, true},
            true,
            {{"units", "lj"}},
            {{"simulation", "node1", 11}, {"simulation", "node1", 12}}};
}

TEST(Joined, RoundTripsThroughAMessage) {
    Joined joined = example();
    joined.server = "staithe";
    joined.depots = {"alpha:7700", ""};
    joined.depot_service = "depot of melt";
    joined.twin = "melt.twin";
    const auto bytes = base::to_cbor(encode(joined));
    const auto decoded = decode_joined(*base::from_cbor(bytes)->as_map());
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->member, joined.member);
    EXPECT_EQ(decoded->channel, joined.channel);
    EXPECT_EQ(decoded->writers, joined.writers);
    EXPECT_EQ(decoded->first_step, joined.first_step);
    EXPECT_EQ(decoded->queue.steps, joined.queue.steps);
    EXPECT_EQ(decoded->queue.bytes, joined.queue.bytes);
    EXPECT_EQ(decoded->queue.spill_bytes, joined.queue.spill_bytes);
    EXPECT_EQ(decoded->queue.compresses, joined.queue.compresses);
    EXPECT_EQ(decoded->on_request, joined.on_request);
    EXPECT_EQ(decoded->attributes, joined.attributes);
    EXPECT_EQ(decoded->server, joined.server);
    EXPECT_EQ(decoded->depots, joined.depots);
    EXPECT_EQ(decoded->depot_service, joined.depot_service);
    EXPECT_EQ(decoded->twin, joined.twin);
    ASSERT_EQ(decoded->writer_of.size(), 2U);
    EXPECT_EQ(decoded->writer_of[1].program, "simulation");
    EXPECT_EQ(decoded->writer_of[1].host, "node1");
    EXPECT_EQ(decoded->writer_of[1].pid, 12);
}

TEST(Joined, LacksNoField) {
    for (const auto& [name, value] : encode(example())) {
        Attributes body = encode(example());
        body.erase(name);
        EXPECT_FALSE(decode_joined(body)) << name;
        body[name] = value.as_string() != nullptr ? Value(List{}) : Value("of another kind");
        EXPECT_FALSE(decode_joined(body)) << name;
        body[name] = -1;
        EXPECT_FALSE(decode_joined(body)) << name;
    }
}

TEST(Announcement, OfOneBlockHoldsIt) {
    StepEntry entry;
    entry.block = {.store = 3, .encoding = store::Encoding::payload, .offset = 4096, .bytes = 80};
    const transport::Message message = announcement(7, entry);
    EXPECT_EQ(message.kind, static_cast<std::uint32_t>(Hot::announce_block));
    EXPECT_EQ(message.step, 7U);
    EXPECT_EQ(block_in(message), *entry.block);
}

TEST(Announcement, OfMoreSaysWhereTheTableLies) {
    StepEntry entry;
    entry.table = {{128, 200}};
    const transport::Message message = announcement(7, entry);
    EXPECT_EQ(message.kind, static_cast<std::uint32_t>(Hot::announce));
    EXPECT_EQ(message.offset, 128);
    EXPECT_EQ(message.bytes, 200);
}

TEST(MessageFields, AreCheckedForKindAndRange) {
    const Attributes body{{"number", 5}, {"text", "five"}};
    EXPECT_EQ(integer_field(body, "number", 0, 5).value(), 5);
    EXPECT_EQ(integer_field(body, "number", 6, 9).error().code, ErrorCode::protocol);
    EXPECT_EQ(integer_field(body, "number", 0, 4).error().code, ErrorCode::protocol);
    EXPECT_FALSE(integer_field(body, "text", 0, 9));
    EXPECT_FALSE(integer_field(body, "none", 0, 9));
    EXPECT_EQ(text_field(body, "text").value(), "five");
    EXPECT_FALSE(text_field(body, "number"));
    EXPECT_FALSE(text_field(body, "none"));
}

}  // namespace
}  // namespace staithe::stream
