// Views to write into, through the C interface: whose memory it is, what is in it, when it is put.
#include <array>
#include <thread>
#include <vector>

#include <staithe/staithe.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/capi/open_space.hpp"

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CSpaceLoanTest : public staithe::testing::OpenSpace {
  protected:
    void SetUp() override {
        OpenSpace::SetUp();
        staithe_space_loan_options_init(&options, sizeof options);
        EXPECT_DONE(staithe_space_put(space, "T", six.data(), STAITHE_F64, 2, two_by_three.data(), nullptr, nullptr));
    }
    void TearDown() override {
        staithe_loan_free(&loan);
        OpenSpace::TearDown();
    }

    std::array<double, 6> newest() {
        std::array<double, 6> values{};
        EXPECT_DONE(staithe_space_read(space, "T", STAITHE_UNSET, nullptr, STAITHE_UNSET, STAITHE_F64, 2,
                                       two_by_three.data(), values.data(), nullptr, nullptr));
        return values;
    }
    double* data() {
        void* memory = nullptr;
        EXPECT_DONE(staithe_loan_data(loan, &memory));
        return static_cast<double*>(memory);
    }

    const std::array<double, 6> six{1, 2, 3, 4, 5, 6};
    const std::array<int64_t, 2> two_by_three{2, 3};
    staithe_space_loan_options options{};
    staithe_loan* loan = nullptr;
};

TEST_F(CSpaceLoanTest, HasTheNewestVersionAndBecomesTheNext) {
    EXPECT_DONE(staithe_space_loan(space, "T", nullptr, &loan));
    staithe_array array{};
    EXPECT_DONE(staithe_loan_array(loan, &array));
    EXPECT_EQ(array.dtype, STAITHE_F64);
    EXPECT_EQ(array.dimensions, 2);
    EXPECT_EQ(array.shape[1], 3);
    EXPECT_EQ(array.strides[0], 24);
    EXPECT_EQ(array.data, data());
    data()[4] = 50;
    EXPECT_EQ(newest(), six) << "seen before it is put";
    int64_t version = -1;
    EXPECT_DONE(staithe_space_publish(space, &loan, &version));
    EXPECT_EQ(version, 1);
    EXPECT_EQ(loan, nullptr);
    EXPECT_THAT(newest(), ElementsAre(1, 2, 3, 4, 50, 6));
}

TEST_F(CSpaceLoanTest, OptionsSayWhatIsLent) {
    const std::array<int64_t, 2> offset{0, 1};
    const std::array<int64_t, 2> count{2, 2};
    staithe_selection box{};
    EXPECT_DONE(staithe_selection_box(&box, 2, offset.data(), count.data()));
    options.box = &box;
    options.version = 7;
    options.order = STAITHE_COLUMN_MAJOR;
    options.complete = 1;
    options.unit = "K";
    EXPECT_DONE(staithe_space_loan(space, "T", &options, &loan));
    staithe_array array{};
    EXPECT_DONE(staithe_loan_array(loan, &array));
    EXPECT_EQ(array.strides[0], 8);
    EXPECT_EQ(array.strides[1], 16);
    EXPECT_THAT(std::vector<double>(data(), data() + 4), ElementsAre(2, 5, 3, 6));
    data()[1] = 50;
    EXPECT_DONE(staithe_space_publish(space, &loan, nullptr));
    staithe_space_array* got = nullptr;
    const char* unit = nullptr;
    std::array<double, 4> part{};
    EXPECT_DONE(staithe_space_get(space, "T", 7, &box, STAITHE_UNSET, &got));
    EXPECT_DONE(staithe_space_array_unit(got, &unit));
    EXPECT_STREQ(unit, "K");
    EXPECT_DONE(staithe_space_array_read(got, STAITHE_F64, part.data(), nullptr));
    EXPECT_THAT(part, ElementsAre(2, 3, 50, 6));
    staithe_space_array_free(&got);

    const int64_t three = 3;
    staithe_space_loan_options_init(&options, sizeof options);
    options.dtype = STAITHE_I8;
    options.shape = &three;
    options.dimensions = 1;
    EXPECT_DONE(staithe_space_loan(space, "mask", &options, &loan));
    EXPECT_DONE(staithe_loan_array(loan, &array));
    EXPECT_EQ(array.dtype, STAITHE_I8);
    EXPECT_EQ(static_cast<const int8_t*>(array.data)[2], 0);
}

