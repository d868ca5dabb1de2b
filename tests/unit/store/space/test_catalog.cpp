#include "store/space/catalog.hpp"
#include "unit/store/space/put_of_ten.hpp"

#include <chrono>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::store::space {
namespace {

class CatalogTest : public ::testing::Test {
  protected:
    /// A block of so many f64 from `offset` on, of 10.
    Put block(std::int64_t offset, std::int64_t count, std::optional<std::int64_t> version = 0) {
        Put put = put_of_ten(offset, count, version);
        put.ref = {.offset = next_, .bytes = 8 * count};
        kept_.insert(next_++);
        return put;
    }
    std::string refused(const Put& put) {
        const auto outcome = catalog_.put(put, now_);
        kept_.erase(put.ref.offset);
        return outcome ? "was taken" : outcome.error().message;
    }
    std::shared_ptr<const Version> find(std::optional<std::int64_t> version = std::nullopt) {
        return catalog_.find({.variable = "T", .version = version}).value();
    }

    base::Clock::time_point now_{};
    std::set<std::int64_t> kept_;  // offsets of blocks that were put and not given back
    std::int64_t next_ = 0;
    Catalog catalog_{"campaign", [this](const BlockRef& ref) { EXPECT_EQ(kept_.erase(ref.offset), 1U); }};
};

TEST_F(CatalogTest, AVersionIsCompleteOnceItsBlocksCoverIt) {
    EXPECT_EQ(catalog_.put(block(0, 6), now_), 0);
    EXPECT_EQ(catalog_.put(block(2, 6), now_), 0);
    EXPECT_EQ(find(), nullptr);
    EXPECT_EQ(catalog_.why_not({.variable = "T"}), "version 0 of 'T' is not complete: 80 % of its elements were put");
    EXPECT_EQ(catalog_.put(block(8, 2), now_), 0);
    ASSERT_NE(find(), nullptr);
    EXPECT_EQ(find()->block_count(), 3U);
    EXPECT_EQ(refused(block(0, 1)), "version 0 of 'T' is complete, and does not change any more: put another version");
}

TEST_F(CatalogTest, BlocksOfWhatNobodyHoldsMayMove) {
    ASSERT_TRUE(catalog_.put(block(0, 6), now_));
    ASSERT_TRUE(catalog_.put(block(6, 4), now_));
    const auto serial = find()->serial();
    EXPECT_EQ(catalog_.move("T", 0, serial, {{{0, 1}, {3, 100}}}), 1U);
    kept_.erase(1);
    kept_.insert(100);
    EXPECT_EQ(find()->ref(1), (BlockRef{.store = 3, .offset = 100, .bytes = 32}));
    EXPECT_EQ(find()->ref(0).store, 0U);
    const BlockMoves back{{{3, 100}, {0, 1}}};
    const auto held = find();
    EXPECT_EQ(catalog_.move("T", 0, serial, back), 0U) << "somebody may be reading";
    EXPECT_EQ(catalog_.move("T", 0, serial + 1, back), 0U) << "another version of that number";
    EXPECT_EQ(catalog_.move("T", 1, std::nullopt, back), 0U);
    EXPECT_EQ(catalog_.move("U", 0, std::nullopt, back), 0U);
}

TEST_F(CatalogTest, BlocksMayBeOthersInAVersionThatStaysTheSame) {
    for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE(catalog_.put(block(i, 1), now_));
    }
    auto before = find();
    const VersionBlock merged{.box = {{2}, {5}}, .ref = {.store = 1, .offset = 100, .bytes = 40}};
    const std::vector<std::size_t> gone{2, 3, 4, 5, 6};
    const auto unused = before->rearranged(gone, {&merged, 1});
    auto after = before->rearranged(gone, {&merged, 1});
    EXPECT_EQ(after->block_count(), 6U);
    EXPECT_EQ(after->bytes(), 80);
    EXPECT_EQ(after->serial(), before->serial());
    ASSERT_TRUE(catalog_.replace(before, after, gone));
    kept_.insert(100);
    EXPECT_FALSE(catalog_.replace(before, unused, gone)) << "it is not there any more";
    EXPECT_EQ(find(), after);
    EXPECT_EQ(find()->completion(), before->completion());
    EXPECT_EQ(find()->meeting({{1}, {2}}).back().ref, merged.ref);
    EXPECT_EQ(kept_.size(), 11U) << "somebody holds the blocks that were there";
    after = nullptr;
    ASSERT_TRUE(catalog_.remove("T", 0));
    EXPECT_EQ(kept_.size(), 11U) << "those that it still has in common, too";
    before = nullptr;
    EXPECT_TRUE(kept_.empty());

