// What writer ranks tell of links: taken as it was told, or not at all.
#include "stream/observing/sendings.hpp"

#include <functional>

#include <gtest/gtest.h>

namespace staithe::stream {
namespace {

/// A link over which one variable went encoded, and was tried as it is.
Attributes link_of_a_rank() {
    store::remote::Traffic::Figures figures;
    figures.bytes = 1000;
    figures.link.emplace();
    store::remote::Offer offer{.variable = "T", .dtype = Dtype::f32};
    offer.bound = codecs::Bound::relative(1e-3);
    auto chooser = transform::Chooser::for_values(offer.dtype, offer.bound, "", {}).value();
    const transform::Region region{1 << 20};
    for (int i = 0; i < 30; ++i) {
        const std::size_t choice = chooser.choose(region, transform::Pace{.link = 1e6, .ahead = 4});
        chooser.learn(choice, region, 1 << 18, base::Seconds(1e-3));
    }
    figures.coded.add(offer, {std::move(chooser)});
    return report_link({"staithe", "beta", 7}, figures);
}

TEST(Sendings, AreTakenAsARankTellsOfThem) {
    const Attributes told = link_of_a_rank();
    EXPECT_EQ(links_in({told}), (List{told}));
    EXPECT_EQ(links_in({}), List());
    Attributes more = told;
    more["whatever"] = "else";
    EXPECT_EQ(links_in({more}), (List{told})) << "and nothing else";
}

TEST(Sendings, ThatCannotBeAreNotTaken) {
    const Attributes good = link_of_a_rank();
    const auto variable = [](Attributes& link) { return (*link["coded"].as_list())[0].as_map(); };
    const auto way = [&](Attributes& link) { return (*(*variable(link))["ways"].as_list())[0].as_map(); };
    for (const auto& lie : std::vector<std::function<void(Attributes&)>>{
             [](Attributes& link) { link.erase("host"); },
             [](Attributes& link) { link["pid"] = "seven"; },
             [](Attributes& link) { link["coded"] = 5; },
             [](Attributes& link) { link["coded"] = List{5}; },
             [&](Attributes& link) { (*variable(link))["variable"] = List(); },
             [&](Attributes& link) { variable(link)->erase("ways"); },
             [&](Attributes& link) { (*way(link))["bytes"] = Value(); },
             [&](Attributes& link) { (*way(link))["codec"] = 7; },
             [&](Attributes& link) { (*way(link))["predictions"] = Attributes(); },
             [&](Attributes& link) { way(link)->erase("predictions"); },
         }) {
        Attributes link = good;
        lie(link);
        EXPECT_FALSE(links_in({good, link}));
    }
    EXPECT_FALSE(links_in(List(5000, Value(good)))) << "nobody has so many";
}

}  // namespace
}  // namespace staithe::stream
