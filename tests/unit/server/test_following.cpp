// What a server knows of what another one leads, and goes on with when that one is gone.
#include "server/following.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "server/changes.hpp"
#include "unit/server/replica_pair.hpp"

namespace staithe::server {
namespace {

using store::space::BlockPlace;
using store::space::Catalog;
using store::space::lost_store;
using store::space::Put;
using Lies = ReplicaPair::Lies;

/// Draws what programs do to spaces of a server.
class DrawnChanges {
  public:
    DrawnChanges(ReplicaPair& pair, unsigned seed) : pair_(pair), random_(seed) {}

    void one() {
        switch (draw(16)) {
            case 0: static_cast<void>(pair_.remove(space(), {.variable = variable(), .version = draw(5)}, id())); break;
            case 1: static_cast<void>(pair_.remove(space(), {.variable = variable()}, id())); break;
            case 2: pair_.remove_container(space(), draw(4) == 0 ? "" : "run"); break;
            case 3: static_cast<void>(pair_.retain(space(), variable(), {.keep = 1 + draw(4)})); break;
            case 4:
                pair_.set_attributes(space(), draw(2) == 0 ? "run" : "run/T",
                                     {{draw(2) == 0 ? "owner" : "code", draw(3) == 0 ? Value() : Value(draw(9))}});
                break;
            case 5: twin(); break;
            default: put(); break;
        }
    }
    int draw(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

    std::map<std::int64_t, std::int64_t> versions;  // that puts were given, by their numbers

  private:
    std::string space() { return draw(4) == 0 ? "other" : "campaign"; }
    std::string variable() { return std::array{"T", "run/T", "run/rho", "large", "run/large"}[draw(5)]; }
    store::space::PutId id() { return {"p", ++last_id_, std::max<std::int64_t>(1, last_id_ - 20)}; }

    /// Rows of an array of ten: of up to 8 bytes, or of 80,000.
    void put() {
        Put put;
        put.block.variable = variable();
        const bool is_large = put.block.variable.ends_with("large");
        put.block.dtype = Dtype::u8;
        const std::int64_t columns = is_large ? 80000 : draw(2) == 0 ? 1 : 8;
        put.block.shape = {10, columns};
        const std::int64_t first = draw(11), count = draw(3) == 0 ? 10 - first : draw(static_cast<int>(11 - first));
        put.block.box = {{first, 0}, {count, draw(20) == 0 ? 0 : columns}};
        put.block.column_major = draw(3) == 0;
        put.block.unit = draw(4) == 0 ? "K" : "";
        if (draw(4) == 0) {
            put.block.attributes = {{draw(2) == 0 ? "run" : "step", draw(100)}};
        }
        put.version = draw(3) == 0 ? std::nullopt : std::optional<std::int64_t>(draw(5));
        put.by = {.name = "rank " + std::to_string(draw(3)), .rank = draw(3), .ranks = draw(2) == 0 ? 1 : 3};
        put.by.rank = std::min(put.by.rank, put.by.ranks - 1);
        put.completes = draw(5) == 0;
        put.may_cover = draw(3) != 0;
        put.id = id();
        const std::vector<std::byte> bytes(is_large ? 0 : static_cast<std::size_t>(put.block.data_bytes()),
                                           static_cast<std::byte>(draw(256)));
        const Lies lies = is_large && put.block.data_bytes() > memory::Pool::small_limit ? Lies(draw(3)) : Lies::here;
        const std::string of = space();
        const auto version = pair_.put(of, put, bytes, lies);
        if (version && pair_.led(of).at(put.block.variable, *version) != nullptr) {  // or it has gone at once
            versions[put.id.number] = *version;
        }
    }
    void twin() {
        const std::string name = space();
        std::vector<std::pair<const store::space::Version*, store::BlockRef>> singles;
        pair_.led(name).visit_versions([&](const store::space::Version& version) {
            for (std::size_t place = 0; place < version.block_count(); ++place) {
                const store::BlockRef& ref = version.ref(place);
                if (ref.bytes > memory::Pool::small_limit && !version.has_twin(place)) {
                    singles.emplace_back(&version, ref);
                }
            }
        });
        if (!singles.empty()) {
            const auto& [version, ref] = singles[static_cast<std::size_t>(draw(static_cast<int>(singles.size())))];
            pair_.add_twin(name, version->variable(), version->number(), ref);
        }
    }

    ReplicaPair& pair_;
    std::mt19937 random_;
    std::int64_t last_id_ = 0;
};

class FollowingAtRandom : public ::testing::TestWithParam<unsigned> {};

TEST_P(FollowingAtRandom, WhoIsToldOfEachChangeKnowsTheSame) {
    ReplicaPair pair;
    DrawnChanges changes(pair, GetParam());
    for (int before = changes.draw(60); before > 0; --before) {
        changes.one();
    }
    pair.begin_following();
    for (int i = 0; i < 300; ++i) {
        changes.one();
        pair.deliver(changes.draw(3));
        if (changes.draw(100) == 0) {
            pair.begin_again();
        } else if (changes.draw(100) == 0) {
            pair.begin_following();
        } else if (changes.draw(50) == 0) {
            pair.deliver();
            pair.expect_same();
        }
    }
    pair.deliver();
    pair.expect_same();
    EXPECT_FALSE(pair.followers().is_behind());
}

TEST_P(FollowingAtRandom, WhoGoesOnHasEverythingAndLetsItGo) {
    ReplicaPair pair;
    DrawnChanges changes(pair, GetParam());
    pair.begin_following();
    pair.deliver();
    for (int i = 0; i < 200; ++i) {
        changes.one();
        pair.deliver(changes.draw(3));
    }
    pair.deliver();
    const Attributes was = pair.describe(pair.spaces());
    const auto blocks_there = [&] { return pair.leader_memory().count() + pair.third_memory().count(); };
    std::size_t small = 0;
    for (const auto& [name, catalog] : pair.spaces()) {
        catalog->visit_versions([&](const store::space::Version& version) {
            for (std::size_t place = 0; place < version.block_count(); ++place) {
                small += version.ref(place).bytes <= memory::Pool::small_limit ? 1U : 0U;
            }
        });
    }
    EXPECT_EQ(pair.follower_memory().count(), small) << "none of those that have gone";
    for (const auto& [number, version] : changes.versions) {
        const auto answer = pair.following().answers().find({"p", number, number});
        EXPECT_TRUE(!answer || answer->version == version);
    }
    for (std::int64_t recent = changes.versions.rbegin()->first; recent > changes.versions.rbegin()->first - 5;
         --recent) {
        EXPECT_TRUE(!changes.versions.contains(recent) || pair.following().answers().find({"p", recent, recent}))
            << "who asks again for a put is told so";
    }

    ReplicaPair::Spaces own;  // of the follower
    pair.following().lead();
    for (auto& [name, catalog] : pair.following().spaces()) {
        own[name] = std::make_unique<Catalog>(name, [&pair](const store::BlockRef& ref) { pair.free(ref); });
        own[name]->absorb(std::move(*catalog));
    }
    ReplicaPair::expect_same(was, pair.describe(own));
    const std::size_t before = blocks_there();
    for (auto& [name, catalog] : own) {
        const std::int64_t completions = catalog->completions();
        Put put;
        put.block = {
            .variable = "T", .dtype = Dtype::u8, .shape = {1}, .box = {{0}, {1}}, .unit = {}, .attributes = {}};
        put.by = {.name = "another"};
        put.version = 1000;
        put.ref = pair.room_at_follower(1);
        ASSERT_TRUE(catalog->put(put, pair.now));
        EXPECT_GT(catalog->at("T", 1000)->completion(), completions) << "later than all that it was told of";
        catalog->remove_variables_in("");
    }
    EXPECT_EQ(pair.follower_memory().count(), 0U);
    EXPECT_EQ(before - blocks_there(), before - small) << "large ones go, too, and none twice";
    pair.forget_leader();
}

INSTANTIATE_TEST_SUITE_P(Seeds, FollowingAtRandom, ::testing::Range(0U, 40U));

class FollowingTest : public ::testing::Test {
  protected:
    /// Rows of ten of 80,000 bytes each; or bytes.
    static Put block(std::int64_t first, std::int64_t count, std::int64_t version, bool is_large) {
        Put put;
        const std::int64_t columns = is_large ? 80000 : 1;
        put.block = {.variable = "T",
                     .dtype = Dtype::u8,
                     .shape = {10, columns},
                     .box = {{first, 0}, {count, columns}},
                     .unit = {},
                     .attributes = {}};
        put.version = version;
        put.by = {.name = "lmp (pid 7 on a)"};
        return put;
    }
    void put(std::int64_t first, std::int64_t count, std::int64_t version, bool is_large, Lies lies = Lies::here) {
        const std::vector<std::byte> bytes(is_large ? 0U : static_cast<std::size_t>(count), std::byte{7});
        ASSERT_TRUE(pair_.put("campaign", block(first, count, version, is_large), bytes, lies));
    }
    Catalog& followed() { return *pair_.following().spaces().at("campaign"); }

