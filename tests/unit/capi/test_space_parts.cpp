// What a space gives of a version through the C interface but the array itself: copies, pieces, sums and extremes.
#include <array>
#include <vector>

#include <staithe/staithe.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/capi/open_space.hpp"

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class CSpacePartsTest : public staithe::testing::OpenSpace {
  protected:
    /// Two versions of 1 to 6 in two rows, each put in two blocks, a row each; the second has 10 more.
    void SetUp() override {
        OpenSpace::SetUp();
        const std::array<int64_t, 2> row{1, 3};
        for (int64_t version = 0; version < 2; ++version) {
            for (int64_t i = 0; i < 2; ++i) {
                std::array<double, 3> values{};
                for (std::size_t k = 0; k < 3; ++k) {
                    values[k] = static_cast<double>(10 * version + 3 * i + 1) + static_cast<double>(k);
                }
                const std::array<int64_t, 2> offset{i, 0};
                staithe_space_put_options options;
                staithe_space_put_options_init(&options, sizeof options);
                options.offset = offset.data();
                options.shape = two_by_three.data();
                options.version = version;
                EXPECT_DONE(
                    staithe_space_put(space, "T", values.data(), STAITHE_F64, 2, row.data(), &options, nullptr));
            }
        }
    }
    void TearDown() override {
        staithe_space_array_free(&array);
        staithe_boxes_free(&boxes);
        OpenSpace::TearDown();
    }

    staithe_status reduce(const char* how, const std::vector<int64_t>& axes, int64_t version = STAITHE_UNSET,
                          const staithe_selection* box = nullptr) {
        staithe_space_array_free(&array);
        return staithe_space_reduce(space, "T", how, axes.data(), axes.size(), version, box, STAITHE_UNSET, &array);
    }
    std::vector<double> got(std::size_t elements) {
        std::vector<double> values(elements);
        EXPECT_DONE(staithe_space_array_read(array, STAITHE_F64, values.data(), nullptr));
        return values;
    }

    const std::array<int64_t, 2> two_by_three{2, 3};
    staithe_space_array* array = nullptr;
    staithe_boxes* boxes = nullptr;
};

