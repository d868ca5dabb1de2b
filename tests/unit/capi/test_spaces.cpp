// A space through the C interface: what is got, who owns what, and what misuse gives.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <staithe/staithe.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/capi/open_space.hpp"

namespace {

class CSpaceTest : public staithe::testing::OpenSpace {
  protected:
    void SetUp() override {
        OpenSpace::SetUp();
        staithe_space_put_options_init(&options_of_put, sizeof options_of_put);
    }
    void TearDown() override {
        staithe_space_array_free(&array);
        OpenSpace::TearDown();
    }

    /// Puts 1 to 6 in two rows.
    void put(const char* name, int64_t* version = nullptr) {
        EXPECT_DONE(
            staithe_space_put(space, name, six.data(), STAITHE_F64, 2, two_by_three.data(), &options_of_put, version));
    }
    void get(const char* name, int64_t version = STAITHE_UNSET, const staithe_selection* box = nullptr) {
        staithe_space_array_free(&array);
        EXPECT_DONE(staithe_space_get(space, name, version, box, STAITHE_UNSET, &array));
    }
    std::vector<double> got(std::size_t elements) {
        std::vector<double> values(elements);
        EXPECT_DONE(staithe_space_array_read(array, STAITHE_F64, values.data(), nullptr));
        return values;
    }

