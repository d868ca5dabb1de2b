// Attributes of C: every kind goes in and out, and what cannot be is refused.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <staithe/staithe.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

class AttributesTest : public ::testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(staithe_attributes_create(&attributes), STAITHE_OK); }
    void TearDown() override { staithe_attributes_free(&attributes); }

    std::string json_of(const char* name) {
        char* text = nullptr;
        EXPECT_EQ(staithe_attributes_get_json(attributes, name, &text), STAITHE_OK) << staithe_last_error();
        std::string copy = text == nullptr ? "" : text;
        staithe_text_free(&text);
        EXPECT_EQ(text, nullptr);
        return copy;
    }

    staithe_kind kind_of(const char* name) {
        staithe_kind kind = -1;
        EXPECT_EQ(staithe_attributes_get_kind(attributes, name, &kind), STAITHE_OK);
        return kind;
    }

    staithe_attributes* attributes = nullptr;
};

TEST_F(AttributesTest, EveryKindComesBack) {
    ASSERT_EQ(staithe_attributes_set_bool(attributes, "on", 2), STAITHE_OK);
    ASSERT_EQ(staithe_attributes_set_int(attributes, "n", INT64_MIN), STAITHE_OK);
    ASSERT_EQ(staithe_attributes_set_double(attributes, "dt", 0.005), STAITHE_OK);
    ASSERT_EQ(staithe_attributes_set_string(attributes, "title", "Å"), STAITHE_OK);
    ASSERT_EQ(staithe_attributes_set_json(attributes, "nothing", "null"), STAITHE_OK);
    ASSERT_EQ(staithe_attributes_set_json(attributes, "map", R"({"a": [1, 2.5, "x"]})"), STAITHE_OK);

    int32_t on = 0;
    int64_t n = 0;
    double dt = 0;
    const char* title = nullptr;
    EXPECT_EQ(staithe_attributes_get_bool(attributes, "on", &on), STAITHE_OK);
    EXPECT_EQ(staithe_attributes_get_int(attributes, "n", &n), STAITHE_OK);
    EXPECT_EQ(staithe_attributes_get_double(attributes, "dt", &dt), STAITHE_OK);
    EXPECT_EQ(staithe_attributes_get_string(attributes, "title", &title), STAITHE_OK);
    EXPECT_EQ(on, 1);
    EXPECT_EQ(n, INT64_MIN);
    EXPECT_EQ(dt, 0.005);
    EXPECT_STREQ(title, "Å");
    EXPECT_EQ(kind_of("on"), STAITHE_KIND_BOOL);
    EXPECT_EQ(kind_of("n"), STAITHE_KIND_INT);
    EXPECT_EQ(kind_of("dt"), STAITHE_KIND_DOUBLE);
    EXPECT_EQ(kind_of("title"), STAITHE_KIND_STRING);
    EXPECT_EQ(kind_of("nothing"), STAITHE_KIND_NULL);
    EXPECT_EQ(kind_of("map"), STAITHE_KIND_MAP);
    EXPECT_EQ(json_of("map"), R"({"a":[1,2.5,"x"]})");
    EXPECT_EQ(json_of(nullptr), R"({"dt":0.005,"map":{"a":[1,2.5,"x"]},"n":-9223372036854775808,"nothing":null,)"
                                R"("on":true,"title":"Å"})");
}

TEST_F(AttributesTest, ListsOfNumbersComeBackAsFarAsThereIsRoom) {
    const std::array<int64_t, 3> ints{1, -2, 3};
    const std::array doubles{0.5, std::nan("")};
    ASSERT_EQ(staithe_attributes_set_ints(attributes, "ints", ints.data(), ints.size()), STAITHE_OK);
    ASSERT_EQ(staithe_attributes_set_doubles(attributes, "doubles", doubles.data(), doubles.size()), STAITHE_OK);
    ASSERT_EQ(staithe_attributes_set_ints(attributes, "none", nullptr, 0), STAITHE_OK);
    EXPECT_EQ(kind_of("ints"), STAITHE_KIND_LIST);

    size_t count = 0;
    ASSERT_EQ(staithe_attributes_get_ints(attributes, "ints", nullptr, 0, &count), STAITHE_OK);
    EXPECT_EQ(count, 3U);
    std::array<int64_t, 3> some{7, 7, 7};
    ASSERT_EQ(staithe_attributes_get_ints(attributes, "ints", some.data(), 2, &count), STAITHE_OK);
    EXPECT_EQ(some, (std::array<int64_t, 3>{1, -2, 7}));
    EXPECT_EQ(count, 3U);
    std::array<double, 9> values{};
    ASSERT_EQ(staithe_attributes_get_doubles(attributes, "doubles", values.data(), values.size(), &count), STAITHE_OK);
    EXPECT_EQ(count, 2U);
    EXPECT_TRUE(values[0] == 0.5 && std::isnan(values[1]));
    ASSERT_EQ(staithe_attributes_get_doubles(attributes, "ints", values.data(), values.size(), &count), STAITHE_OK);
    EXPECT_EQ(values[1], -2.0);
    ASSERT_EQ(staithe_attributes_get_ints(attributes, "none", some.data(), some.size(), &count), STAITHE_OK);
    EXPECT_EQ(count, 0U);

    EXPECT_EQ(staithe_attributes_get_ints(attributes, "doubles", some.data(), some.size(), &count),
              STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_attributes_get_ints(attributes, "ints", nullptr, 3, &count), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_attributes_set_ints(attributes, "ints", nullptr, 3), STAITHE_INVALID_ARGUMENT);
}