TEST_F(CSpacePartsTest, ReadsIntoMemoryOfTheCallers) {
    std::array<double, 6> all{};
    int64_t version = -1;
    EXPECT_DONE(staithe_space_read(space, "T", STAITHE_UNSET, nullptr, STAITHE_UNSET, STAITHE_F64, 2,
                                   two_by_three.data(), all.data(), nullptr, &version));
    EXPECT_THAT(all, ElementsAre(11, 12, 13, 14, 15, 16));
    EXPECT_EQ(version, 1);
    // A column, into every other number.
    const std::array<int64_t, 2> offset{0, 1};
    const std::array<int64_t, 2> column{2, 1};
    const std::array<int64_t, 2> strides{16, 8};
    std::array<double, 3> apart{};
    EXPECT_DONE(staithe_space_read(space, "T", 0, offset.data(), STAITHE_UNSET, STAITHE_F64, 2, column.data(),
                                   apart.data(), strides.data(), nullptr));
    EXPECT_THAT(apart, ElementsAre(2, 0, 5));
    version = -1;
    const auto read = [&](staithe_dtype dtype, const int64_t* from, const std::array<int64_t, 2>& count) {
        return staithe_space_read(space, "T", 0, from, 0, dtype, 2, count.data(), all.data(), nullptr, &version);
    };
    EXPECT_EQ(read(STAITHE_F64, nullptr, column), STAITHE_INVALID_ARGUMENT);
    EXPECT_THAT(staithe_last_error(), HasSubstr("not all of it can be written as f8 of shape (2, 1)"));
    EXPECT_EQ(read(STAITHE_F32, nullptr, two_by_three), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(read(STAITHE_F64, offset.data(), two_by_three), STAITHE_INVALID_ARGUMENT) << "lies beyond its end";
    EXPECT_EQ(staithe_space_read(space, "T", 7, nullptr, 0, STAITHE_F64, 2, two_by_three.data(), all.data(), nullptr,
                                 &version),
              STAITHE_TIMEOUT);
    EXPECT_EQ(
        staithe_space_read(space, "T", 0, nullptr, 0, STAITHE_F64, 2, two_by_three.data(), nullptr, nullptr, &version),
        STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(version, -1);
}

TEST_F(CSpacePartsTest, PiecesLieInOneBlockEach) {
    const std::array<int64_t, 2> offset{0, 1};
    const std::array<int64_t, 2> column{2, 1};
    staithe_selection box{};
    EXPECT_DONE(staithe_selection_box(&box, 2, offset.data(), column.data()));
    EXPECT_DONE(staithe_space_blocks(space, "T", 0, &box, STAITHE_UNSET, &boxes));
    int64_t count = 0;
    EXPECT_DONE(staithe_boxes_count(boxes, &count));
    EXPECT_EQ(count, 2);
    std::vector<int64_t> rows;
    for (int64_t i = 0; i < count; ++i) {
        staithe_selection piece{};
        EXPECT_DONE(staithe_boxes_get(boxes, i, &piece));
        EXPECT_EQ(piece.dimensions, 2);
        rows.push_back(piece.start[0]);
        EXPECT_EQ(piece.start[1], 1);
        EXPECT_EQ(piece.count[0] * piece.count[1], 1);
    }
    EXPECT_THAT(rows, ::testing::UnorderedElementsAre(0, 1));
    EXPECT_EQ(staithe_boxes_get(boxes, count, &box), STAITHE_INVALID_ARGUMENT);
    EXPECT_STREQ(staithe_last_error(), "there are 2 boxes, and no box 2");
    staithe_boxes_free(&boxes);
    EXPECT_EQ(staithe_boxes_count(boxes, &count), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_space_blocks(space, "T", 9, nullptr, 0, &boxes), STAITHE_TIMEOUT);
    EXPECT_EQ(boxes, nullptr);
    staithe_boxes_free(&boxes);
    staithe_boxes_free(nullptr);
}

TEST_F(CSpacePartsTest, ReducesDimensions) {
    EXPECT_DONE(staithe_space_reduce(space, "T", "sum", nullptr, 0, 0, nullptr, STAITHE_UNSET, &array));
    EXPECT_THAT(got(1), ElementsAre(21));
    EXPECT_DONE(reduce("max", {0}));
    int64_t version = 0;
    int32_t dimensions = 0;
    std::array<int64_t, STAITHE_MAX_DIMENSIONS> shape{};
    EXPECT_DONE(staithe_space_array_version(array, &version));
    EXPECT_DONE(staithe_space_array_shape(array, &dimensions, shape.data()));
    EXPECT_EQ(version, 1);
    EXPECT_EQ(dimensions, 1);
    EXPECT_EQ(shape[0], 3);
    EXPECT_THAT(got(3), ElementsAre(14, 15, 16));
    EXPECT_DONE(reduce("mean", {-1}, 0));
    EXPECT_THAT(got(2), ElementsAre(2, 5));
    EXPECT_DONE(reduce("min", {1, 0}, 0));
    EXPECT_THAT(got(1), ElementsAre(1));
    const std::array<int64_t, 2> offset{1, 1};
    const std::array<int64_t, 2> count{1, 2};
    staithe_selection box{};
    EXPECT_DONE(staithe_selection_box(&box, 2, offset.data(), count.data()));
    EXPECT_DONE(reduce("sum", {1}, 0, &box));
    EXPECT_THAT(got(1), ElementsAre(11));
    std::array<int32_t, 3> integers{};
    EXPECT_EQ(staithe_space_array_read(array, STAITHE_I32, integers.data(), nullptr), STAITHE_INVALID_ARGUMENT);
    EXPECT_THAT(staithe_last_error(), HasSubstr("'sum of T' is f8"));
    EXPECT_EQ(reduce("product", {0}), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(array, nullptr);
    EXPECT_EQ(reduce("sum", {2}), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_space_reduce(space, "T", nullptr, nullptr, 0, 0, nullptr, 0, &array), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_space_reduce(space, "U", "sum", nullptr, 0, 0, nullptr, 0, &array), STAITHE_TIMEOUT);
}

TEST_F(CSpacePartsTest, WhatWasFoundIsGotAndNothingElseOfItsNumber) {
    staithe_hits* hits = nullptr;
    int64_t completion = 0;
    EXPECT_DONE(staithe_space_query(space, "T > 12", STAITHE_UNSET, STAITHE_UNSET, &hits));
    EXPECT_DONE(staithe_hits_completion(hits, 0, &completion));
    EXPECT_EQ(completion, 2);
    EXPECT_EQ(staithe_hits_completion(hits, 1, &completion), STAITHE_INVALID_ARGUMENT);
    EXPECT_DONE(staithe_space_values(space, hits, "T", &array));
    EXPECT_THAT(got(4), UnorderedElementsAre(13, 14, 15, 16));
    staithe_space_array_free(&array);
    EXPECT_EQ(staithe_space_values(space, hits, "U", &array), STAITHE_NOT_FOUND);
    EXPECT_EQ(staithe_space_values(space, nullptr, "T", &array), STAITHE_INVALID_ARGUMENT);
    EXPECT_DONE(staithe_space_get_completed(space, "T", 1, completion, nullptr, STAITHE_UNSET, &array));
    EXPECT_THAT(got(6), ElementsAre(11, 12, 13, 14, 15, 16));
    staithe_space_array_free(&array);
    EXPECT_DONE(staithe_space_remove(space, "T", 1));
    const std::array<double, 6> zeros{};
    staithe_space_put_options options;
    staithe_space_put_options_init(&options, sizeof options);
    options.version = 1;
    EXPECT_DONE(staithe_space_put(space, "T", zeros.data(), STAITHE_F64, 2, two_by_three.data(), &options, nullptr));
    EXPECT_EQ(staithe_space_get_completed(space, "T", 1, completion, nullptr, STAITHE_UNSET, &array),
              STAITHE_NOT_FOUND);
    EXPECT_THAT(staithe_last_error(), HasSubstr("another one put in its place"));
    EXPECT_EQ(staithe_space_values(space, hits, "T", &array), STAITHE_NOT_FOUND);
    EXPECT_THAT(staithe_last_error(), HasSubstr("another one put in its place"));
    staithe_hits_free(&hits);
}

}  // namespace
