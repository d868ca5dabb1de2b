// What a server tells the one that follows it arrives as it was, and nothing else is taken for it.
#include "server/changes.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/value_codec.hpp"
#include "memory/pool.hpp"
#include "space/served/messages.hpp"

namespace staithe::server {
namespace {

using store::space::BlockPlace;
using store::space::lost_store;
using store::space::Put;
using store::space::VersionState;

/// 80,000 bytes: a large block.
Put large() {
    Put put;
    put.block = {.variable = "run/T",
                 .dtype = Dtype::f64,
                 .column_major = true,
                 .shape = {400, 100},
                 .box = {{30, 0}, {100, 100}},
                 .unit = "K",
                 .attributes = {{"run", "a12"}, {"steps", List{1, 2.5}}}};
    put.version = INT64_MAX;
    put.by = {"rank 3, python (pid 7 on here)", 3, 4};
    put.completes = true;
    put.may_cover = false;
    put.ref = {.store = 6, .offset = 4096, .bytes = put.block.data_bytes()};
    put.twin = BlockPlace{7, 64};
    put.id = {"program 1", 5, 3};
    return put;
}

/// 8 bytes, and nobody asks for it again.
Put small() {
    Put put = large();
    put.block.box.count = {1, 1};
    put.ref = {.store = 6, .offset = 4096, .bytes = 8};
    put.twin = {};
    put.id = {};
    return put;
}

/// As the link carries it.
Attributes carried(const Attributes& change) { return *base::from_cbor(base::to_cbor(change)).value().as_map(); }

void expect_same(const Put& told, const Put& put) {
    EXPECT_EQ(told.block, put.block);
    EXPECT_EQ(told.version, put.version);
    EXPECT_EQ(told.by.name, put.by.name);
    EXPECT_EQ(told.by.rank, put.by.rank);
    EXPECT_EQ(told.by.ranks, put.by.ranks);
    EXPECT_EQ(told.completes, put.completes);
    EXPECT_EQ(told.may_cover, put.may_cover);
    EXPECT_EQ(told.twin, put.twin);
    EXPECT_EQ(told.id.program, put.id.program);
    EXPECT_EQ(told.id.number, put.id.number);
    EXPECT_EQ(told.id.settled, put.id.settled);
    EXPECT_EQ(told.ref.bytes, put.ref.bytes);
}

TEST(ChangesTest, BlocksArriveAsTheyWerePut) {
    const auto told = decode_told_put(carried(change_of("campaign", large(), 9)));
    ASSERT_TRUE(told) << told.error().message;
    EXPECT_EQ(told->completion, 9);
    expect_same(told->put, large());
    EXPECT_EQ(told->put.ref, large().ref) << "it is known where a large one lies";
    EXPECT_EQ(carried(change_of("campaign", large(), 9)).at("space"), Value("campaign"));
}

TEST(ChangesTest, OfSmallOnesTheBytesGoAlong) {
    const auto told = decode_told_put(carried(change_of("campaign", small(), 0)));
    ASSERT_TRUE(told) << told.error().message;
    EXPECT_EQ(told->completion, 0);
    expect_same(told->put, small());
    EXPECT_EQ(told->put.ref.store, lost_store) << "as long as there is no room for them";
}

TEST(ChangesTest, WhatIsLostIsSaidToBe) {
    Put put = large();
    put.ref.store = lost_store;
    put.ref.offset = 0;
    put.twin = {};
    const auto told = decode_told_put(carried(change_of("campaign", put, 0)));
    ASSERT_TRUE(told) << told.error().message;
    EXPECT_EQ(told->put.ref, put.ref);
}

TEST(ChangesTest, LocksStayWithWhoHasGrantedThem) {
    Put put = large();
    put.locks = {3, 4};
    EXPECT_TRUE(decode_told_put(carried(change_of("campaign", put, 0))).value().put.locks.empty());
}

TEST(ChangesTest, StatesArriveAsTheyWere) {
    const VersionState states[] = {
        {}, {.completion = 7, .is_complete = true, .done = {0, 2, 5}, .unit = "K", .attributes = {{"run", "a12"}}}};
    for (const VersionState& state : states) {
        const auto told = decode_state(carried(change_of("campaign", "T", 3, state)));
        ASSERT_TRUE(told) << told.error().message;
        EXPECT_EQ(told->completion, state.completion);
        EXPECT_EQ(told->is_complete, state.is_complete);
        EXPECT_EQ(told->done, state.done);
        EXPECT_EQ(told->unit, state.unit);
        EXPECT_EQ(told->attributes, state.attributes);
    }
}

TEST(ChangesTest, TwinsAndRemovalsArriveAsTheyWere) {
    const auto twin = decode_twin(carried(change_of("campaign", "T", 3, ToldTwin{{6, 4096}, {7, 64}})));
    ASSERT_TRUE(twin) << twin.error().message;
    EXPECT_EQ(twin->of, BlockPlace(6, 4096));
    EXPECT_EQ(twin->twin, BlockPlace(7, 64));
    for (const std::optional<std::int64_t> version : {std::optional<std::int64_t>(3), std::optional<std::int64_t>()}) {
        const Attributes change = carried(change_of("campaign", {.variable = "T", .version = version}, {"p", 5, 3}));
        EXPECT_EQ(space::decode_wanted(change).value().version, version);
        EXPECT_EQ(space::decode_put_id(change).value().number, 5);
    }
}

TEST(ChangesTest, AnswersArriveAsTheyWereGiven) {
    for (const Answers::Answer& given :
         {Answers::Answer{}, Answers::Answer{-7, {lost_store, 0}}, Answers::Answer{INT64_MAX, {6, 4096}}}) {
        const Attributes change = carried(change_of({"p", 5, 3}, given));
        const auto told = decode_answer(change);
        ASSERT_TRUE(told) << told.error().message;
        EXPECT_EQ(told->version, given.version);
        EXPECT_EQ(told->place, given.place);
        EXPECT_EQ(space::decode_put_id(change).value().number, 5);
    }
}

/// What anybody could send in place of a field.
const std::vector<Value>& strange_values() {
    static const std::vector<Value> values{Value(),
                                           Value(true),
                                           Value(-1),
                                           Value(INT64_MAX),
                                           Value(0.5),
                                           Value("a text"),
                                           Value(List{1, "a", 2.5}),
                                           Value(List{}),
                                           Value(Attributes{{"a", 1}})};
    return values;
}

/// Each field is left out, and something else in its place: it is refused as `protocol`, or means something that can be
/// told again.
template <class Decode, class Again>
void spoil(const Attributes& change, const Decode& decode, const Again& again) {
    ASSERT_TRUE(decode(change));
    const auto check = [&](const Attributes& spoiled, const std::string& field) {
        const auto decoded = decode(spoiled);
        if (!decoded) {
            EXPECT_EQ(decoded.error().code, ErrorCode::protocol) << field;
        } else {
            EXPECT_TRUE(decode(carried(again(*decoded)))) << field;
        }
    };
    for (const auto& [field, value] : change) {
        Attributes spoiled = change;
        spoiled.erase(field);
        check(spoiled, field);
        for (const Value& strange : strange_values()) {
            spoiled[field] = strange;
            check(spoiled, field);
        }
    }
}

TEST(ChangesTest, WhatNobodyWouldTellIsRefused) {
    const auto put_again = [](const ToldPut& told) { return change_of("campaign", told.put, told.completion); };
    spoil(change_of("campaign", large(), 9), decode_told_put, put_again);
    spoil(change_of("campaign", small(), 9), decode_told_put, put_again);
    spoil(change_of("campaign", "T", 3, VersionState{.done = {1}, .unit = {}, .attributes = {}}), decode_state,
          [](const VersionState& state) { return change_of("campaign", "T", 3, state); });
    spoil(change_of("campaign", "T", 3, ToldTwin{{6, 4096}, {7, 64}}), decode_twin,
          [](const ToldTwin& twin) { return change_of("campaign", "T", 3, twin); });
    spoil(change_of({"p", 5, 3}, Answers::Answer{7, {6, 4096}}), decode_answer,
          [](const Answers::Answer& answer) { return change_of({"p", 5, 3}, answer); });
}

TEST(ChangesTest, FieldsThatAreNeededAreMissed) {
    const auto is_refused = [](Attributes change, const char* field, const auto& decode) {
        change.erase(field);
        return !decode(change);
    };
    for (const char* field : {"variable", "version", "process", "completion", "store", "at", "offset", "count"}) {
        EXPECT_TRUE(is_refused(change_of("campaign", large(), 9), field, decode_told_put)) << field;
    }
    for (const char* field : {"completion", "done", "unit", "attributes"}) {
        EXPECT_TRUE(is_refused(change_of("campaign", "T", 3, VersionState{}), field, decode_state)) << field;
    }
    for (const char* field : {"store", "at", "twin store", "twin at"}) {
        EXPECT_TRUE(is_refused(change_of("campaign", "T", 3, ToldTwin{}), field, decode_twin)) << field;
    }
}

TEST(ChangesTest, PlacesThatNoStoreHasAreRefused) {
    const auto is_refused = [](const char* field, const Value& value) {
        Attributes change = change_of("campaign", large(), 9);
        change[field] = value;
        return !decode_told_put(change);
    };
    EXPECT_TRUE(is_refused("store", -1));
    EXPECT_TRUE(is_refused("store", lost_store));
    EXPECT_TRUE(is_refused("at", -1));
    EXPECT_TRUE(is_refused("twin", List{7}));
    EXPECT_TRUE(is_refused("twin", List{lost_store, 0}));
    EXPECT_TRUE(is_refused("twin", List{7, -1}));
    EXPECT_TRUE(is_refused("completion", -1));
    EXPECT_TRUE(is_refused("completion", INT64_MAX)) << "others are to be completed after it";
    EXPECT_TRUE(is_refused("put id", List{"program", 5}));
    Attributes small_with_twin = change_of("campaign", small(), 9);
    small_with_twin["twin"] = List{7, 64};
    EXPECT_FALSE(decode_told_put(small_with_twin)) << "its bytes are with who follows";
    EXPECT_TRUE(is_refused("version", Value())) << "whoever follows decides on no numbers";
}

TEST(ChangesTest, BytesThatAreCutShortOrSpoiledAreNoneOrSomethingElse) {
    std::mt19937 random(7);
    for (const Attributes& change :
         {change_of("campaign", large(), 9),
          change_of("campaign", "T", 3, VersionState{.done = {1, 2}, .unit = {}, .attributes = {}}),
          change_of("campaign", "T", 3, ToldTwin{{6, 4096}, {7, 64}})}) {
        const std::vector<std::byte> whole = base::to_cbor(change);
        for (std::size_t length = 0; length < whole.size(); ++length) {
            EXPECT_FALSE(base::from_cbor(std::span(whole).first(length))) << length;
        }
        for (int i = 0; i < 2000; ++i) {
            std::vector<std::byte> spoiled = whole;
            for (auto changes = 1 + random() % 4; changes > 0; --changes) {
                spoiled[random() % spoiled.size()] = static_cast<std::byte>(random());
            }
            const auto value = base::from_cbor(spoiled);
            const Attributes* const map = value ? value->as_map() : nullptr;
            if (map == nullptr) {
                continue;
            }
            if (const auto told = decode_told_put(*map)) {
                EXPECT_TRUE(fits(told->put.block.box, told->put.block.shape));
                EXPECT_TRUE(decode_told_put(change_of("campaign", told->put, told->completion)));
            }
            if (const auto state = decode_state(*map)) {
                EXPECT_TRUE(decode_state(change_of("campaign", "T", 3, *state)));
            }
            static_cast<void>(decode_twin(*map));
        }
    }
}

}  // namespace
}  // namespace staithe::server