    const std::vector<double> six{1, 2, 3, 4, 5, 6};
    const std::array<int64_t, 2> two_by_three{2, 3};
    staithe_space_put_options options_of_put{};
    staithe_space_array* array = nullptr;
};

TEST_F(CSpaceTest, KeepsArraysAndWhatIsSaidOfThem) {
    staithe_attributes* attributes = nullptr;
    EXPECT_DONE(staithe_attributes_create(&attributes));
    EXPECT_DONE(staithe_attributes_set_string(attributes, "run", "a12"));
    options_of_put.unit = "K";
    options_of_put.attributes = attributes;
    options_of_put.version = 7;
    int64_t version = 0;
    put("T", &version);
    staithe_attributes_free(&attributes);
    EXPECT_EQ(version, 7);

    get("T");
    EXPECT_EQ(got(6), six);
    version = 0;
    staithe_dtype dtype = -1;
    int32_t dimensions = 0;
    std::array<int64_t, STAITHE_MAX_DIMENSIONS> shape{};
    staithe_selection box{};
    const char* text = nullptr;
    EXPECT_DONE(staithe_space_array_version(array, &version));
    EXPECT_DONE(staithe_space_array_dtype(array, &dtype));
    EXPECT_DONE(staithe_space_array_shape(array, &dimensions, shape.data()));
    EXPECT_DONE(staithe_space_array_box(array, &box));
    EXPECT_DONE(staithe_space_array_unit(array, &text));
    EXPECT_EQ(version, 7);
    EXPECT_EQ(dtype, STAITHE_F64);
    EXPECT_EQ(dimensions, 2);
    EXPECT_EQ(shape[1], 3);
    EXPECT_EQ(box.dimensions, 2);
    EXPECT_EQ(box.count[0], 2);
    EXPECT_STREQ(text, "K");
    EXPECT_DONE(staithe_space_array_attributes(array, &attributes));
    EXPECT_DONE(staithe_attributes_get_string(attributes, "run", &text));
    EXPECT_STREQ(text, "a12");
    staithe_attributes_free(&attributes);

    EXPECT_DONE(staithe_space_name(space, &text));
    EXPECT_STREQ(text, "s");
    char* title = nullptr;
    EXPECT_DONE(staithe_space_kept_by(space, &title));
    EXPECT_STREQ(title, "this process");
    staithe_text_free(&title);
}

TEST_F(CSpaceTest, OptionsOfAPutSayWhereItsBlockLiesInMemoryAndInTheVariable) {
    const std::array<int64_t, 2> shape{2, 6};
    const std::array<int64_t, 2> right{0, 3};
    const std::array<int64_t, 2> backwards{-24, -8};
    options_of_put.shape = shape.data();
    options_of_put.version = 0;
    options_of_put.order = STAITHE_COLUMN_MAJOR;
    put("x");
    EXPECT_EQ(staithe_space_get(space, "x", STAITHE_UNSET, nullptr, 0, &array), STAITHE_TIMEOUT);
    EXPECT_NE(std::strstr(staithe_last_error(), "50 % of its elements were put"), nullptr) << staithe_last_error();
    options_of_put.offset = right.data();
    options_of_put.strides = backwards.data();
    EXPECT_DONE(staithe_space_put(space, "x", &six[5], STAITHE_F64, 2, two_by_three.data(), &options_of_put, nullptr));
    get("x");
    EXPECT_EQ(got(12), (std::vector<double>{1, 3, 5, 6, 5, 4, 2, 4, 6, 3, 2, 1}));

    staithe_selection box{};
    const std::array<int64_t, 2> offset{1, 2};
    const std::array<int64_t, 2> count{1, 2};
    EXPECT_DONE(staithe_selection_box(&box, 2, offset.data(), count.data()));
    get("x", 0, &box);
    EXPECT_EQ(got(2), (std::vector<double>{6, 3}));
    box.step[1] = -1;
    staithe_space_array_free(&array);
    EXPECT_EQ(staithe_space_get(space, "x", 0, &box, 0, &array), STAITHE_INVALID_ARGUMENT);
    EXPECT_STREQ(staithe_last_error(),
                 "a box has no steps, and the selection has one of -1: make it by staithe_selection_box");
    EXPECT_EQ(array, nullptr);
}

TEST_F(CSpaceTest, ReadsAsOtherDtypesIntoStrides) {
    const std::array<float, 3> floats{0.5F, 1.5F, 2.5F};
    const int64_t three = 3;
    const int64_t every_other = 16;
    EXPECT_DONE(staithe_space_put(space, "f", floats.data(), STAITHE_F32, 1, &three, nullptr, nullptr));
    get("f");
    std::vector<double> values(5, -1);
    EXPECT_DONE(staithe_space_array_read(array, STAITHE_F64, values.data(), &every_other));
    EXPECT_EQ(values, (std::vector<double>{0.5, -1, 1.5, -1, 2.5}));
    EXPECT_EQ(staithe_space_array_read(array, STAITHE_I32, values.data(), nullptr), STAITHE_INVALID_ARGUMENT);
    EXPECT_STREQ(staithe_last_error(), "'f' is f4 of shape (3): not all of it can be written as i4 of shape (3)");
    EXPECT_EQ(staithe_space_array_read(array, 99, values.data(), nullptr), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_space_array_read(array, STAITHE_F64, nullptr, nullptr), STAITHE_INVALID_ARGUMENT);
    EXPECT_STREQ(staithe_last_error(), "the argument 'destination' is NULL");
}

TEST_F(CSpaceTest, AViewOutlivesEverythingElse) {
    put("T");
    get("T");
    staithe_view* view = nullptr;
    EXPECT_DONE(staithe_space_array_view(array, &view));
    EXPECT_DONE(staithe_space_remove_variable(space, "T"));
    staithe_space_array_free(&array);
    staithe_space_free(&space);
    staithe_array memory{};
    EXPECT_DONE(staithe_view_array(view, &memory));
    EXPECT_EQ(memory.shape[1], 3);
    EXPECT_EQ(memory.strides[0], 24);
    const auto* values = static_cast<const double*>(memory.data);
    EXPECT_EQ(std::vector<double>(values, values + 6), six);
    staithe_view_free(&view);
}

TEST_F(CSpaceTest, VersionsAreListedKeptAndRemoved) {
    options_of_put.unit = "K";
    staithe_attributes* attributes = nullptr;
    EXPECT_DONE(staithe_attributes_create(&attributes));
    options_of_put.attributes = attributes;
    for (int64_t i = 0; i < 4; ++i) {
        int64_t version = -1;
        EXPECT_DONE(staithe_attributes_set_int(attributes, "i", i));
        put("a/T", &version);
        EXPECT_EQ(version, i);
    }
    staithe_attributes_free(&attributes);
    options_of_put.attributes = nullptr;
    put("b");
    staithe_names* names = nullptr;
    int64_t count = 0;
    const char* name = nullptr;
    EXPECT_DONE(staithe_space_names(space, "a/*", &names));
    EXPECT_DONE(staithe_names_count(names, &count));
    EXPECT_DONE(staithe_names_get(names, 0, &name));
    EXPECT_EQ(count, 1);
    EXPECT_STREQ(name, "a/T");
    staithe_names_free(&names);
    EXPECT_DONE(staithe_space_names(space, nullptr, &names));
    EXPECT_DONE(staithe_names_count(names, &count));
    EXPECT_EQ(count, 2);
    staithe_names_free(&names);

    EXPECT_DONE(staithe_space_keep(space, "a/T", 2, STAITHE_UNSET, STAITHE_UNSET));
    staithe_versions* versions = nullptr;
    EXPECT_DONE(staithe_space_versions(space, "a/T", &versions));
    EXPECT_DONE(staithe_versions_count(versions, &count));
    EXPECT_EQ(count, 2);
    staithe_space_version listed{};
    EXPECT_DONE(staithe_versions_get(versions, 1, &listed, sizeof listed));
    EXPECT_EQ(listed.version, 3);
    EXPECT_EQ(listed.blocks, 1);
    EXPECT_EQ(listed.bytes, 48);
    EXPECT_EQ(listed.complete, 1);
    EXPECT_EQ(listed.dtype, STAITHE_F64);
    EXPECT_EQ(listed.dimensions, 2);
    EXPECT_EQ(listed.shape[0], 2);
    EXPECT_EQ(listed.shape[1], 3);
    EXPECT_STREQ(listed.unit, "K");
    EXPECT_EQ(listed.completion, 4);
    EXPECT_DONE(staithe_versions_attributes(versions, 0, &attributes));
    EXPECT_DONE(staithe_attributes_get_int(attributes, "i", &count));
    EXPECT_EQ(count, 2);
    staithe_attributes_free(&attributes);
    EXPECT_EQ(staithe_versions_get(versions, 2, &listed, sizeof listed), STAITHE_INVALID_ARGUMENT);
    EXPECT_STREQ(staithe_last_error(), "there are 2 versions, and no version 2");
    EXPECT_EQ(staithe_versions_attributes(versions, -1, &attributes), STAITHE_INVALID_ARGUMENT);
    staithe_versions_free(&versions);

    EXPECT_DONE(staithe_space_remove(space, "a/T", 2));
    EXPECT_EQ(staithe_space_remove(space, "a/T", STAITHE_UNSET), STAITHE_NOT_FOUND) << "version -1, not all of them";
    EXPECT_DONE(staithe_space_remove_variable(space, "a/T"));
    EXPECT_EQ(staithe_space_versions(space, "a/T", &versions), STAITHE_NOT_FOUND);
    EXPECT_EQ(versions, nullptr);
    EXPECT_EQ(staithe_space_keep(space, "b", 2, -5, STAITHE_UNSET), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_space_keep(space, "b", STAITHE_UNSET, STAITHE_UNSET, 1e30), STAITHE_INVALID_ARGUMENT);
}

TEST_F(CSpaceTest, ContainersHaveAttributes) {
    put("run7/T");
    put("b");
    staithe_names* names = nullptr;
    int64_t count = 0;
    const char* text = nullptr;
    EXPECT_DONE(staithe_space_containers(space, nullptr, &names));
    EXPECT_DONE(staithe_names_count(names, &count));
    EXPECT_DONE(staithe_names_get(names, 0, &text));
    EXPECT_EQ(count, 1);
    EXPECT_STREQ(text, "run7");
    staithe_names_free(&names);
    staithe_attributes* attributes = nullptr;
    EXPECT_DONE(staithe_attributes_create(&attributes));
    EXPECT_DONE(staithe_attributes_set_string(attributes, "by", "me"));
    for (const char* path : {"run7", ""}) {
        EXPECT_DONE(staithe_space_set_attributes(space, path, attributes));
        staithe_attributes* found = nullptr;
        EXPECT_DONE(staithe_space_attributes(space, path, &found));
        EXPECT_DONE(staithe_attributes_get_string(found, "by", &text));
        EXPECT_STREQ(text, "me");
        staithe_attributes_free(&found);
    }
    EXPECT_EQ(staithe_space_set_attributes(space, nullptr, attributes), STAITHE_INVALID_ARGUMENT);
    EXPECT_DONE(staithe_space_remove_container(space, "run7", &count));
    EXPECT_EQ(count, 1);
    EXPECT_DONE(staithe_space_remove_container(space, "", nullptr));
    EXPECT_EQ(staithe_space_remove_container(space, nullptr, &count), STAITHE_INVALID_ARGUMENT);
    EXPECT_DONE(staithe_space_names(space, nullptr, &names));
    EXPECT_DONE(staithe_names_count(names, &count));
    EXPECT_EQ(count, 0);
    staithe_names_free(&names);
    staithe_attributes_free(&attributes);
    EXPECT_EQ(staithe_space_set_attributes(space, "run7", attributes), STAITHE_INVALID_ARGUMENT);
    EXPECT_STREQ(staithe_last_error(), "the argument 'attributes' is NULL: create the attributes first, or set one");
    EXPECT_EQ(staithe_space_containers(space, "*", nullptr), STAITHE_INVALID_ARGUMENT);
}

TEST_F(CSpaceTest, HitsAreBoxes) {
    options_of_put.version = 4;
    put("T");
    options_of_put.version = 5;
    put("T");
    staithe_hits* hits = nullptr;
    EXPECT_DONE(staithe_space_query(space, "T > 2 and T != 5", 4, STAITHE_UNSET, &hits));
    int64_t number = 0;
    EXPECT_DONE(staithe_hits_version(hits, &number));
    EXPECT_EQ(number, 4);
    EXPECT_DONE(staithe_hits_elements(hits, &number));
    EXPECT_EQ(number, 3);
    staithe_names* names = nullptr;
    const char* name = nullptr;
    EXPECT_DONE(staithe_hits_variables(hits, &names));
    EXPECT_DONE(staithe_names_get(names, 0, &name));
    EXPECT_STREQ(name, "T");
    staithe_names_free(&names);

    std::vector<double> matching;
    EXPECT_DONE(staithe_hits_count(hits, &number));
    for (int64_t i = 0; i < number; ++i) {
        staithe_selection box{};
        EXPECT_DONE(staithe_hits_box(hits, i, &box));
        get("T", 4, &box);
        for (const double value : got(static_cast<std::size_t>(box.count[0] * box.count[1]))) {
            matching.push_back(value);
        }
    }
    std::sort(matching.begin(), matching.end());
    EXPECT_EQ(matching, (std::vector<double>{3, 4, 6}));
    staithe_selection box{};
    EXPECT_EQ(staithe_hits_box(hits, number, &box), STAITHE_INVALID_ARGUMENT);
    staithe_hits_free(&hits);

    EXPECT_DONE(staithe_space_query(space, "T > 2 and T != 5", STAITHE_UNSET, 1, &hits));
    EXPECT_DONE(staithe_hits_count(hits, &number));
    EXPECT_EQ(number, 1);
    EXPECT_DONE(staithe_hits_elements(hits, &number));
    EXPECT_EQ(number, 3);
    EXPECT_DONE(staithe_hits_version(hits, &number));
    EXPECT_EQ(number, 5);
    staithe_hits_free(&hits);
    EXPECT_EQ(staithe_space_query(space, "T >", 4, STAITHE_UNSET, &hits), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_space_query(space, "U > 1", STAITHE_UNSET, STAITHE_UNSET, &hits), STAITHE_NOT_FOUND);
    EXPECT_EQ(hits, nullptr);
}

TEST_F(CSpaceTest, PersistIsPassedOn) {
    const int64_t six_of_them = 6;
    options_of_put.persist = 1;
    EXPECT_EQ(staithe_space_put(space, "x", six.data(), STAITHE_F64, 1, &six_of_them, &options_of_put, nullptr),
              STAITHE_INVALID_ARGUMENT);
    EXPECT_THAT(staithe_last_error(), ::testing::HasSubstr("serve --spill FOLDER"));
}

TEST_F(CSpaceTest, CompleteAndOverlapArePassedOn) {
    const int64_t four = 4;
    const int64_t two = 2;
    const int64_t one = 1;
    options_of_put.shape = &four;
    options_of_put.version = 0;
    options_of_put.overlap = 0;
    const auto put_two = [&] {
        return staithe_space_put(space, "x", six.data(), STAITHE_F64, 1, &two, &options_of_put, nullptr);
    };
    EXPECT_DONE(put_two());
    options_of_put.offset = &one;
    EXPECT_EQ(put_two(), STAITHE_ALREADY_EXISTS);
    options_of_put.overlap = 1;
    options_of_put.complete = 1;
    EXPECT_DONE(put_two());
    EXPECT_EQ(put_two(), STAITHE_ALREADY_EXISTS);
    EXPECT_STREQ(staithe_last_error(),
                 "version 0 of 'x' is complete, and does not change any more: put another version");
    EXPECT_EQ(staithe_space_get(space, "x", 0, nullptr, 0, &array), STAITHE_NOT_FOUND) << "there is a hole";
    const int64_t three = 3;
    staithe_selection box{};
    EXPECT_DONE(staithe_selection_box(&box, 1, nullptr, &three));
    get("x", 0, &box);
    EXPECT_EQ(got(3), (std::vector<double>{1, 1, 2}));
}

TEST_F(CSpaceTest, RanksPutTogether) {
    std::array<staithe_space*, 2> ranks{};
    for (int32_t rank = 0; rank < 2; ++rank) {
        staithe_space_options options;
        staithe_space_options_init(&options, sizeof options);
        options.group = {rank, 2, ""};
        options.server = "";
        EXPECT_DONE(staithe_space_open("s", &options, &ranks[static_cast<std::size_t>(rank)]));
    }
    const std::array<int64_t, 2> shape{4, 3};
    const std::array<int64_t, 2> below{2, 0};
    options_of_put.shape = shape.data();
    const auto put_by = [&](std::size_t rank) {
        return staithe_space_put(ranks[rank], "x", six.data(), STAITHE_F64, 2, two_by_three.data(), &options_of_put,
                                 nullptr);
    };
    EXPECT_EQ(put_by(0), STAITHE_INVALID_ARGUMENT) << "which version?";
    options_of_put.version = 3;
    EXPECT_DONE(put_by(0));
    EXPECT_EQ(put_by(1), STAITHE_ALREADY_EXISTS) << "they lie over each other";
    options_of_put.offset = below.data();
    EXPECT_DONE(put_by(1));
    std::vector<double> twice = six;
    twice.insert(twice.end(), six.begin(), six.end());
    get("x", 3);
    EXPECT_EQ(got(12), twice);
    for (staithe_space*& rank : ranks) {
        staithe_space_free(&rank);
    }
}

TEST_F(CSpaceTest, WhatIsNullOrClosedSaysSo) {
    EXPECT_EQ(staithe_space_put(space, "x", nullptr, STAITHE_F64, 2, two_by_three.data(), nullptr, nullptr),
              STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_space_put(space, nullptr, six.data(), STAITHE_F64, 0, nullptr, nullptr, nullptr),
              STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_space_put(space, "x", six.data(), STAITHE_F64, 1, nullptr, nullptr, nullptr),
              STAITHE_INVALID_ARGUMENT);
    options_of_put.struct_size = 0;
    EXPECT_EQ(staithe_space_put(space, "x", six.data(), STAITHE_F64, 0, nullptr, &options_of_put, nullptr),
              STAITHE_INVALID_ARGUMENT);
    EXPECT_STREQ(staithe_last_error(),
                 "the struct_size of staithe_space_put_options is 0: fill it by staithe_space_put_options_init first");
    const std::array<int64_t, 1> nothing{0};
    EXPECT_DONE(staithe_space_put(space, "empty", nullptr, STAITHE_F64, 1, nothing.data(), nullptr, nullptr));
    EXPECT_DONE(staithe_space_put(space, "scalar", six.data(), STAITHE_F64, 0, nullptr, nullptr, nullptr));
    get("empty");
    EXPECT_DONE(staithe_space_array_read(array, STAITHE_F64, nullptr, nullptr));
    get("scalar");
    EXPECT_EQ(got(1), std::vector<double>{1});
    staithe_space_array_free(&array);
    int64_t version = 9;
    EXPECT_EQ(staithe_space_array_version(array, &version), STAITHE_INVALID_ARGUMENT);
    EXPECT_STREQ(staithe_last_error(), "the argument 'array' is NULL: get it from the space first");
    EXPECT_EQ(version, 9);
    EXPECT_EQ(staithe_space_get(space, "x", 0, nullptr, 0, nullptr), STAITHE_INVALID_ARGUMENT);

    get("scalar");
    EXPECT_DONE(staithe_space_close(space));
    EXPECT_DONE(staithe_space_close(space));
    EXPECT_EQ(got(1), std::vector<double>{1});
    staithe_space_array* another = array;
    EXPECT_EQ(staithe_space_get(space, "scalar", 0, nullptr, 0, &another), STAITHE_CLOSED);
    EXPECT_EQ(another, nullptr);
    EXPECT_STREQ(staithe_last_error(), "space 's' is closed: open it again");
    staithe_space_free(&space);
    staithe_space_free(&space);
    EXPECT_EQ(staithe_space_close(space), STAITHE_INVALID_ARGUMENT);
    EXPECT_STREQ(staithe_last_error(), "the argument 'space' is NULL: open the space first");
    staithe_space_free(nullptr);
    staithe_space_array_free(nullptr);
    staithe_versions_free(nullptr);
    staithe_hits_free(nullptr);
}

TEST_F(CSpaceTest, OpeningInVainLeavesNoHandle) {
    staithe_space_options options;
    staithe_space_options_init(&options, sizeof options);
    options.server = "nobody";
    options.timeout = 0.05;
    staithe_space* other = space;
    EXPECT_NE(staithe_space_open("s", &options, &other), STAITHE_OK);
    EXPECT_EQ(other, nullptr);
    EXPECT_NE(std::strstr(staithe_last_error(), "nobody"), nullptr) << staithe_last_error();
    EXPECT_EQ(staithe_space_open("", nullptr, &other), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_space_open(nullptr, nullptr, &other), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_space_open("s", nullptr, nullptr), STAITHE_INVALID_ARGUMENT);
    staithe_names* names = nullptr;
    int64_t count = -1;
    EXPECT_DONE(staithe_server_names(&names));
    EXPECT_DONE(staithe_names_count(names, &count));
    EXPECT_EQ(count, 0);
    staithe_names_free(&names);
    char* json = nullptr;
    EXPECT_EQ(staithe_describe_server("nobody", 1, &json), STAITHE_NOT_FOUND);
    EXPECT_EQ(json, nullptr);
}

}  // namespace
