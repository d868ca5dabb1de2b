#include "store/remote/by_offer.hpp"

#include <string>

#include <gtest/gtest.h>

namespace staithe::store::remote {
namespace {

Offer numbered(std::size_t number) { return {.variable = "v" + std::to_string(number), .dtype = Dtype::f32}; }

/// As many kinds as have room, each with its number.
ByOffer<std::size_t> full() {
    ByOffer<std::size_t> known;
    for (std::size_t i = 0; i < ByOffer<std::size_t>::most; ++i) {
        EXPECT_FALSE(known.add(numbered(i), i).oldest);
    }
    return known;
}

TEST(ByOffer, HasOneOfEachKind) {
    ByOffer<int> known;
    EXPECT_EQ(known.find(numbered(1)), nullptr);
    known.add(numbered(1), 1);
    Offer finer = numbered(1);
    finer.bound = codecs::Bound::absolute(0.5);
    EXPECT_EQ(known.find(finer), nullptr);
    known.add(finer, 2);
    Offer told = numbered(1);
    told.decode = 1.0;
    EXPECT_EQ(known.find(told)->known, 1) << "how long its peer decodes does not matter";
    EXPECT_EQ(known.find(finer)->known, 2);
    EXPECT_EQ(known.find(finer)->offer.bound, finer.bound);
}

TEST(ByOffer, WhatIsAskedForInTurnStaysIfItHasRoom) {
    auto known = full();
    for (int step = 0; step < 3; ++step) {
        for (std::size_t i = 0; i < known.most; ++i) {
            ASSERT_NE(known.find(numbered(i)), nullptr) << i;
            ASSERT_EQ(known.find(numbered(i))->known, i);
        }
    }
}

TEST(ByOffer, WhatNobodyAskedForTheLongestMakesPlace) {
    auto known = full();
    ASSERT_NE(known.find(numbered(0)), nullptr);
    const auto added = known.add(numbered(known.most), 7);
    EXPECT_EQ(added.entry.known, 7U);
    ASSERT_TRUE(added.oldest);
    EXPECT_EQ(added.oldest->offer.variable, "v1");
    EXPECT_EQ(added.oldest->known, 1U);
    EXPECT_EQ(known.find(numbered(1)), nullptr);
    EXPECT_NE(known.find(numbered(0)), nullptr);
    EXPECT_NE(known.find(numbered(known.most)), nullptr);
    std::size_t left = 0;
    for (const auto& [variable, entry] : known) {
        EXPECT_EQ(variable, entry.offer.variable);
        ++left;
    }
    EXPECT_EQ(left, known.most);
}

}  // namespace
}  // namespace staithe::store::remote
