// What messages say of what is looked for.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "space/served/messages.hpp"

namespace staithe::space {
namespace {

using store::space::Wanted;

TEST(MessagesWantedTest, BoxesComeAsTheyWent) {
    for (const std::vector<Box>& boxes :
         {std::vector<Box>{}, {Box{}}, {Box{{3}, {0}}}, {Box{{0, 1}, {2, 3}}, Box{{INT64_MAX, -1}, {4, 5}}}}) {
        const auto decoded = decode_wanted(encode(Wanted{.variable = "T", .version = 7, .boxes = boxes}));
        ASSERT_TRUE(decoded) << decoded.error().message;
        EXPECT_EQ(decoded->boxes, boxes);
        EXPECT_EQ(decoded->box, std::nullopt);
    }
}

TEST(MessagesWantedTest, BoxesThatCannotBeAreRefused) {
    const List too_many(1 + 2 * (Wanted::most_boxes + 1), Value(1));
    for (const List& boxes : {List{}, List{-1}, List{1}, List{1, 2}, List{2, 0, 0, 1}, List{0, 0, 0}, List{1, 2, "3"},
                              List{INT64_MAX, 1}, List{max_dimensions + 1}, too_many}) {
        Attributes body = encode(Wanted{.variable = "T"});
        body["boxes"] = boxes;
        EXPECT_EQ(decode_wanted(body).error().code, ErrorCode::protocol) << boxes.size();
    }
}

}  // namespace
}  // namespace staithe::space
