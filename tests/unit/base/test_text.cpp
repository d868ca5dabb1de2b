#include "base/text.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/result.hpp"

namespace staithe::base {
namespace {

using namespace std::string_literals;

TEST(Printable, LeavesTextAsItIs) {
    for (const std::string text : {"", "a name", "Temperatur in °C", "温度", "\xf0\x9f\x8c\xa1", "C:\\path"}) {
        EXPECT_EQ(printable(text), text);
    }
}

TEST(Printable, EscapesWhatATerminalActsOn) {
    EXPECT_EQ(printable("a\x1b[2Jb\nc\r\td\x7f\0e"s), "a\\x1b[2Jb\\nc\\r\\td\\x7f\\x00e");
    EXPECT_EQ(printable("\xc2\x9b"), "\\x9b") << "the one-byte form of ESC [";
    EXPECT_EQ(printable("abc\xe2\x80\xae"
                        "cba"),
              "abc\\u202ecba")
        << "right to left";
    EXPECT_EQ(printable("\xf3\xa0\x80\x81"), "\\U000e0001") << "a tag";
}

TEST(Printable, EscapesWhatIsNoUtf8) {
    EXPECT_EQ(printable("a\xff"), "a\\xff");
    EXPECT_EQ(printable("a\xe2\x80"), "a\\xe2\\x80");
    EXPECT_EQ(printable("\xc0\x8a"), "\\xc0\\x8a") << "a newline, longer than it must be";
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\ud800");
}

TEST(Printable, IsWhatErrorsAre) {
    try {
        raise({ErrorCode::not_found, "no variable 'a\x1b[31m\n'"});
    } catch (const NotFound& error) {
        EXPECT_STREQ(error.what(), "no variable 'a\\x1b[31m\\n'");
    }
}

TEST(Closest, NamesAllWhereTheyAreFew) {
    EXPECT_EQ(closest("x", {}), "none");
    EXPECT_EQ(closest("z", {"x", "y"}), "'x', 'y'");
    EXPECT_EQ(closest("Temp", {"p", "u", "temp"}), "'temp', 'p', 'u'");
}

TEST(Closest, NamesTenAndHowManyMore) {
    std::vector<std::string> names;
    for (int i = 0; i < 10'000; ++i) {
        names.push_back("tracer_" + std::to_string(i));
    }
    const std::string text = closest("tracr_4711", names);
    EXPECT_EQ(text.find("'tracer_4711', "), 0U) << text;
    EXPECT_NE(text.find(" and 9990 more"), std::string::npos) << text;
    EXPECT_LT(text.size(), 200U);
}

}  // namespace
}  // namespace staithe::base