    for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE(catalog_.put(block(i, 1), now_));
    }
    before = find();
    after = before->rearranged(gone, {&merged, 1});
    ASSERT_TRUE(catalog_.replace(before, after, gone));
    kept_.insert(100);
    before = after = nullptr;
    EXPECT_EQ(kept_.size(), 6U);
    ASSERT_TRUE(catalog_.remove("T", std::nullopt));
    EXPECT_TRUE(kept_.empty());
}

TEST_F(CatalogTest, WhoeverWantsToKnowIsToldOfWhatIsComplete) {
    std::vector<std::int64_t> told;
    Catalog catalog(
        "campaign", [](const BlockRef& /*ref*/) {}, {},
        [&](const Version& version) {
            EXPECT_EQ(version.variable(), "T");
            told.push_back(version.number());
        });
    ASSERT_TRUE(catalog.put(block(0, 5, 3), now_));
    EXPECT_TRUE(told.empty());
    ASSERT_TRUE(catalog.put(block(5, 5, 3), now_));
    ASSERT_TRUE(catalog.put(block(0, 10, 1), now_));
    EXPECT_EQ(told, (std::vector<std::int64_t>{3, 1}));
    kept_.clear();
}

TEST_F(CatalogTest, WhatNobodyHoldsIsVisitedWithItsLastUse) {
    const auto unheld = [&] {
        std::map<std::int64_t, base::Clock::time_point> uses;
        catalog_.visit_unheld(
            [&](const std::string& /*name*/, const Version& version) { uses[version.number()] = version.last_use(); });
        return uses;
    };
    const auto later = now_ + std::chrono::seconds(1);
    ASSERT_TRUE(catalog_.put(block(0, 10, 0), now_));
    ASSERT_TRUE(catalog_.put(block(0, 5, 1), later));
    EXPECT_EQ(unheld(), (std::map<std::int64_t, base::Clock::time_point>{{0, now_}, {1, later}}));
    {
        const auto held = find(0);
        held->use(later);
        EXPECT_EQ(unheld().size(), 1U);
    }
    EXPECT_EQ(unheld().at(0), later);
}

TEST_F(CatalogTest, WhoHasNothingToPutMayComeLast) {
    ASSERT_TRUE(catalog_.put(block(0, 10), now_));
    EXPECT_EQ(catalog_.put(block(10, 0), now_), 0);
    EXPECT_EQ(find()->block_count(), 1U);
    EXPECT_EQ(kept_.size(), 1U);
}

TEST_F(CatalogTest, OrOnceEveryRankHasSaidSo) {
    for (const int rank : {2, 0, 1}) {
        EXPECT_EQ(find(), nullptr);
        Put put = block(rank, 1);
        put.by.rank = rank;
        put.by.ranks = 3;
        put.completes = true;
        ASSERT_TRUE(catalog_.put(put, now_));
    }
    ASSERT_NE(find(), nullptr);
    EXPECT_NEAR(find()->covered(), 0.3, 1e-12);
}

TEST_F(CatalogTest, NewVersionsFollowTheNewest) {
    EXPECT_EQ(catalog_.put(block(0, 10, std::nullopt), now_), 0);
    EXPECT_EQ(catalog_.put(block(0, 10, 41), now_), 41);
    EXPECT_EQ(catalog_.put(block(0, 10, std::nullopt), now_), 42);
    EXPECT_EQ(catalog_.put(block(0, 10, 7), now_), 7);
    EXPECT_EQ(find()->number(), 42) << "latest is the one with the greatest number";
}

TEST_F(CatalogTest, LatestIsTheNewestThatIsComplete) {
    ASSERT_TRUE(catalog_.put(block(0, 10, 1), now_));
    ASSERT_TRUE(catalog_.put(block(0, 4, 2), now_));
    EXPECT_EQ(find()->number(), 1);
    EXPECT_EQ(find(2), nullptr);
    EXPECT_EQ(catalog_.why_not({.variable = "T", .version = 3}), "'T' has no version 3; it has 2, from 1 to 2");
    EXPECT_EQ(catalog_.why_not({.variable = "rho"}), "space 'campaign' has no variable 'rho'; it has 'T'");
}

TEST_F(CatalogTest, TheNewestNumberIsNotPassed) {
    EXPECT_EQ(catalog_.put(block(0, 10, INT64_MAX), now_), INT64_MAX);
    EXPECT_EQ(refused(block(0, 10, std::nullopt)),
              "'T' has version 9223372036854775807, after which there is none: name the version");
}

TEST_F(CatalogTest, RanksThatPutTheSameElementsAreTold) {
    ASSERT_TRUE(catalog_.put(block(0, 5), now_));
    Put put = block(4, 3);
    put.may_cover = false;
    put.by.name = "rank 1, lmp (pid 8 on a)";
    EXPECT_EQ(refused(put),
              "version 0 of 'T': rank 1, lmp (pid 8 on a) puts [4:7], of which lmp (pid 7 on a) has put [0:5] already");
}