    ReplicaPair pair_;
};

TEST_F(FollowingTest, ABlockForWhichThereIsNoRoomIsLostAndAllElseGoesOn) {
    pair_.begin_following();
    pair_.expects_room = false;
    pair_.has_room = false;
    put(0, 10, 0, false);
    pair_.deliver();
    const auto version = followed().at("T", 0);
    ASSERT_NE(version, nullptr);
    EXPECT_TRUE(version->is_complete());
    EXPECT_EQ(version->ref(0).store, lost_store);
    EXPECT_EQ(version->ref(0).bytes, 10);
    pair_.has_room = true;
    put(0, 10, 1, false);
    pair_.deliver();
    EXPECT_EQ(followed().at("T", 1)->ref(0).store, ReplicaPair::follower_store);
}

TEST_F(FollowingTest, WhatProgramsWereAnsweredBeforeIsKnown) {
    Put one = block(0, 10, 0, false);
    one.id = {"p", 7, 7};
    ASSERT_TRUE(pair_.put("campaign", one, std::vector<std::byte>(10)));
    pair_.begin_following();
    one.version = 1;
    one.id = {"p", 8, 7};
    ASSERT_TRUE(pair_.put("campaign", one, std::vector<std::byte>(10)));
    pair_.deliver();
    const auto& answers = pair_.following().answers();
    ASSERT_TRUE(answers.find({"p", 7, 7})) << "who asks again late is told the same";
    EXPECT_EQ(answers.find({"p", 7, 7})->version, 0);
    ASSERT_TRUE(answers.find({"p", 8, 7}));
    EXPECT_EQ(answers.find({"p", 8, 7})->version, 1);
}

TEST_F(FollowingTest, CompletionsFollowThoseOfTheLeader) {
    put(0, 10, 5, false);
    put(0, 10, 3, false);
    put(0, 4, 4, false);
    pair_.begin_following();
    put(4, 6, 4, false);  // complete before it is told that there was more
    put(0, 10, 6, false);
    pair_.deliver();
    pair_.expect_same();
    std::vector<std::int64_t> in_order;
    for (std::int64_t after = 0;;) {
        const auto next = followed().find({.variable = "T", .after = after}).value();
        if (next == nullptr) {
            break;
        }
        in_order.push_back(next->number());
        after = next->completion();
    }
    EXPECT_EQ(in_order, (std::vector<std::int64_t>{5, 3, 4, 6}));
}

TEST_F(FollowingTest, WhatIsKeptIsForTheLeaderToSay) {
    pair_.begin_following();
    ASSERT_TRUE(pair_.retain("campaign", "T", {.keep = 1}));
    const auto held = [&] {
        put(0, 10, 0, false);
        return pair_.led("campaign").find({.variable = "T"}).value();
    }();
    put(0, 10, 1, false);
    put(0, 10, 2, false);
    pair_.deliver();
    EXPECT_EQ(followed().versions("T")->size(), 2U) << "somebody holds the first";
    pair_.expect_same();
    followed().lead();
    put(0, 10, 3, false);
    pair_.deliver();
    EXPECT_EQ(followed().versions("T")->size(), 1U) << "of whom the one who goes on knows nothing";
}

TEST_F(FollowingTest, WhereOneOfTwoIsGoneTheBytesAreWithTheOther) {
    put(0, 5, 0, true, Lies::with_both);
    put(5, 5, 0, true, Lies::there);
    put(0, 10, 1, true);
    pair_.begin_following();
    pair_.deliver();
    followed().lose([](std::uint32_t store) { return store == ReplicaPair::leader_store; });
    EXPECT_EQ(followed().at("T", 0)->ref(0).store, ReplicaPair::third_store);
    EXPECT_FALSE(followed().at("T", 0)->has_twin(0));
    EXPECT_EQ(followed().at("T", 0)->ref(1).store, ReplicaPair::third_store);
    EXPECT_EQ(followed().at("T", 1)->ref(0).store, lost_store);
    EXPECT_TRUE(followed().at("T", 1)->is_complete()) << "it is for who asks to be told";
}

/// The leader has heard that a server is gone, and has had its blocks copied to another one; the follower had heard so
/// before it was told of them.
TEST_F(FollowingTest, ATwinIsToldOfABlockThatIsWhereItsTwinWas) {
    pair_.begin_following();
    pair_.deliver();
    put(0, 10, 0, true, Lies::with_both);
    pair_.deliver();
    Catalog& led = pair_.led("campaign");
    const BlockPlace lost = store::space::place_of(led.at("T", 0)->ref(0));
    led.lose([&](std::uint32_t store) { return store == lost.first; });
    const store::BlockRef ref = led.at("T", 0)->ref(0);
    EXPECT_EQ(ref.store, ReplicaPair::third_store);
    pair_.add_twin("campaign", "T", 0, ref);
    pair_.deliver();
    pair_.expect_same();
    pair_.forget_leader();
}

TEST_F(FollowingTest, WhatWasToldBeforeIsForgottenWhenItBeginsAnew) {
    pair_.begin_following();
    put(0, 10, 0, false);
    ASSERT_TRUE(pair_.retain("campaign", "T", {.keep = 2}));
    pair_.deliver();
    ASSERT_TRUE(pair_.following().take({{"kind", change::begin}, {"homes", List{4}}}, {}));
    EXPECT_TRUE(pair_.following().spaces().empty());
    EXPECT_FALSE(pair_.following().has_all());
    EXPECT_EQ(pair_.following().homes(), std::set{4});
    EXPECT_EQ(pair_.follower_memory().count(), 0U);
}

TEST_F(FollowingTest, WhatNobodyWouldTellIsRefused) {
    pair_.begin_following();
    pair_.deliver();
    put(0, 10, 0, false);
    pair_.deliver();
    const Attributes right{{"space", "campaign"}, {"variable", "T"}, {"version", 0}, {"path", "run"}};
    for (const char* kind : {"", "any", change::begin, change::all, change::put, change::state, change::twin,
                             change::rules, change::attributes}) {
        Attributes change = right;
        change["kind"] = kind;
        const auto taken = pair_.following().take(change, {});
        ASSERT_FALSE(taken) << kind;
        EXPECT_EQ(taken.error().code, ErrorCode::protocol) << kind;
    }
    for (const char* kind :
         {change::put, change::state, change::twin, change::drop, change::remove, change::rules, change::attributes}) {
        EXPECT_FALSE(pair_.following().take({{"kind", kind}}, {})) << kind;
        EXPECT_FALSE(pair_.following().take({{"kind", kind}, {"space", "campaign"}}, {})) << kind;
    }
    const Attributes beyond{{"campaign", INT64_MAX}};
    EXPECT_FALSE(pair_.following().take({{"kind", change::all}, {"completions", beyond}}, {}));
    EXPECT_FALSE(pair_.following().take({{"kind", change::begin}, {"homes", List{-1}}}, {}));
}

}  // namespace
}  // namespace staithe::server
