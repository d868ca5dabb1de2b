// A stream written and read through the C interface: what arrives, who owns what, and what misuse gives.
#include <array>
#include <complex>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include <staithe/staithe.h>

#include <gtest/gtest.h>

#include "support/stream_test.hpp"

namespace {

using staithe::testing::StreamTest;

#define EXPECT_OK(call) EXPECT_EQ(call, STAITHE_OK) << staithe_last_error()

class CStreamTest : public StreamTest {
  protected:
    void SetUp() override {
        EXPECT_OK(staithe_writer_open("s", nullptr, &writer));
        EXPECT_OK(staithe_reader_open("s", nullptr, &reader));
        EXPECT_OK(staithe_writer_begin_step(writer, STAITHE_UNSET, &step));
    }
    void TearDown() override {
        staithe_variable_free(&variable);
        staithe_read_step_release(&read);
        EXPECT_OK(staithe_write_step_abandon(&step));
        staithe_reader_free(&reader);
        staithe_writer_free(&writer);
    }

    /// Ends the step, and takes it and a variable of it at the other side.
    void pass_on(const char* name) {
        EXPECT_OK(staithe_write_step_end(&step));
        EXPECT_OK(staithe_reader_next(reader, STAITHE_UNSET, &read));
        EXPECT_OK(staithe_read_step_variable(read, name, &variable));
    }

    void put(const char* name, const staithe_put_options* options = nullptr) {
        EXPECT_OK(staithe_write_step_put(step, name, six.data(), STAITHE_F64, 2, two_by_three.data(), options));
    }