TEST_F(AttributesTest, SaysWhatThereIsInstead) {
    ASSERT_EQ(staithe_attributes_set_double(attributes, "dt", 1), STAITHE_OK);
    ASSERT_EQ(staithe_attributes_set_int(attributes, "n", 1), STAITHE_OK);
    int64_t n = 7;
    EXPECT_EQ(staithe_attributes_get_int(attributes, "steps", &n), STAITHE_NOT_FOUND);
    EXPECT_STREQ(staithe_last_error(), "there is no attribute 'steps'; there are 'dt', 'n'");
    EXPECT_EQ(staithe_attributes_get_int(attributes, "dt", &n), STAITHE_INVALID_ARGUMENT);
    EXPECT_STREQ(staithe_last_error(), "attribute 'dt' is a double, not an int");
    EXPECT_EQ(n, 7);
    const char* text = "left";
    EXPECT_EQ(staithe_attributes_get_string(attributes, "n", &text), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(text, nullptr);
    double number = 0;
    EXPECT_EQ(staithe_attributes_get_double(attributes, "n", &number), STAITHE_OK);
    EXPECT_EQ(number, 1.0);
}

TEST_F(AttributesTest, JsonThatIsNoneIsRefusedAndLeavesTheOldValue) {
    ASSERT_EQ(staithe_attributes_set_int(attributes, "n", 1), STAITHE_OK);
    EXPECT_EQ(staithe_attributes_set_json(attributes, "n", "{"), STAITHE_INVALID_ARGUMENT);
    EXPECT_THAT(staithe_last_error(), ::testing::StartsWith("this is not JSON as expected: parse error at line 1"));
    EXPECT_EQ(json_of("n"), "1");
}

TEST_F(AttributesTest, NamesAreListed) {
    ASSERT_EQ(staithe_attributes_set_int(attributes, "b", 1), STAITHE_OK);
    ASSERT_EQ(staithe_attributes_set_int(attributes, "a", 1), STAITHE_OK);
    staithe_names* names = nullptr;
    ASSERT_EQ(staithe_attributes_names(attributes, &names), STAITHE_OK);
    int64_t count = 0;
    const char* name = nullptr;
    EXPECT_EQ(staithe_names_count(names, &count), STAITHE_OK);
    EXPECT_EQ(count, 2);
    EXPECT_EQ(staithe_names_get(names, 1, &name), STAITHE_OK);
    EXPECT_STREQ(name, "b");
    EXPECT_EQ(staithe_names_get(names, 2, &name), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(name, nullptr);
    EXPECT_EQ(staithe_names_get(names, -1, &name), STAITHE_INVALID_ARGUMENT);
    staithe_names_free(&names);
    EXPECT_EQ(staithe_names_count(names, &count), STAITHE_INVALID_ARGUMENT);
}

TEST_F(AttributesTest, NullIsRefusedAndNamed) {
    EXPECT_EQ(staithe_attributes_set_int(nullptr, "n", 1), STAITHE_INVALID_ARGUMENT);
    EXPECT_STREQ(staithe_last_error(), "the argument 'attributes' is NULL: create the attributes first, or set one");
    EXPECT_EQ(staithe_attributes_set_int(attributes, nullptr, 1), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_attributes_set_string(attributes, "s", nullptr), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_attributes_set_int(attributes, "n", 1), STAITHE_OK);
    EXPECT_EQ(staithe_attributes_get_int(attributes, "n", nullptr), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_attributes_create(nullptr), STAITHE_INVALID_ARGUMENT);
    staithe_attributes_free(nullptr);
    staithe_text_free(nullptr);
}

}  // namespace
