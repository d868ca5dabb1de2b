// A catalog that follows another one, and what becomes of it when that one is gone.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "store/space/catalog.hpp"
#include "unit/store/space/put_of_ten.hpp"

namespace staithe::store::space {
namespace {

using Numbers = std::vector<std::int64_t>;

class FollowedCatalogTest : public ::testing::Test {
  protected:
    /// A block of so many f64 from `offset` on, of 10, in that store.
    Put block(std::int64_t offset, std::int64_t count, std::int64_t version, std::uint32_t store = 0) {
        Put put = put_of_ten(offset, count, version);
        put.ref = {.store = store, .offset = next_++, .bytes = 8 * count};
        return put;
    }
    std::int64_t put(const Put& put) { return catalog_.put(put, now_).value(); }
    /// With a twin in another store.
    Put doubled(std::int64_t offset, std::int64_t count, std::int64_t version, std::uint32_t store,
                std::uint32_t twin_store) {
        Put both = block(offset, count, version, store);
        both.twin = BlockPlace{twin_store, next_++};
        return both;
    }
    static Numbers in_order(const Catalog& catalog) {
        Numbers numbers;
        for (std::int64_t after = 0;;) {
            const auto next = catalog.find({.variable = "T", .after = after}).value();
            if (next == nullptr) {
                return numbers;
            }
            numbers.push_back(next->number());
            after = next->completion();
        }
    }
    [[nodiscard]] std::unique_ptr<Catalog> catalog_of(std::multiset<BlockPlace>& given_back) const {
        return std::make_unique<Catalog>("campaign", [&](const BlockRef& ref) { given_back.insert(place_of(ref)); });
    }

