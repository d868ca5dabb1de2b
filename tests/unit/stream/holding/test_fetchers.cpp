// Servers that a writer rank is told of: they are this process, too.
#include "stream/holding/fetchers.hpp"

#include <gtest/gtest.h>

#include "transport/directory/directory.hpp"
#include "unit/stream/staging/blocks_of_a_rank.hpp"

namespace staithe::stream {
namespace {

TEST(Fetchers, AreReachedWhenTheDirectorSaysSo) {
    const BlocksOfARank rank;
    const base::Deadline deadline(base::Seconds(20));
    const std::string stream = BlocksOfARank::stream;
    auto fetchers = Fetchers::offer(rank.endpoint(), stream, 3).value();
    EXPECT_FALSE(Fetchers::offer(rank.endpoint(), stream, 3)) << "it is offered already";
    const auto here = rank.entry(transport::Kind::stream, stream);
    const auto director = transport::reach(*rank.endpoint(), here, deadline).value();
    const auto ask = [&](Attributes request) {
        request["service"] = service_of_fetchers(stream, 3);
        return director->call(std::move(request), {}, deadline);
    };
    EXPECT_TRUE(ask({{"contact", transport::to_json(here)}}));
    EXPECT_TRUE(ask({{"contact", transport::to_json(here)}})) << "it has a link already";
    auto elsewhere = here;
    elsewhere.process.boot = "another";
    EXPECT_EQ(ask({{"contact", transport::to_json(elsewhere)}}).error().code, ErrorCode::system) << "without a port";
    for (const Attributes& garbled : {Attributes{}, Attributes{{"contact", 7}}, Attributes{{"contact", "{}"}}}) {
        EXPECT_FALSE(ask(garbled));
    }
    EXPECT_TRUE(fetchers->reach(transport::to_json(here), deadline));
    fetchers = nullptr;
    EXPECT_FALSE(ask({{"contact", transport::to_json(here)}}));
}

}  // namespace
}  // namespace staithe::stream
