#include "stream/directing/requests.hpp"

#include <gtest/gtest.h>

namespace staithe::stream {
namespace {

const Attributes join_request{{"size", 2}, {"program", "plot"}, {"group", "a"}, {"overflow", ""}, {"start", -1}};

DirectorSettings some_settings() {
    DirectorSettings settings;
    settings.stream = "s";
    settings.group_id = "w";
    settings.queue.steps = 1;
    settings.overflow = {Overflow::Policy::spill};
    return settings;
}

TEST(GroupWish, IsTakenFromTheRequest) {
    const auto wish = read_group_wish(join_request, some_settings());
    ASSERT_TRUE(wish);
    EXPECT_EQ(wish->program, "plot");
    EXPECT_EQ(wish->id, "a");
    EXPECT_EQ(wish->size, 2);
    EXPECT_EQ(wish->start, start_oldest);
    EXPECT_EQ(wish->overflow.policy, Overflow::Policy::spill) << "the stream's, since it names none";
    EXPECT_FALSE(wish->goes_on);
    EXPECT_FALSE(wish->is_inline);
}

TEST(GroupWish, OfTheWriterRanksThemselvesIsInline) {
    Attributes request = join_request;
    request["group"] = "winline";
    request["goes_on"] = true;
    const auto wish = read_group_wish(request, some_settings());
    EXPECT_TRUE(wish->is_inline);
    EXPECT_TRUE(wish->goes_on);
}

TEST(GroupWish, LacksNoFieldAndHasNoneOutOfRange) {
    for (const auto& [name, value] : join_request) {
        Attributes request = join_request;
        request.erase(name);
        EXPECT_EQ(read_group_wish(request, some_settings()).error().code, ErrorCode::protocol) << name;
    }
    for (const auto& [name, value] : {std::pair("size", 0), std::pair("start", -3)}) {
        Attributes request = join_request;
        request[name] = value;
        EXPECT_FALSE(read_group_wish(request, some_settings())) << name;
    }
}

TEST(GroupWish, WithAPolicyThatCannotWorkIsRefused) {
    for (const char* policy : {"whatever", "drop-oldest"}) {  // a queue of one step leaves nothing to drop in time
        Attributes request = join_request;
        request["overflow"] = policy;
        EXPECT_EQ(read_group_wish(request, some_settings()).error().code, ErrorCode::invalid_argument) << policy;
    }
}

}  // namespace
}  // namespace staithe::stream
