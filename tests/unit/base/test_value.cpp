#include <staithe/value.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "base/value_codec.hpp"

namespace staithe::base {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

Value nested(std::size_t depth) {
    Value value = 1;
    for (std::size_t i = 0; i < depth; ++i) {
        value = i % 2 == 0 ? Value(List{value}) : Value(Attributes{{"in", value}});
    }
    return value;
}

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
    std::vector<std::byte> bytes;
    for (const int value : values) {
        bytes.push_back(static_cast<std::byte>(value));
    }
    return bytes;
}

ErrorCode code_of(const Result<Value>& result) {
    EXPECT_FALSE(result);
    return result ? ErrorCode::system : result.error().code;
}

TEST(Value, TakesLiterals) {
    const Attributes attributes{
        {"units", "lj"}, {"dt", 0.005}, {"atoms", 32000U}, {"on", true}, {"box", List{1, 2.5, "x"}}, {"none", nullptr}};
    EXPECT_EQ(*find(attributes, "units")->as_string(), "lj");
    EXPECT_EQ(find(attributes, "dt")->as_double(), 0.005);
    EXPECT_EQ(find(attributes, "atoms")->as_int(), 32000);
    EXPECT_EQ(find(attributes, "on")->as_bool(), true);
    EXPECT_EQ(find(attributes, "box")->as_list()->size(), 3U);
    EXPECT_TRUE(find(attributes, "none")->is_null());
    EXPECT_EQ(find(attributes, "missing"), nullptr);
}

TEST(Value, KeepsKindsApart) {
    EXPECT_EQ(Value(1).as_double(), 1.0);
    EXPECT_EQ(Value(1.0).as_int(), std::nullopt);
    EXPECT_EQ(Value(true).as_int(), std::nullopt);
    EXPECT_EQ(Value("1").as_double(), std::nullopt);
    EXPECT_NE(Value(1), Value(1.0));
    EXPECT_EQ(Value(std::numeric_limits<std::int64_t>::min()).as_int(), std::numeric_limits<std::int64_t>::min());
    EXPECT_THROW(Value(~std::uint64_t{0}), InvalidArgument);
}

TEST(ValueCodec, EveryValueSurvivesCbor) {
    const Value value = Attributes{{"null", nullptr},
                                   {"yes", true},
                                   {"int", largest},
                                   {"negative", std::numeric_limits<std::int64_t>::min()},
                                   {"pi", 3.141592653589793},
                                   {"tiny", 5e-324},
                                   {"text", "Å, \n \"quoted\""},
                                   {"", ""},
                                   {"list", List{List{}, Attributes{}, 1, "two"}}};
    const auto back = from_cbor(to_cbor(value));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, value);
}

TEST(ValueCodec, NanAndInfinitySurviveCbor) {
    const auto back = from_cbor(to_cbor(List{std::nan(""), infinity, -infinity, -0.0}));
    ASSERT_TRUE(back);
    const List& list = *back->as_list();
    EXPECT_TRUE(std::isnan(*list[0].as_double()));
    EXPECT_EQ(list[1].as_double(), infinity);
    EXPECT_EQ(list[2].as_double(), -infinity);
    EXPECT_TRUE(std::signbit(*list[3].as_double()));
}

TEST(ValueCodec, BoundsTheDepth) {
    EXPECT_TRUE(check(nested(max_value_depth)));
    EXPECT_FALSE(check(nested(max_value_depth + 1)));
    EXPECT_TRUE(from_cbor(to_cbor(nested(max_value_depth))));
    EXPECT_EQ(code_of(from_cbor(to_cbor(nested(max_value_depth + 1)))), ErrorCode::protocol);
    const std::vector<std::byte> deep(1000000, std::byte{0x81});  // a list in a list in a list …
    EXPECT_EQ(code_of(from_cbor(deep)), ErrorCode::protocol);
    EXPECT_EQ(code_of(from_json(std::string(100000, '['))), ErrorCode::invalid_argument);
}