TEST_F(CatalogTest, BlocksBelongToOneArray) {
    ASSERT_TRUE(catalog_.put(block(0, 5), now_));
    Put other = block(5, 5);
    other.block.dtype = Dtype::f32;
    EXPECT_NE(refused(other).find("has f8 of shape (10), and this block is of f4 and shape (10)"), std::string::npos);
    Put outside = block(6, 5);
    EXPECT_EQ(refused(outside), "the block [6:11] of 'T' does not lie in its shape (10)");
    Put huge = block(0, 1, 9);
    huge.block.shape = {std::int64_t{1} << 62, 4};
    huge.block.box = {{0, 0}, {1, 1}};
    EXPECT_NE(refused(huge).find("more elements than can be counted"), std::string::npos);
}

TEST_F(CatalogTest, BlocksOfAVersionAreInOneUnit) {
    Put kelvin = block(0, 5);
    kelvin.block.unit = "K";
    ASSERT_TRUE(catalog_.put(kelvin, now_));
    Put converted = block(5, 2);
    converted.block.unit = "degC";
    EXPECT_EQ(refused(converted), "version 0 of 'T' is in K, and this block in degC: convert it");
    EXPECT_TRUE(catalog_.put(block(5, 5), now_)) << "who says nothing means the same";
}

TEST_F(CatalogTest, WhatSomebodyHoldsStaysWhenItIsRemoved) {
    ASSERT_TRUE(catalog_.put(block(0, 10, 1), now_));
    ASSERT_TRUE(catalog_.put(block(0, 10, 2), now_));
    auto held = find(1);
    ASSERT_TRUE(catalog_.remove("T", 1));
    EXPECT_EQ(find(1), nullptr);
    EXPECT_EQ(kept_.size(), 2U);
    held = nullptr;
    EXPECT_EQ(kept_.size(), 1U);
    ASSERT_TRUE(catalog_.remove("T", std::nullopt));
    EXPECT_TRUE(kept_.empty());
    EXPECT_FALSE(catalog_.remove("T", 2));
}

TEST_F(CatalogTest, KeepsAsManyCompleteVersionsAsItWasTold) {
    ASSERT_TRUE(catalog_.retain("T", {.keep = 2}, now_));
    EXPECT_TRUE(catalog_.list("*").empty()) << "nothing was put yet";
    for (int version = 0; version < 5; ++version) {
        ASSERT_TRUE(catalog_.put(block(0, 10, version), now_));
    }
    ASSERT_TRUE(catalog_.put(block(0, 3, 9), now_));
    const auto versions = catalog_.versions("T").value();
    ASSERT_EQ(versions.size(), 3U);
    EXPECT_EQ(versions[0]->number(), 3);
    EXPECT_EQ(versions[2]->number(), 9) << "what is not complete yet goes beside";
    EXPECT_EQ(kept_.size(), 3U);
}

/// Against the rules for all cases, which a limit that nothing reaches asks for.
TEST_F(CatalogTest, TheNumberAloneLetsGoTheSameVersions) {
    std::mt19937 random(11);
    const auto draw = [&](int below) { return std::uniform_int_distribution(0, below - 1)(random); };
    for (int repeat = 0; repeat < 200; ++repeat) {
        Catalog by_number("campaign", [](const BlockRef&) {}), by_rules("campaign", [](const BlockRef&) {});
        const std::int64_t keep = 1 + draw(4);
        std::map<std::int64_t, std::vector<std::shared_ptr<const Version>>> held;
        ASSERT_TRUE(by_number.retain("T", {.keep = keep}, now_));
        ASSERT_TRUE(by_rules.retain("T", {.keep = keep, .keep_bytes = INT64_MAX}, now_));
        for (int call = 0; call < 30; ++call) {
            const std::int64_t version = draw(12);
            const Wanted wanted{.variable = "T", .version = version};
            const bool is_whole = draw(5) > 0;
            const int what = draw(6);
            if (what == 0) {
                held.erase(version);
            }
            for (Catalog* const catalog : {&by_number, &by_rules}) {
                if (what == 0) {
                    catalog->await(wanted);
                } else if (what == 1) {
                    catalog->await_no_more(wanted);
                } else if (what == 2) {
                    held[version].push_back(catalog->find(wanted).value());
                } else {
                    static_cast<void>(catalog->put(put_of_ten(0, is_whole ? 10 : 4, version), now_));
                }
            }
            const auto numbers = [](const Catalog& catalog) {
                std::vector<std::int64_t> all;
                catalog.visit_versions([&](const Version& each) { all.push_back(each.number()); });
                return all;
            };
            ASSERT_EQ(numbers(by_number), numbers(by_rules)) << "keep " << keep << ", call " << call;
        }
    }
}

