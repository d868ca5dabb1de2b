#include "stream/holding/fabric_messages.hpp"

#include <string>

#include <gtest/gtest.h>

namespace staithe::stream::fabric {
namespace {

Attributes without(Attributes body, const std::string& field, const Value& instead = nullptr) {
    body[field] = instead;
    return body;
}

TEST(FabricMessages, AreUnderstoodAsTheyWereMeant) {
    const Wish wish{"10.77.0.1", {{"verbs;ofi_rxm", "117.0"}, {"net", "117.0"}}};
    const auto understood = decode_wish(encode(wish));
    ASSERT_TRUE(understood);
    EXPECT_EQ(understood->host, wish.host);
    EXPECT_EQ(understood->providers, wish.providers);

    const store::fabric::Terms terms{
        {"net", "117.0"}, "", std::string("\x02\x00\xff", 3), {.address = UINT64_MAX, .key = 7}, UINT64_MAX - 1};
    const auto agreed = decode_terms(encode(terms));
    ASSERT_TRUE(agreed);
    EXPECT_EQ(agreed->provider, terms.provider);
    EXPECT_EQ(agreed->address, terms.address);
    EXPECT_EQ(agreed->greeting.address, UINT64_MAX);
    EXPECT_EQ(agreed->greeting.key, 7);
    EXPECT_EQ(agreed->greeting_number, UINT64_MAX - 1);

    const auto bytes = decode_bytes(encode(Bytes{3, 4096, 100}));
    ASSERT_TRUE(bytes);
    EXPECT_EQ(bytes->store, 3);
    EXPECT_EQ(bytes->offset, 4096);
    EXPECT_EQ(bytes->bytes, 100);

    const auto place = decode_place(encode(transport::fabric::Place{4096, 100, UINT64_MAX, 9}));
    ASSERT_TRUE(place);
    EXPECT_EQ(place->offset, 4096);
    EXPECT_EQ(place->bytes, 100);
    EXPECT_EQ(place->address, UINT64_MAX);
    EXPECT_EQ(place->key, 9);
}

TEST(FabricMessages, WhatIsGarbledIsRefused) {
    const Attributes wish = encode(Wish{"10.77.0.1", {{"net", "117.0"}}});
    EXPECT_FALSE(decode_wish(without(wish, "host")));
    EXPECT_FALSE(decode_wish(without(wish, "host", "a.name.to.look.up")));
    EXPECT_FALSE(decode_wish(without(wish, "providers")));
    EXPECT_FALSE(decode_wish(without(wish, "providers", List{List{"net"}})));
    EXPECT_FALSE(decode_wish(without(wish, "providers", List{List{"net", 117}})));
    EXPECT_FALSE(decode_wish(without(wish, "providers", List(33, List{"net", "117.0"}))));

    const Attributes terms = encode(store::fabric::Terms{{"net", "117.0"}, "", "abc", {}, 1});
    for (const char* field : {"provider", "version", "address", "greeting", "key", "number"}) {
        EXPECT_FALSE(decode_terms(without(terms, field))) << field;
    }
    EXPECT_FALSE(decode_terms(without(terms, "address", "0g")));
    EXPECT_FALSE(decode_terms(without(terms, "address", "012")));
    EXPECT_FALSE(decode_terms(without(terms, "address", std::string(600, '0'))));

    const Attributes bytes = encode(Bytes{3, 4096, 100});
    EXPECT_FALSE(decode_bytes(without(bytes, "store", -1)));
    EXPECT_FALSE(decode_bytes(without(bytes, "offset", -1)));
    EXPECT_FALSE(decode_bytes(without(bytes, "bytes", 0)));

    const Attributes place = encode(transport::fabric::Place{4096, 100, 1, 2});
    EXPECT_FALSE(decode_place(without(place, "bytes", INT64_MAX)));
    EXPECT_FALSE(decode_place(without(place, "key")));
}

}  // namespace
}  // namespace staithe::stream::fabric
