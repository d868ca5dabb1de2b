#include "stream/waiting/awaited.hpp"

#include <gtest/gtest.h>

#include "base/value_codec.hpp"

namespace staithe::stream {
namespace {

const Awaited awaited_ranks{"writer rank 1 has not ended step 5",
                            {{"melt", "node1", 11}, {"melt", "node1", 12}},
                            Awaited::Absent::writers,
                            2,
                            {"plot"}};

TEST(Awaited, RoundTripsThroughAMessage) {
    const auto decoded = decode_awaited(*base::from_cbor(base::to_cbor(encode(awaited_ranks)))->as_map());
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->reason, awaited_ranks.reason);
    ASSERT_EQ(decoded->on.size(), 2U);
    EXPECT_EQ(transport::to_string(decoded->on[1]), "melt (pid 12 on node1)");
    EXPECT_EQ(decoded->absent, Awaited::Absent::writers);
    EXPECT_EQ(decoded->absent_count, 2);
    EXPECT_EQ(decoded->present, std::vector<std::string>{"plot"});
}

TEST(Awaited, LacksNoField) {
    for (const auto& [name, value] : encode(awaited_ranks)) {
        for (const Value& wrong : {Value(), Value(-1), Value(List{1, "x"})}) {
            Attributes body = encode(awaited_ranks);
            body[name] = wrong;
            EXPECT_FALSE(decode_awaited(body)) << name;
        }
    }
}

}  // namespace
}  // namespace staithe::stream
