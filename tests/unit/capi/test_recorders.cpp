// Steps recorded through the C interface: what a file has, and what misuse gives.
#include <array>
#include <string>
#include <vector>

#include <staithe/staithe.h>

#include <gtest/gtest.h>

#include "support/stream_test.hpp"

namespace {

#define EXPECT_OK(call) EXPECT_EQ(call, STAITHE_OK) << staithe_last_error()

class CRecorderTest : public staithe::testing::StreamTest {
  protected:
    void SetUp() override {
        staithe_recorder_options_init(&options, sizeof options);
        EXPECT_OK(staithe_writer_open("s", nullptr, &writer));
        EXPECT_OK(staithe_reader_open("s", nullptr, &reader));
    }
    void TearDown() override {
        staithe_recorder_free(&recorder);
        staithe_read_step_release(&read);
        staithe_reader_free(&reader);
        staithe_writer_free(&writer);
    }

    /// A step of these variables, as a reader has it.
    void next_step(const std::vector<const char*>& names, double value) {
        staithe_write_step* step = nullptr;
        EXPECT_OK(staithe_writer_begin_step(writer, STAITHE_UNSET, &step));
        for (const char* name : names) {
            EXPECT_OK(staithe_write_step_put(step, name, &value, STAITHE_F64, 0, nullptr, nullptr));
        }
        EXPECT_OK(staithe_write_step_end(&step));
        staithe_read_step_release(&read);
        EXPECT_OK(staithe_reader_next(reader, STAITHE_UNSET, &read));
    }
    [[nodiscard]] int64_t newest() const {
        int64_t step = -7;
        EXPECT_OK(staithe_recorder_newest(recorder, &step));
        return step;
    }
    /// That the last call that failed said so.
    static void expect_said(const char* text) {
        EXPECT_NE(std::string(staithe_last_error()).find(text), std::string::npos) << staithe_last_error();
    }

    const std::string path = run_directory() + "/run.zarr";
    staithe_recorder_options options{};
    staithe_writer* writer = nullptr;
    staithe_reader* reader = nullptr;
    staithe_read_step* read = nullptr;
    staithe_recorder* recorder = nullptr;
};

TEST_F(CRecorderTest, WhatIsAppendedIsReadBack) {
    staithe_attributes* attributes = nullptr;
    EXPECT_OK(staithe_attributes_create(&attributes));
    EXPECT_OK(staithe_attributes_set_int(attributes, "run", 7));
    const std::array<const char*, 2> names{"T", "n"};
    options.attributes = attributes;
    options.error = "T=1e-3 rel";
    options.codec = "blosc+zstd";
    options.variables = names.data();
    options.variable_count = names.size();
    EXPECT_OK(staithe_recorder_open(path.c_str(), &options, &recorder));
    staithe_attributes_free(&attributes);
    EXPECT_EQ(newest(), STAITHE_UNSET);
    for (const double value : {1.0, 2.0}) {
        next_step({"T", "n", "rest"}, value);
        EXPECT_OK(staithe_recorder_append(recorder, read));
    }
    EXPECT_EQ(newest(), 1);
    const char* its_path = nullptr;
    EXPECT_OK(staithe_recorder_path(recorder, &its_path));
    EXPECT_EQ(its_path, path);
    EXPECT_OK(staithe_recorder_close(recorder));
    EXPECT_OK(staithe_recorder_close(recorder));
    EXPECT_EQ(staithe_recorder_append(recorder, read), STAITHE_CLOSED);
    staithe_recorder_free(&recorder);
    EXPECT_EQ(recorder, nullptr);

    staithe_reader* recorded = nullptr;
    EXPECT_OK(staithe_reader_open(path.c_str(), nullptr, &recorded));
    EXPECT_OK(staithe_reader_attributes(recorded, &attributes));
    int64_t run = 0;
    EXPECT_OK(staithe_attributes_get_int(attributes, "run", &run));
    EXPECT_EQ(run, 7);
    staithe_attributes_free(&attributes);
    for (const double value : {1.0, 2.0}) {
        staithe_read_step* step = nullptr;
        EXPECT_OK(staithe_reader_next(recorded, STAITHE_UNSET, &step));
        staithe_names* variables = nullptr;
        EXPECT_OK(staithe_read_step_variables(step, &variables));
        int64_t count = 0;
        EXPECT_OK(staithe_names_count(variables, &count));
        EXPECT_EQ(count, 2);
        staithe_names_free(&variables);
        staithe_variable* variable = nullptr;
        EXPECT_OK(staithe_read_step_variable(step, "T", &variable));
        double got = 0;
        EXPECT_OK(staithe_variable_read(variable, nullptr, STAITHE_F64, &got, nullptr));
        EXPECT_EQ(got, value);
        staithe_variable_free(&variable);
        staithe_read_step_release(&step);
    }
    staithe_reader_free(&recorded);
}

TEST_F(CRecorderTest, ItGoesOnWithWhatIsThere) {
    EXPECT_OK(staithe_recorder_open(path.c_str(), nullptr, &recorder));
    next_step({"T"}, 1);
    EXPECT_OK(staithe_recorder_append(recorder, read));
    staithe_recorder_free(&recorder);
    EXPECT_EQ(staithe_recorder_open(path.c_str(), &options, &recorder), STAITHE_ALREADY_EXISTS);
    EXPECT_EQ(recorder, nullptr);
    options.resume = 1;
    EXPECT_OK(staithe_recorder_open(path.c_str(), &options, &recorder));
    EXPECT_EQ(newest(), 0);
    next_step({"T"}, 2);
    EXPECT_OK(staithe_recorder_append(recorder, read));
    EXPECT_EQ(newest(), 1);
}

TEST_F(CRecorderTest, MistakesAreTold) {
    EXPECT_EQ(staithe_recorder_open((run_directory() + "/run.txt").c_str(), nullptr, &recorder),
              STAITHE_INVALID_ARGUMENT);
    expect_said(".zarr");
    EXPECT_EQ(staithe_recorder_open(nullptr, nullptr, &recorder), STAITHE_INVALID_ARGUMENT);
    options.codec = "none such";
    EXPECT_EQ(staithe_recorder_open(path.c_str(), &options, &recorder), STAITHE_NOT_FOUND);
    options.codec = nullptr;
    options.error = "T=1e-3 rel, T=exact";
    EXPECT_EQ(staithe_recorder_open(path.c_str(), &options, &recorder), STAITHE_INVALID_ARGUMENT);
    expect_said("name 'T' twice");
    options.error = nullptr;
    options.variable_count = 1;
    EXPECT_EQ(staithe_recorder_open(path.c_str(), &options, &recorder), STAITHE_INVALID_ARGUMENT);
    expect_said("'variables' is NULL");
    EXPECT_EQ(staithe_recorder_append(recorder, read), STAITHE_INVALID_ARGUMENT);
    expect_said("open the recorder first");
    const char* const missing = "U";
    options.variables = &missing;
    EXPECT_OK(staithe_recorder_open(path.c_str(), &options, &recorder));
    next_step({"T"}, 1);
    EXPECT_EQ(staithe_recorder_append(recorder, read), STAITHE_NOT_FOUND);
    EXPECT_EQ(staithe_recorder_append(recorder, nullptr), STAITHE_INVALID_ARGUMENT);
    EXPECT_EQ(newest(), STAITHE_UNSET);
}

}  // namespace