TEST_F(CSpaceLoanTest, HoldsAWriteLockUntilItGoes) {
    staithe_lock* lock = nullptr;
    const auto elsewhere = [&] {
        staithe_status status = STAITHE_OK;
        std::thread([&] {
            status = staithe_space_lock(space, "T", STAITHE_LOCK_READ, nullptr, 0, STAITHE_UNSET, &lock);
        }).join();
        staithe_lock_free(&lock);
        return status;
    };
    EXPECT_DONE(staithe_space_loan(space, "T", nullptr, &loan));
    EXPECT_EQ(elsewhere(), STAITHE_TIMEOUT);
    data()[0] = 99;
    staithe_loan_free(&loan);
    staithe_loan_free(&loan);
    EXPECT_EQ(elsewhere(), STAITHE_OK);
    EXPECT_EQ(newest(), six);
}

TEST_F(CSpaceLoanTest, SaysWhatIsWrong) {
    EXPECT_EQ(staithe_space_loan(space, "nothing", nullptr, &loan), STAITHE_INVALID_ARGUMENT);
    EXPECT_THAT(staithe_last_error(), HasSubstr("say which shape and dtype"));
    EXPECT_EQ(loan, nullptr);
    options.order = 2;
    EXPECT_EQ(staithe_space_loan(space, "T", &options, &loan), STAITHE_INVALID_ARGUMENT);
    options.struct_size = 0;
    EXPECT_EQ(staithe_space_loan(space, "T", &options, &loan), STAITHE_INVALID_ARGUMENT);
    EXPECT_THAT(staithe_last_error(), HasSubstr("staithe_space_loan_options_init"));
    EXPECT_EQ(staithe_space_loan(space, "T", nullptr, nullptr), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_space_publish(space, &loan, nullptr), STAITHE_INVALID_ARGUMENT);
    EXPECT_THAT(staithe_last_error(), HasSubstr("take a loan first; one that was published is gone"));

    staithe_writer* writer = nullptr;
    staithe_write_step* step = nullptr;
    EXPECT_DONE(staithe_writer_open("waves", nullptr, &writer));
    EXPECT_DONE(staithe_writer_begin_step(writer, STAITHE_UNSET, &step));
    EXPECT_DONE(staithe_write_step_loan(step, "u", STAITHE_F64, 2, two_by_three.data(), nullptr, &loan));
    EXPECT_EQ(staithe_space_publish(space, &loan, nullptr), STAITHE_INVALID_ARGUMENT);
    EXPECT_THAT(staithe_last_error(), HasSubstr("a stream has lent this loan"));
    EXPECT_EQ(loan, nullptr);
    EXPECT_DONE(staithe_space_loan(space, "T", nullptr, &loan));
    EXPECT_EQ(staithe_write_step_publish(step, &loan), STAITHE_INVALID_ARGUMENT);
    EXPECT_THAT(staithe_last_error(), HasSubstr("a space has lent this loan"));
    EXPECT_EQ(loan, nullptr);
    EXPECT_DONE(staithe_write_step_abandon(&step));
    staithe_writer_free(&writer);

    EXPECT_DONE(staithe_space_loan(space, "T", nullptr, &loan)) << "the lock of the last one has ended with it";
    EXPECT_DONE(staithe_space_close(space));
    EXPECT_EQ(staithe_space_publish(space, &loan, nullptr), STAITHE_CLOSED);
    EXPECT_EQ(loan, nullptr);
}

}  // namespace