TEST_F(CatalogTest, VersionsGoByBytesAndAgeButNotThoseThatSomebodyHoldsOrAwaits) {
    ASSERT_TRUE(catalog_.retain("T", {.keep_bytes = 200, .keep_for = std::chrono::seconds(10)}, now_));
    ASSERT_TRUE(catalog_.put(block(0, 10, 0), now_));
    const auto held = find(0);
    for (const int version : {1, 2, 3}) {
        ASSERT_TRUE(catalog_.put(block(0, 10, version), now_));
    }
    EXPECT_EQ(find(1), nullptr) << "four take 320 bytes";
    EXPECT_NE(find(0), nullptr) << "somebody holds it";
    now_ += std::chrono::seconds(11);
    catalog_.await({.variable = "T", .version = 4});
    ASSERT_TRUE(catalog_.put(block(0, 10, 9), now_));
    EXPECT_EQ(find(3), nullptr) << "it is too old";
    ASSERT_TRUE(catalog_.put(block(0, 10, 4), now_ + std::chrono::seconds(11)));
    ASSERT_TRUE(catalog_.put(block(0, 10, 10), now_ + std::chrono::seconds(40)));
    EXPECT_NE(find(4), nullptr) << "somebody waits for it";
    catalog_.await_no_more({.variable = "T", .version = 4});
    ASSERT_TRUE(catalog_.put(block(0, 10, 11), now_ + std::chrono::seconds(40)));
    EXPECT_EQ(find(4), nullptr);
    EXPECT_FALSE(catalog_.retain("T", {.keep = 0}, now_));
}

TEST_F(CatalogTest, PatternsAreThoseOfFileNames) {
    for (const char* name : {"run/a/T", "run/b/T", "run/b/rho", "T"}) {
        Put put = block(0, 10);
        put.block.variable = name;
        ASSERT_TRUE(catalog_.put(put, now_));
    }
    using Names = std::vector<std::string>;
    EXPECT_EQ(catalog_.list("*"), (Names{"T", "run/a/T", "run/b/T", "run/b/rho"}));
    EXPECT_EQ(catalog_.list("run/*"), (Names{"run/a/T", "run/b/T", "run/b/rho"}));
    EXPECT_EQ(catalog_.list("*/T"), (Names{"run/a/T", "run/b/T"}));
    EXPECT_EQ(catalog_.list("run/?/rho"), Names{"run/b/rho"});
    EXPECT_EQ(catalog_.list("?"), Names{"T"});
    EXPECT_EQ(catalog_.list(""), Names{});
    EXPECT_EQ(catalog_.list("*b*T*"), Names{"run/b/T"});
    ASSERT_TRUE(catalog_.remove("run/b/T", std::nullopt));
    EXPECT_EQ(catalog_.list("*T"), (Names{"T", "run/a/T"}));
    EXPECT_EQ(catalog_.remove_variables_in("run"), 2);
    EXPECT_EQ(catalog_.list("*"), Names{"T"});
    EXPECT_EQ(catalog_.list("T*"), Names{"T"});
}

TEST_F(CatalogTest, ManyBlocksAreFoundByTheirPlace) {
    Put put = block(0, 1);
    put.block.shape = {1000, 4};
    for (std::int64_t row = 999; row >= 0; --row) {
        put.block.box = {{row, 0}, {1, 4}};
        put.ref.offset = next_;
        kept_.insert(next_++);
        ASSERT_TRUE(catalog_.put(put, now_));
    }
    kept_.erase(0);  // of the block that was only copied
    const auto blocks = find()->meeting({{10, 1}, {3, 1}});
    ASSERT_EQ(blocks.size(), 3U);
    EXPECT_EQ(blocks[0].box.offset, (Extents{12, 0})) << "in the order in which they were put";

    const std::vector<Box> boxes{{{998, 0}, {2, 1}}, {{4, 1}, {0, 2}}, {{7, 0}, {1, 4}}, {{999, 3}, {1, 1}}};
    const auto of_any = find()->meeting(boxes);
    ASSERT_EQ(of_any.size(), 3U) << "each once, however many boxes it meets";
    EXPECT_EQ(of_any[0].box.offset, (Extents{999, 0}));
    EXPECT_EQ(of_any[2].box.offset, (Extents{7, 0}));

    EXPECT_TRUE(catalog_.find({.variable = "T", .boxes = boxes}).value());
    const auto outside = catalog_.find({.variable = "T", .boxes = {boxes[0], {{999, 0}, {2, 1}}}});
    EXPECT_EQ(outside.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(catalog_.find({.variable = "T", .boxes = {{{1}, {2}}}}).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace staithe::store::space