    const std::vector<double> six{1, 2, 3, 4, 5, 6};
    const std::array<int64_t, 2> two_by_three{2, 3};
    staithe_writer* writer = nullptr;
    staithe_reader* reader = nullptr;
    staithe_write_step* step = nullptr;
    staithe_read_step* read = nullptr;
    staithe_variable* variable = nullptr;
};

TEST_F(CStreamTest, CarriesArraysAndWhatIsSaidOfThem) {
    staithe_attributes* attributes = nullptr;
    EXPECT_OK(staithe_attributes_create(&attributes));
    EXPECT_OK(staithe_attributes_set_double(attributes, "time", 0.5));
    EXPECT_OK(staithe_write_step_set_attributes(step, attributes));
    staithe_put_options options;
    staithe_put_options_init(&options, sizeof options);
    options.unit = "m";
    options.attributes = attributes;
    options.error = "0.5 abs";
    put("u", &options);
    staithe_attributes_free(&attributes);
    pass_on("u");

    int64_t index = -1;
    EXPECT_OK(staithe_read_step_index(read, &index));
    EXPECT_EQ(index, 0);
    double time = 0;
    EXPECT_OK(staithe_read_step_attributes(read, &attributes));
    EXPECT_OK(staithe_attributes_get_double(attributes, "time", &time));
    EXPECT_EQ(time, 0.5);
    staithe_attributes_free(&attributes);
    EXPECT_OK(staithe_variable_attributes(variable, &attributes));
    EXPECT_OK(staithe_attributes_get_double(attributes, "time", &time));
    staithe_attributes_free(&attributes);

    staithe_dtype dtype = -1;
    int32_t dimensions = 0;
    std::array<int64_t, STAITHE_MAX_DIMENSIONS> shape{};
    int32_t is_local = -1;
    const char* text = nullptr;
    EXPECT_OK(staithe_variable_dtype(variable, &dtype));
    EXPECT_OK(staithe_variable_shape(variable, &dimensions, shape.data()));
    EXPECT_OK(staithe_variable_is_local(variable, &is_local));
    EXPECT_OK(staithe_variable_unit(variable, &text));
    EXPECT_STREQ(text, "m");
    EXPECT_OK(staithe_variable_name(variable, &text));
    EXPECT_STREQ(text, "u");
    char* error = nullptr;
    EXPECT_OK(staithe_variable_error(variable, &error));
    EXPECT_STREQ(error, "0.5 abs");
    staithe_text_free(&error);
    EXPECT_EQ(dtype, STAITHE_F64);
    EXPECT_EQ(is_local, 0);
    EXPECT_EQ(dimensions, 2);
    EXPECT_EQ(shape[0], 2);
    EXPECT_EQ(shape[1], 3);

    std::vector<double> values(6);
    EXPECT_OK(staithe_variable_read(variable, nullptr, STAITHE_F64, values.data(), nullptr));
    EXPECT_EQ(values, six);
    const std::array<int64_t, 2> columns{8, 16};
    EXPECT_OK(staithe_variable_read(variable, nullptr, STAITHE_F64, values.data(), columns.data()));
    EXPECT_EQ(values, (std::vector<double>{1, 4, 2, 5, 3, 6}));
}

TEST_F(CStreamTest, StridesAndOrderSayHowThePutArrayLies) {
    staithe_put_options options;
    staithe_put_options_init(&options, sizeof options);
    options.order = STAITHE_COLUMN_MAJOR;
    put("columns", &options);
    const std::array<int64_t, 2> backwards{-24, -8};
    options.strides = backwards.data();
    EXPECT_OK(staithe_write_step_put(step, "backwards", &six[5], STAITHE_F64, 2, two_by_three.data(), &options));
    pass_on("columns");
    std::vector<double> values(6);
    EXPECT_OK(staithe_variable_read(variable, nullptr, STAITHE_F64, values.data(), nullptr));
    EXPECT_EQ(values, (std::vector<double>{1, 3, 5, 2, 4, 6}));
    staithe_variable_free(&variable);
    EXPECT_OK(staithe_read_step_variable(read, "backwards", &variable));
    EXPECT_OK(staithe_variable_read(variable, nullptr, STAITHE_F64, values.data(), nullptr));
    EXPECT_EQ(values, (std::vector<double>{6, 5, 4, 3, 2, 1}));
}

TEST_F(CStreamTest, VariablesAreDerivedFromOthers) {
    put("u", nullptr);
    pass_on("u");
    staithe_variable_free(&variable);
    EXPECT_OK(staithe_read_step_derive(read, "twice = 2 * u + 1", &variable));
    const char* name = nullptr;
    EXPECT_OK(staithe_variable_name(variable, &name));
    EXPECT_STREQ(name, "twice");
    std::vector<double> values(6);
    EXPECT_OK(staithe_variable_read(variable, nullptr, STAITHE_F64, values.data(), nullptr));
    EXPECT_EQ(values, (std::vector<double>{3, 5, 7, 9, 11, 13}));
    staithe_variable_free(&variable);
    EXPECT_EQ(staithe_read_step_derive(read, "2 * w", &variable), STAITHE_NOT_FOUND);
    EXPECT_EQ(staithe_read_step_derive(read, "2 *", &variable), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_read_step_derive(read, nullptr, &variable), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(variable, nullptr);
}

TEST_F(CStreamTest, AReaderDerivesVariablesOfEachStep) {
    staithe_reader_options options;
    staithe_reader_options_init(&options, sizeof options);
    EXPECT_EQ(options.derive, nullptr);
    options.derive = "v = u + ";
    staithe_reader* other = nullptr;
    EXPECT_EQ(staithe_reader_open("s", &options, &other), STAITHE_INVALID_ARGUMENT);
    options.derive = "u = u + 1; 'v' = 2 * u";
    EXPECT_OK(staithe_reader_open("s", &options, &other));
    put("u", nullptr);
    EXPECT_OK(staithe_write_step_end(&step));
    EXPECT_OK(staithe_reader_next(other, STAITHE_UNSET, &read));
    EXPECT_OK(staithe_read_step_variable(read, "v", &variable));
    std::vector<double> values(6);
    EXPECT_OK(staithe_variable_read(variable, nullptr, STAITHE_F64, values.data(), nullptr));
    EXPECT_EQ(values, (std::vector<double>{4, 6, 8, 10, 12, 14}));
    staithe_variable_free(&variable);
    staithe_read_step_release(&read);
    staithe_reader_free(&other);
}

TEST_F(CStreamTest, LoansAreComputedIntoAndPublished) {
    for (const staithe_order order : {STAITHE_ROW_MAJOR, STAITHE_COLUMN_MAJOR}) {
        staithe_put_options options;
        staithe_put_options_init(&options, sizeof options);
        options.order = order;
        staithe_loan* loan = nullptr;
        const char* name = order == STAITHE_ROW_MAJOR ? "rows" : "columns";
        EXPECT_OK(staithe_write_step_loan(step, name, STAITHE_F64, 2, two_by_three.data(), &options, &loan));
        void* data = nullptr;
        EXPECT_OK(staithe_loan_data(loan, &data));
        std::memcpy(data, six.data(), 6 * sizeof(double));
        EXPECT_OK(staithe_write_step_publish(step, &loan));
        EXPECT_EQ(loan, nullptr);
    }
    pass_on("columns");
    staithe_view* view = nullptr;
    staithe_array array{};
    EXPECT_OK(staithe_variable_view(variable, nullptr, &view));
    EXPECT_OK(staithe_view_array(view, &array));
    EXPECT_EQ(array.strides[0], 8);
    EXPECT_EQ(array.strides[1], 16);
    EXPECT_EQ(static_cast<const double*>(array.data)[1], 2.0);
    staithe_view_free(&view);
}

TEST_F(CStreamTest, SelectionsAndSharesReadParts) {
    put("u");
    pass_on("u");
    staithe_selection selection{};
    const std::array<int64_t, 2> offset{0, 1};
    const std::array<int64_t, 2> count{2, 2};
    EXPECT_OK(staithe_selection_box(&selection, 2, offset.data(), count.data()));
    std::vector<double> values(4);
    EXPECT_OK(staithe_variable_read(variable, &selection, STAITHE_F64, values.data(), nullptr));
    EXPECT_EQ(values, (std::vector<double>{2, 3, 5, 6}));
    selection.step[1] = -1;
    selection.start[1] = 2;
    EXPECT_OK(staithe_variable_read(variable, &selection, STAITHE_F64, values.data(), nullptr));
    EXPECT_EQ(values, (std::vector<double>{3, 2, 6, 5}));

    const staithe_group second{1, 2, ""};
    EXPECT_OK(staithe_variable_select_share(variable, STAITHE_SHARE_COUNT, &second, &selection));
    EXPECT_EQ(selection.start[0], 1);
    EXPECT_EQ(selection.count[0], 1);
    EXPECT_EQ(selection.count[1], 3);
    EXPECT_OK(staithe_variable_select_all(variable, &selection));
    EXPECT_EQ(selection.count[0], 2);
    EXPECT_EQ(staithe_variable_select_share(variable, STAITHE_SHARE_PROCESS, nullptr, &selection),
              STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_variable_select_share(variable, 4, nullptr, &selection), STAITHE_INVALID_ARGUMENT);
    EXPECT_STREQ(staithe_last_error(),
                 "there is no share of number 4: use STAITHE_SHARE_BLOCK (0) to STAITHE_SHARE_PROCESS (3)");

    EXPECT_OK(staithe_selection_box(&selection, 1, nullptr, two_by_three.data()));
    EXPECT_EQ(staithe_variable_read(variable, &selection, STAITHE_F64, values.data(), nullptr),
              STAITHE_INVALID_ARGUMENT);
    EXPECT_STREQ(staithe_last_error(), "variable 'u' has 2 dimensions, (2, 3), the selection [0:2] has 1");
    selection.dimensions = 9;
    EXPECT_EQ(staithe_variable_read(variable, &selection, STAITHE_F64, values.data(), nullptr),
              STAITHE_INVALID_ARGUMENT);
    EXPECT_OK(staithe_selection_box(&selection, 2, nullptr, two_by_three.data()));
    selection.count[1] = 4;
    EXPECT_EQ(staithe_variable_read(variable, &selection, STAITHE_F64, values.data(), nullptr),
              STAITHE_INVALID_ARGUMENT);
}

TEST_F(CStreamTest, BlocksAreListedAndViewed) {
    const std::array<int64_t, 2> shape{4, 3};
    const std::array<int64_t, 2> below{2, 0};
    staithe_put_options options;
    staithe_put_options_init(&options, sizeof options);
    options.shape = shape.data();
    put("u", &options);
    options.offset = below.data();
    put("u", &options);
    pass_on("u");
    int64_t count = 0;
    EXPECT_OK(staithe_variable_block_count(variable, &count));
    EXPECT_EQ(count, 2);
    staithe_block block{};
    EXPECT_OK(staithe_variable_block(variable, 1, &block));
    EXPECT_EQ(block.rank, 0);
    EXPECT_EQ(block.dimensions, 2);
    EXPECT_EQ(block.offset[0], 2);
    EXPECT_EQ(block.count[1], 3);
    staithe_view* view = nullptr;
    EXPECT_OK(staithe_variable_block_view(variable, 1, &view));
    staithe_array array{};
    EXPECT_OK(staithe_view_array(view, &array));
    EXPECT_EQ(static_cast<const double*>(array.data)[5], 6.0);
    staithe_view_free(&view);
    EXPECT_OK(staithe_variable_view(variable, nullptr, &view));
    EXPECT_EQ(view, nullptr) << "the whole lies in two blocks";
    for (const int64_t index : {int64_t{2}, int64_t{-1}}) {
        EXPECT_EQ(staithe_variable_block(variable, index, &block), STAITHE_INVALID_ARGUMENT);
        EXPECT_EQ(staithe_variable_block_view(variable, index, &view), STAITHE_INVALID_ARGUMENT);
    }

    std::array<int64_t, 2> indices{-1, -1};
    size_t mine = 0;
    EXPECT_OK(staithe_variable_share_of_blocks(variable, nullptr, indices.data(), 1, &mine));
    EXPECT_EQ(mine, 2U);
    EXPECT_EQ(indices, (std::array<int64_t, 2>{0, -1}));
    const staithe_group second{1, 2, ""};
    EXPECT_OK(staithe_variable_share_of_blocks(variable, &second, nullptr, 0, &mine));
    EXPECT_EQ(mine, 0U);
}

TEST_F(CStreamTest, ReductionsAreOfWhatIsSelected) {
    put("u");
    pass_on("u");
    staithe_view* view = nullptr;
    staithe_array array{};
    EXPECT_OK(staithe_variable_reduce(variable, "max", nullptr, nullptr, 0, &view));
    EXPECT_OK(staithe_view_array(view, &array));
    EXPECT_EQ(array.dimensions, 0);
    EXPECT_EQ(*static_cast<const double*>(array.data), 6.0);
    staithe_view_free(&view);

    staithe_selection selection{};
    EXPECT_OK(staithe_variable_select_all(variable, &selection));
    selection.step[1] = 2;
    selection.count[1] = 2;
    const int64_t rows = -2;
    EXPECT_OK(staithe_variable_reduce(variable, "sum", &selection, &rows, 1, &view));
    std::array<long double, 2> sums{};
    EXPECT_OK(staithe_view_read(view, STAITHE_F128, sums.data(), nullptr));
    EXPECT_EQ(sums, (std::array<long double, 2>{1 + 4, 3 + 6}));
    EXPECT_EQ(staithe_view_read(view, STAITHE_F32, sums.data(), nullptr), STAITHE_INVALID_ARGUMENT);
    EXPECT_NE(std::string(staithe_last_error()).find("a view is f8"), std::string::npos) << staithe_last_error();
    staithe_view_free(&view);

    EXPECT_EQ(staithe_variable_reduce(variable, "median", nullptr, nullptr, 0, &view), STAITHE_INVALID_ARGUMENT);
    EXPECT_NE(std::string(staithe_last_error()).find("variable 'u': there is no reduction 'median'"), std::string::npos)
        << staithe_last_error();
    EXPECT_EQ(staithe_variable_reduce(variable, nullptr, nullptr, nullptr, 0, &view), STAITHE_INVALID_ARGUMENT);
}

TEST_F(CStreamTest, ReductionsGoOnOverSteps) {
    staithe_running_reduction* mean = nullptr;
    const int64_t no_axes = 0;
    EXPECT_OK(staithe_running_reduction_create("mean", &no_axes, 0, &mean));
    staithe_view* view = nullptr;
    EXPECT_EQ(staithe_running_reduction_result(mean, &view), STAITHE_INVALID_ARGUMENT);
    EXPECT_NE(std::string(staithe_last_error()).find("no mean yet"), std::string::npos) << staithe_last_error();
    put("u");
    pass_on("u");
    EXPECT_OK(staithe_running_reduction_add(mean, variable, nullptr));
    EXPECT_OK(staithe_running_reduction_add(mean, variable, nullptr));
    int64_t steps = 0;
    EXPECT_OK(staithe_running_reduction_steps(mean, &steps));
    EXPECT_EQ(steps, 2);
    for (int times = 0; times < 2; ++times) {
        std::vector<double> field(six.size());
        EXPECT_OK(staithe_running_reduction_result(mean, &view));
        EXPECT_OK(staithe_view_read(view, STAITHE_F64, field.data(), nullptr));
        EXPECT_EQ(field, six);
        staithe_view_free(&view);
    }
    staithe_selection row{};
    EXPECT_OK(staithe_variable_select_all(variable, &row));
    row.count[0] = 1;
    EXPECT_EQ(staithe_running_reduction_add(mean, variable, &row), STAITHE_INVALID_ARGUMENT);
    EXPECT_NE(std::string(staithe_last_error()).find("variable 'u', step 0: its mean has the shape (1, 3)"),
              std::string::npos)
        << staithe_last_error();
    staithe_running_reduction_free(&mean);
    EXPECT_EQ(mean, nullptr);

    staithe_running_reduction* sum = nullptr;
    EXPECT_OK(staithe_running_reduction_create("sum", nullptr, 0, &sum));
    EXPECT_OK(staithe_running_reduction_add(sum, variable, &row));
    EXPECT_OK(staithe_running_reduction_add(sum, variable, nullptr));
    double total = 0;
    EXPECT_OK(staithe_running_reduction_result(sum, &view));
    EXPECT_OK(staithe_view_read(view, STAITHE_F64, &total, nullptr));
    EXPECT_EQ(total, 1 + 2 + 3 + 21);
    staithe_view_free(&view);
    staithe_running_reduction_free(&sum);
    EXPECT_EQ(staithe_running_reduction_create("median", nullptr, 0, &sum), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_running_reduction_steps(nullptr, &steps), STAITHE_INVALID_ARGUMENT);
}

TEST_F(CStreamTest, AViewOutlivesEverythingElse) {
    put("u");
    pass_on("u");
    staithe_view* view = nullptr;
    EXPECT_OK(staithe_variable_view(variable, nullptr, &view));
    staithe_variable_free(&variable);
    staithe_read_step_release(&read);
    staithe_reader_free(&reader);
    staithe_writer_free(&writer);
    staithe_array array{};
    EXPECT_OK(staithe_view_array(view, &array));
    EXPECT_EQ(std::vector<double>(static_cast<const double*>(array.data), static_cast<const double*>(array.data) + 6),
              six);
    staithe_view_free(&view);
}

TEST_F(CStreamTest, TheStreamEndsWithNoStep) {
    put("u");
    pass_on("u");
    EXPECT_OK(staithe_writer_close(writer));
    staithe_variable_free(&variable);
    staithe_read_step_release(&read);
    EXPECT_OK(staithe_reader_next(reader, STAITHE_UNSET, &read));
    EXPECT_EQ(read, nullptr);
}

TEST_F(CStreamTest, SaysWhoIsThere) {
    staithe_group group{7, 7, "x"};
    const char* text = nullptr;
    EXPECT_OK(staithe_writer_group(writer, &group));
    EXPECT_EQ(group.rank, 0);
    EXPECT_EQ(group.size, 1);
    EXPECT_STREQ(group.id, "");
    EXPECT_OK(staithe_reader_group(reader, &group));
    EXPECT_OK(staithe_writer_name(writer, &text));
    EXPECT_STREQ(text, "s");
    EXPECT_OK(staithe_reader_name(reader, &text));
    EXPECT_STREQ(text, "s");
    EXPECT_OK(staithe_writer_placement(writer, &text));
    EXPECT_STREQ(text, "producer");
    int32_t writers = 0;
    EXPECT_OK(staithe_reader_writers(reader, &writers));
    EXPECT_EQ(writers, 1);

    put("u");
    put("v");
    pass_on("u");
    staithe_writer_statistics written{};
    EXPECT_OK(staithe_writer_get_statistics(writer, &written, sizeof written));
    EXPECT_EQ(written.steps, 1);
    EXPECT_EQ(written.bytes, 96);
    EXPECT_GT(written.pool_bytes, 0);
    staithe_reader_statistics received{};
    EXPECT_OK(staithe_reader_get_statistics(reader, &received, sizeof received));
    EXPECT_EQ(received.steps, 1);
    EXPECT_EQ(received.pinned, 1);

    staithe_names* names = nullptr;
    int64_t count = 0;
    EXPECT_OK(staithe_read_step_variables(read, &names));
    EXPECT_OK(staithe_names_count(names, &count));
    EXPECT_EQ(count, 2);
    staithe_names_free(&names);
    EXPECT_OK(staithe_stream_names(&names));
    EXPECT_OK(staithe_names_get(names, 0, &text));
    EXPECT_STREQ(text, "s");
    staithe_names_free(&names);
    char* json = nullptr;
    EXPECT_OK(staithe_describe("s", STAITHE_UNSET, &json));
    EXPECT_NE(std::strstr(json, "\"name\": \"s\""), nullptr) << json;
    staithe_text_free(&json);
    EXPECT_EQ(staithe_describe("t", 1, &json), STAITHE_NOT_FOUND);
    EXPECT_EQ(json, nullptr);
}

TEST_F(CStreamTest, AnAbandonedStepIsNeverSeen) {
    put("u");
    EXPECT_OK(staithe_write_step_abandon(&step));
    EXPECT_EQ(step, nullptr);
    EXPECT_OK(staithe_write_step_abandon(&step));
    EXPECT_OK(staithe_writer_begin_step(writer, STAITHE_UNSET, &step));
    int64_t index = 0;
    EXPECT_OK(staithe_write_step_index(step, &index));
    EXPECT_EQ(index, 1);
    put("v");
    pass_on("v");
}

TEST_F(CStreamTest, AReaderPausesAndFollowsTheLatest) {
    put("u");
    EXPECT_OK(staithe_write_step_end(&step));
    EXPECT_OK(staithe_reader_pause(reader));
    EXPECT_OK(staithe_reader_resume(reader));
    EXPECT_OK(staithe_reader_follow_latest(reader));
    for (int i = 0; i < 3; ++i) {
        EXPECT_OK(staithe_writer_begin_step(writer, STAITHE_UNSET, &step));
        put("u");
        EXPECT_OK(staithe_write_step_end(&step));
    }
    int64_t index = 0;
    EXPECT_OK(staithe_writer_next_step(writer, &index));
    EXPECT_EQ(index, 4);
    EXPECT_OK(staithe_reader_next(reader, STAITHE_UNSET, &read));
    EXPECT_OK(staithe_read_step_index(read, &index));
    EXPECT_EQ(index, 3);
    staithe_reader_statistics received{};
    EXPECT_OK(staithe_reader_get_statistics(reader, &received, sizeof received));
    EXPECT_EQ(received.steps, 1);
}

TEST_F(CStreamTest, ADtypeThatLosesNothingIsReadAnyOtherRefused) {
    put("u");
    pass_on("u");
    std::array<std::complex<double>, 6> numbers{};
    const std::array<int64_t, 2> columns{16, 32};
    EXPECT_OK(staithe_variable_read(variable, nullptr, STAITHE_C128, numbers.data(), columns.data()));
    EXPECT_EQ(numbers, (std::array<std::complex<double>, 6>{1, 4, 2, 5, 3, 6}));
    std::array<float, 6> floats{};
    EXPECT_EQ(staithe_variable_read(variable, nullptr, STAITHE_F32, floats.data(), nullptr), STAITHE_INVALID_ARGUMENT);
    EXPECT_STREQ(staithe_last_error(),
                 "variable 'u' is f8: as f4 digits would be lost. Read it as f8, and convert that");
    EXPECT_EQ(staithe_variable_read(variable, nullptr, 99, floats.data(), nullptr), STAITHE_INVALID_ARGUMENT);
    EXPECT_STREQ(staithe_last_error(),
                 "there is no dtype of number 99: use STAITHE_BOOL (0) to STAITHE_C256 (15), such as STAITHE_F64 for "
                 "double");
}

TEST_F(CStreamTest, ARefusedPutLeavesTheStepAsItWas) {
    put("u");
    EXPECT_EQ(staithe_write_step_put(step, "u", six.data(), STAITHE_F64, 2, two_by_three.data(), nullptr),
              STAITHE_ALREADY_EXISTS);
    EXPECT_EQ(staithe_write_step_put(step, "v", nullptr, STAITHE_F64, 2, two_by_three.data(), nullptr),
              STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_write_step_put(step, "v", six.data(), 16, 2, two_by_three.data(), nullptr),
              STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_write_step_put(step, "v", six.data(), STAITHE_F64, 9, two_by_three.data(), nullptr),
              STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_write_step_put(step, nullptr, six.data(), STAITHE_F64, 2, two_by_three.data(), nullptr),
              STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_write_step_put(step, "\xff", six.data(), STAITHE_F64, 2, two_by_three.data(), nullptr),
              STAITHE_INVALID_ARGUMENT);
    const std::array<int64_t, 1> nothing{0};
    EXPECT_OK(staithe_write_step_put(step, "empty", nullptr, STAITHE_F64, 1, nothing.data(), nullptr));
    EXPECT_OK(staithe_write_step_put(step, "scalar", six.data(), STAITHE_F64, 0, nullptr, nullptr));
    pass_on("empty");
    EXPECT_OK(staithe_variable_read(variable, nullptr, STAITHE_F64, nullptr, nullptr));
}

TEST_F(CStreamTest, AHandleThatEndedIsNull) {
    staithe_loan* loan = nullptr;
    EXPECT_OK(staithe_write_step_loan(step, "l", STAITHE_F64, 2, two_by_three.data(), nullptr, &loan));
    staithe_loan_free(&loan);
    staithe_loan_free(&loan);
    void* data = &loan;
    EXPECT_EQ(staithe_loan_data(loan, &data), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(data, nullptr);
    EXPECT_EQ(staithe_write_step_publish(step, &loan), STAITHE_INVALID_ARGUMENT);
    EXPECT_OK(staithe_write_step_end(&step));
    EXPECT_EQ(step, nullptr);
    EXPECT_EQ(staithe_write_step_end(&step), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_write_step_put(step, "u", six.data(), STAITHE_F64, 2, two_by_three.data(), nullptr),
              STAITHE_INVALID_ARGUMENT);
    EXPECT_STREQ(staithe_last_error(),
                 "the argument 'step' is NULL: begin a step first; one that was ended or abandoned is gone");
    staithe_writer_free(&writer);
    staithe_writer_free(&writer);
    EXPECT_EQ(staithe_writer_close(writer), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_writer_begin_step(writer, 0, &step), STAITHE_INVALID_ARGUMENT);
    staithe_reader_free(&reader);
    staithe_reader_free(&reader);
    EXPECT_EQ(staithe_reader_next(reader, 0, &read), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(read, nullptr);
    staithe_writer_free(nullptr);
    staithe_reader_free(nullptr);
    staithe_loan_free(nullptr);
    staithe_view_free(nullptr);
    staithe_names_free(nullptr);
    staithe_variable_free(nullptr);
    staithe_read_step_release(nullptr);
    EXPECT_EQ(staithe_write_step_abandon(nullptr), STAITHE_INVALID_ARGUMENT);
}

TEST_F(CStreamTest, AClosedWriterAndReaderSaySo) {
    EXPECT_OK(staithe_write_step_abandon(&step));
    EXPECT_OK(staithe_writer_close(writer));
    EXPECT_OK(staithe_writer_close(writer));
    EXPECT_EQ(staithe_writer_begin_step(writer, STAITHE_UNSET, &step), STAITHE_CLOSED);
    EXPECT_EQ(step, nullptr);
    EXPECT_OK(staithe_reader_close(reader));
    EXPECT_OK(staithe_reader_close(reader));
    EXPECT_EQ(staithe_reader_next(reader, STAITHE_UNSET, &read), STAITHE_CLOSED);
    const char* name = nullptr;
    EXPECT_OK(staithe_writer_name(writer, &name));
    EXPECT_STREQ(name, "s");
}

TEST_F(CStreamTest, ALoanPublishedInVainGoesBack) {
    staithe_loan* loan = nullptr;
    EXPECT_OK(staithe_write_step_loan(step, "u", STAITHE_F64, 2, two_by_three.data(), nullptr, &loan));
    EXPECT_OK(staithe_write_step_end(&step));
    EXPECT_OK(staithe_writer_begin_step(writer, STAITHE_UNSET, &step));
    EXPECT_EQ(staithe_write_step_publish(step, &loan), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(loan, nullptr);
}

TEST_F(CStreamTest, OneStepIsOpenAtATimeAndTimeoutsArePassedOn) {
    staithe_write_step* second = step;
    EXPECT_EQ(staithe_writer_begin_step(writer, STAITHE_UNSET, &second), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(second, nullptr);
    EXPECT_EQ(staithe_reader_next(reader, 0.05, &read), STAITHE_TIMEOUT);
    EXPECT_EQ(staithe_reader_next(reader, -2, &read), STAITHE_INVALID_ARGUMENT);
}

TEST_F(CStreamTest, OpeningInVainLeavesNoHandle) {
    staithe_writer* other = writer;
    EXPECT_EQ(staithe_writer_open("s", nullptr, &other), STAITHE_ALREADY_EXISTS);
    EXPECT_EQ(other, nullptr);
    EXPECT_EQ(staithe_writer_open("a/b", nullptr, &other), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_writer_open(nullptr, nullptr, &other), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_writer_open("t", nullptr, nullptr), STAITHE_INVALID_ARGUMENT);
    staithe_reader_options options;
    staithe_reader_options_init(&options, sizeof options);
    options.timeout = 0.05;
    staithe_reader* nobody = reader;
    EXPECT_EQ(staithe_reader_open("t", &options, &nobody), STAITHE_TIMEOUT);
    EXPECT_EQ(nobody, nullptr);
}

TEST_F(CStreamTest, EndsAsFailedIfItsWriterSaysSo) {
    put("u");
    EXPECT_OK(staithe_write_step_end(&step));
    EXPECT_EQ(staithe_writer_fail(writer, nullptr), STAITHE_INVALID_ARGUMENT);
    EXPECT_OK(staithe_writer_fail(writer, "the pressure is negative\nin cell 7"));
    EXPECT_OK(staithe_reader_next(reader, STAITHE_UNSET, &read)) << "what is complete comes first";
    staithe_read_step_release(&read);
    EXPECT_EQ(staithe_reader_next(reader, STAITHE_UNSET, &read), STAITHE_WRITER_FAILED);
    EXPECT_NE(std::string(staithe_last_error()).find("failed: the pressure is negative (after 1 steps"),
              std::string::npos)
        << staithe_last_error();
    EXPECT_OK(staithe_writer_fail(writer, "again"));
    EXPECT_EQ(staithe_writer_begin_step(writer, STAITHE_UNSET, &step), STAITHE_CLOSED);
    staithe_writer_statistics statistics{};
    EXPECT_OK(staithe_writer_get_statistics(writer, &statistics, sizeof statistics));
    EXPECT_EQ(statistics.unread, 0);
}

TEST(CDtype, AllHaveSizeAndName) {
    const std::array<int64_t, 16> sizes{1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 16, 8, 16, 32};
    for (staithe_dtype dtype = STAITHE_BOOL; dtype <= STAITHE_C256; ++dtype) {
        EXPECT_EQ(staithe_dtype_size(dtype), sizes[static_cast<std::size_t>(dtype)]);
        EXPECT_STRNE(staithe_dtype_name(dtype), "unknown");
    }
    for (const staithe_dtype dtype : {-1, 16}) {
        EXPECT_EQ(staithe_dtype_size(dtype), 0);
        EXPECT_STREQ(staithe_dtype_name(dtype), "unknown");
    }
}

TEST(CVersions, AreThoseOfTheHeaders) {
    EXPECT_EQ(staithe_abi_version(), STAITHE_ABI_VERSION);
    EXPECT_STREQ(staithe_version(), STAITHE_VERSION);
    const int64_t before = staithe_group_stamp();
    EXPECT_LE(before, staithe_group_stamp());
}

TEST(CGroups, ContactsAreChecked) {
    EXPECT_EQ(staithe_group_take_contact("of another version"), STAITHE_PROTOCOL);
    EXPECT_EQ(staithe_group_take_contact(""), STAITHE_OK);
    EXPECT_EQ(staithe_group_take_contact(nullptr), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(staithe_group_make_contact(nullptr), STAITHE_INVALID_ARGUMENT);
}

}  // namespace
