#include "transport/directory/url.hpp"

#include <gmock/gmock.h>

#include "transport/directory/address.hpp"

namespace staithe::transport {
namespace {

TEST(Url, HasAddressesAndAName) {
    const auto url = parse_url("staithe://node7:7700,[fe80::7]:7701/melt").value();
    ASSERT_TRUE(url);
    EXPECT_EQ(url->addresses, "node7:7700,[fe80::7]:7701");
    EXPECT_EQ(url->name, "melt");
    EXPECT_EQ(parse_url("melt").value(), std::nullopt);
}

TEST(Url, ThatNamesNothingIsRefused) {
    for (const char* text : {"staithe://", "staithe://node7:7700", "staithe://node7:7700/", "staithe:///melt",
                             "staithe://node7/melt", "staithe://node7:0/melt", "staithe://a:1,,b:2/melt"}) {
        const auto url = parse_url(text);
        ASSERT_FALSE(url) << text;
        EXPECT_EQ(url.error().code, ErrorCode::invalid_argument);
        EXPECT_THAT(url.error().message, ::testing::HasSubstr("host:port")) << text;
    }
}

TEST(Url, GivesItsAddressInPlaceOfTheOption) {
    std::optional<std::string> addresses;
    EXPECT_EQ(name_in("staithe://node7:7700/melt", addresses).value(), "melt");
    EXPECT_EQ(addresses, "node7:7700");
    EXPECT_EQ(name_in("melt", addresses).value(), "melt");
    EXPECT_EQ(addresses, "node7:7700");
    EXPECT_EQ(name_in("staithe://node8:7700/melt", addresses).error().code, ErrorCode::invalid_argument);
}

TEST(Places, AreListedWithCommas) {
    const auto places = parse_places("node7:7700,[fe80::7]:7701").value();
    ASSERT_EQ(places.size(), 2U);
    EXPECT_EQ(places[0], (Address::HostPort{"node7", 7700}));
    EXPECT_EQ(places[1], (Address::HostPort{"fe80::7", 7701}));
    EXPECT_EQ(parse_places("").error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(parse_places("here.socket").error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace staithe::transport