    base::Clock::time_point now_{};
    std::int64_t next_ = 0;
    std::multiset<BlockPlace> given_back_;
    Catalog catalog_{"campaign", [this](const BlockRef& ref) { given_back_.insert(place_of(ref)); }};
};

TEST_F(FollowedCatalogTest, LetsNothingGoOfItself) {
    catalog_.follow();
    ASSERT_TRUE(catalog_.retain("T", {.keep = 1}, now_));
    for (const int version : {0, 1, 2}) {
        put(block(0, 10, version));
    }
    EXPECT_EQ(catalog_.versions("T")->size(), 3U);
    catalog_.lead();
    put(block(0, 10, 3));
    EXPECT_EQ(catalog_.versions("T")->size(), 1U);
    EXPECT_EQ(given_back_.size(), 3U);
}

TEST_F(FollowedCatalogTest, TakesWhatIsKnownOfAVersion) {
    put(block(0, 10, 0));
    put(block(0, 4, 1));
    catalog_.take("T", 1, {.completion = 9, .is_complete = true, .done = {0, 2}, .unit = "K", .attributes = {{"a", 1}}},
                  now_);
    const auto version = catalog_.at("T", 1);
    EXPECT_TRUE(version->is_complete());
    EXPECT_EQ(version->completion(), 9);
    EXPECT_EQ(version->state().done, (std::vector{0, 2}));
    EXPECT_EQ(version->whole().unit, "K");
    EXPECT_EQ(version->whole().attributes, (Attributes{{"a", 1}}));
    EXPECT_EQ(version->block_count(), 1U);
    EXPECT_EQ(in_order(catalog_), (Numbers{0, 1}));
    catalog_.take("T", 7, {.unit = {}, .attributes = {}}, now_);  // which it has not
    catalog_.take("U", 0, {.unit = {}, .attributes = {}}, now_);
    EXPECT_EQ(catalog_.list("*"), std::vector<std::string>{"T"});
}

TEST_F(FollowedCatalogTest, APlaceThatAnotherVersionHasMeanwhileStaysItsOwn) {
    put(block(0, 10, 0));
    put(block(0, 10, 1));
    catalog_.take("T", 0, {.completion = 2, .is_complete = true, .unit = {}, .attributes = {}}, now_);
    catalog_.take("T", 1, {.completion = 1, .is_complete = true, .unit = {}, .attributes = {}}, now_);
    EXPECT_EQ(in_order(catalog_), (Numbers{1, 0}));
}

TEST_F(FollowedCatalogTest, GivesBackABlockWithItsTwin) {
    put(doubled(0, 10, 0, 1, 2));
    ASSERT_TRUE(catalog_.remove("T", 0));
    EXPECT_EQ(given_back_, (std::multiset<BlockPlace>{{1, 0}, {2, 1}}));
    put(doubled(0, 10, 1, 1, 2));
    put(doubled(10, 0, 1, 1, 2));  // of who has nothing to put, and comes last
    EXPECT_EQ(given_back_.size(), 4U);
}

TEST_F(FollowedCatalogTest, ABlockGetsOneTwin) {
    const Put one = block(0, 5, 0), other = block(5, 5, 0);
    put(one);
    put(other);
    const BlockPlace of = place_of(other.ref);
    EXPECT_TRUE(catalog_.add_twin("T", 0, of, {2, 100}));
    EXPECT_EQ(catalog_.at("T", 0)->block(1).twin, BlockPlace(2, 100));
    EXPECT_FALSE(catalog_.at("T", 0)->has_twin(0));
    EXPECT_FALSE(catalog_.add_twin("T", 0, of, {2, 101}));
    EXPECT_FALSE(catalog_.add_twin("T", 0, {5, 5}, {2, 101}));
    EXPECT_FALSE(catalog_.add_twin("T", 1, of, {2, 101}));
    EXPECT_FALSE(catalog_.add_twin("U", 0, of, {2, 101}));
    ASSERT_TRUE(catalog_.remove("T", 0));
    EXPECT_EQ(given_back_, (std::multiset<BlockPlace>{place_of(one.ref), of, {2, 100}}));
}

TEST_F(FollowedCatalogTest, ATwinThatGetsATwinIsWhereTheBlockLies) {
    put(doubled(0, 10, 0, 1, 2));
    const BlockPlace twin = *catalog_.at("T", 0)->block(0).twin;
    EXPECT_TRUE(catalog_.add_twin("T", 0, twin, {3, 100}));
    EXPECT_EQ(place_of(catalog_.at("T", 0)->ref(0)), twin);
    EXPECT_EQ(catalog_.at("T", 0)->block(0).twin, BlockPlace(3, 100));
}

TEST_F(FollowedCatalogTest, OfWhatIsLostTheTwinIsLeft) {
    put(doubled(0, 3, 0, 1, 2));
    put(doubled(3, 3, 0, 2, 1));
    put(block(6, 2, 0, 1));
    put(block(8, 2, 0, 2));
    const auto lost = [](std::uint32_t gone) { return [gone](std::uint32_t store) { return store == gone; }; };
    catalog_.lose(lost(1));
    const auto version = catalog_.at("T", 0);
    const auto stores = [&] {
        std::vector<std::uint32_t> all;
        for (std::size_t place = 0; place < version->block_count(); ++place) {
            all.push_back(version->ref(place).store);
            EXPECT_FALSE(version->has_twin(place));
        }
        return all;
    };
    EXPECT_EQ(stores(), (std::vector<std::uint32_t>{2, 2, lost_store, 2}));
    EXPECT_TRUE(version->is_complete());
    EXPECT_EQ(version->ref(2).bytes, 16);
    catalog_.lose(lost(2));
    EXPECT_EQ(stores(), std::vector<std::uint32_t>(4, lost_store));
    ASSERT_TRUE(catalog_.remove("T", 0));
    EXPECT_TRUE(given_back_.empty()) << "there is nothing left to be given back";
}

TEST_F(FollowedCatalogTest, WhoGoesOnHasWhatItFollowed) {
    std::multiset<BlockPlace> of_own;
    const auto own = catalog_of(of_own);
    Put of_other_home = block(0, 10, 3);
    of_other_home.block.variable = "U";
    ASSERT_TRUE(own->put(of_other_home, now_));
    own->containers().set_attributes("U", {{"owner", "kb"}});
    ASSERT_TRUE(own->retain("U", {.keep = 7}, now_));

    catalog_.follow();
    put(block(0, 10, 5));
    put(block(0, 10, 2));
    put(block(0, 4, 9));
    ASSERT_TRUE(catalog_.retain("T", {.keep = 2}, now_));
    catalog_.containers().set_attributes("T", {{"unit", "K"}});
    const auto serial = catalog_.at("T", 5)->serial();
    own->absorb(std::move(catalog_));

    EXPECT_EQ(own->list("*"), (std::vector<std::string>{"T", "U"}));
    EXPECT_EQ(own->list("?"), (std::vector<std::string>{"T", "U"}));
    EXPECT_EQ(in_order(*own), (Numbers{5, 2}));
    EXPECT_EQ(own->at("T", 5)->serial(), serial);
    EXPECT_EQ(own->find({.variable = "T"}).value()->number(), 5);
    EXPECT_EQ(own->at("U", 3)->completion(), 1);
    EXPECT_EQ(own->containers().all().size(), 2U);
    EXPECT_EQ(own->completions(), 2);

    ASSERT_TRUE(own->put(block(4, 6, 9), now_));  // which somebody had begun
    EXPECT_EQ(own->at("T", 9)->completion(), 3) << "after all that anybody has seen";
    EXPECT_EQ(own->versions("T")->size(), 2U) << "by the rules that it followed";
    EXPECT_EQ(given_back_.size() + of_own.size(), 1U);
    ASSERT_TRUE(own->remove("T", std::nullopt));
    ASSERT_TRUE(own->remove("U", std::nullopt));
    EXPECT_EQ(given_back_.size() + of_own.size(), 5U);
}

TEST_F(FollowedCatalogTest, EachVersionIsVisited) {
    put(block(0, 10, 5));
    put(block(0, 1, 7));
    Numbers numbers;
    catalog_.visit_versions([&](const Version& version) { numbers.push_back(version.number()); });
    EXPECT_EQ(numbers, (Numbers{5, 7}));
    EXPECT_EQ(catalog_.at("T", 5)->putter(0), "lmp (pid 7 on a)");
}

}  // namespace
}  // namespace staithe::store::space