TEST(ValueCodec, StringsInPiecesAreRefusedHoweverDeepTheyAreNested) {
    for (const unsigned piece : {0x5fU, 0x7fU}) {
        const std::vector<std::byte> nested(10'000'000, static_cast<std::byte>(piece));
        EXPECT_EQ(code_of(from_cbor(nested)), ErrorCode::protocol);
        const std::vector<std::byte> in_a_list{std::byte{0x82}, std::byte{0x01}, std::byte(piece), std::byte{0xff}};
        EXPECT_EQ(code_of(from_cbor(in_a_list)), ErrorCode::protocol);
    }
    // The same bytes as parts of a text and of numbers of every length.
    const Value harmless = List{"___\x7f",
                                0x5f,
                                0x5f5f,
                                0x5f5f5f5f,
                                0x5f5f5f5f5f5f5f5f,
                                5.0e150,
                                std::string(300, '_'),
                                std::string(70'000, '_'),
                                Attributes{{"_", "_"}}};
    EXPECT_EQ(from_cbor(to_cbor(harmless)), harmless);
}

TEST(ValueCodec, RejectsWhatIsNotOneValue) {
    EXPECT_EQ(code_of(from_cbor({})), ErrorCode::protocol);
    EXPECT_EQ(code_of(from_cbor(bytes_of({0x01, 0x01}))), ErrorCode::protocol);        // trailing byte
    EXPECT_EQ(code_of(from_cbor(bytes_of({0x82, 0x01}))), ErrorCode::protocol);        // cut short
    EXPECT_EQ(code_of(from_cbor(bytes_of({0xa1, 0x01, 0x01}))), ErrorCode::protocol);  // name not a text
    EXPECT_EQ(code_of(from_cbor(bytes_of({0x41, 0x00}))), ErrorCode::protocol);        // byte string
    EXPECT_EQ(code_of(from_cbor(bytes_of({0xc1, 0x01}))), ErrorCode::protocol);        // tag
    EXPECT_EQ(code_of(from_cbor(bytes_of({0x61, 0xff}))), ErrorCode::protocol);        // not UTF-8
    EXPECT_EQ(code_of(from_cbor(bytes_of({0x1b, 255, 255, 255, 255, 255, 255, 255, 255}))), ErrorCode::protocol);
    // Lengths that no machine could hold must not be believed.
    EXPECT_EQ(code_of(from_cbor(bytes_of({0x9b, 0x7f, 255, 255, 255, 255, 255, 255, 255, 1}))), ErrorCode::protocol);
    EXPECT_EQ(code_of(from_cbor(bytes_of({0x7b, 0x7f, 255, 255, 255, 255, 255, 255, 255, 65}))), ErrorCode::protocol);
    EXPECT_EQ(code_of(from_cbor(bytes_of({0xbb, 0x7f, 255, 255, 255, 255, 255, 255, 255, 65}))), ErrorCode::protocol);
}

// We write none of these, but may read them.
TEST(ValueCodec, ReadsWhatOthersMayWrite) {
    EXPECT_EQ(from_cbor(bytes_of({0x9f, 0x01, 0x02, 0xff})), Value(List{1, 2}));  // lengths that are not said before
    EXPECT_EQ(from_cbor(bytes_of({0xbf, 0x61, 'b', 0x01, 0x61, 'a', 0x02, 0xff})),
              Value(Attributes{{"a", 2}, {"b", 1}}));
    EXPECT_EQ(from_cbor(bytes_of({0xa2, 0x61, 'a', 0x01, 0x61, 'a', 0x02})), Value(Attributes{{"a", 2}}));  // twice
    EXPECT_EQ(from_cbor(bytes_of({0x18, 0x05})), Value(5));  // longer than it need be
    EXPECT_EQ(from_cbor(bytes_of({0xf9, 0x3e, 0x00})), Value(1.5));
    EXPECT_EQ(from_cbor(bytes_of({0xf9, 0x80, 0x01})), Value(-0x1p-24));
    EXPECT_EQ(from_cbor(bytes_of({0xf9, 0x7c, 0x00})), Value(infinity));
    EXPECT_TRUE(std::isnan(*from_cbor(bytes_of({0xf9, 0x7e, 0x00}))->as_double()));
    EXPECT_EQ(from_cbor(bytes_of({0xfa, 0x40, 0x20, 0x00, 0x00})), Value(2.5));
    for (const auto& bytes :
         {bytes_of({0x9f, 0x01}), bytes_of({0xff}), bytes_of({0x1f}), bytes_of({0x1c}), bytes_of({0xf7}),
          bytes_of({0xf8, 0x14}), bytes_of({0xf9, 0x3e}), bytes_of({0x3b, 255, 255, 255, 255, 255, 255, 255, 255})}) {
        EXPECT_EQ(code_of(from_cbor(bytes)), ErrorCode::protocol);
    }
}

TEST(ValueCodec, SurvivesDamagedBytes) {
    constexpr unsigned seed = 99;
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto good = to_cbor(Attributes{{"a", List{1, 2.5, "text", nullptr}}, {"b", Attributes{{"c", true}}}});
    for (int round = 0; round < 20000; ++round) {
        auto bytes = good;
        for (int i = 0; i < 3; ++i) {
            bytes[random() % bytes.size()] = static_cast<std::byte>(random());
        }
        bytes.resize(bytes.size() - random() % 3);
        if (const auto value = from_cbor(bytes)) {
            EXPECT_TRUE(check(*value));
            EXPECT_TRUE(from_cbor(to_cbor(*value)));
        }
    }
}

TEST(ValueCodec, ChecksText) {
    EXPECT_TRUE(check("plain, Å, 世, 🙂"));
    for (const char* wrong :
         {"\xff", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3", "a\x80"}) {
        EXPECT_FALSE(check(wrong));
        EXPECT_FALSE(check(Attributes{{wrong, 1}}));
    }
}

TEST(ValueCodec, SpeaksJson) {
    const Value value = Attributes{{"dt", 1.0}, {"n", 3}, {"name", "melt"}, {"on", true}};
    EXPECT_EQ(to_json(value), R"({"dt":1.0,"n":3,"name":"melt","on":true})");
    EXPECT_EQ(from_json(to_json(value, 2)).value(), value);
    EXPECT_EQ(to_json(List{std::nan(""), "\xff"}), "[null,\"\xef\xbf\xbd\"]");
    const auto wrong = from_json("{\"a\": }");
    EXPECT_EQ(code_of(wrong), ErrorCode::invalid_argument);
    EXPECT_NE(wrong.error().message.find("column"), std::string::npos);
    EXPECT_EQ(code_of(from_json("1 2")), ErrorCode::invalid_argument);
    EXPECT_THROW(static_cast<void>(value_from_json("1 2")), InvalidArgument);
    EXPECT_EQ(value_from_json("[1, 2]"), Value(List{1, 2}));
    EXPECT_EQ(code_of(from_json("1e999")), ErrorCode::invalid_argument);
}

TEST(ValueCodec, ReadsTheJsonOfOthers) {
    EXPECT_EQ(
        from_json_of_others(R"([NaN, Infinity, -Infinity, "a NaN \" NaN \\", {"NaN": 18446744073709551615}])").value(),
        Value(List{"NaN", "Infinity", "-Infinity", "a NaN \" NaN \\", Attributes{{"NaN", "18446744073709551615"}}}));
    EXPECT_EQ(from_json_of_others("[-9223372036854775808, 2.5]").value(), Value(List{INT64_MIN, 2.5}));
    for (const char* const wrong : {"", "\"", "\"\\", "-NaN", "NaN1", "[NaN", "Inf"}) {
        EXPECT_FALSE(from_json_of_others(wrong)) << wrong;
    }
}

}  // namespace
}  // namespace staithe::base
