// mixed_c write|read STREAM: three steps of a variable of each dtype, as test_languages.py describes them.
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <staithe/staithe.h>

enum { ROWS = 3, COLUMNS = 4, ELEMENTS = ROWS * COLUMNS, STEPS = 3 };
static const int64_t count[] = {ROWS, COLUMNS};

// Name, dtype, type, and the value at place k, which the step has moved on. Half precision as the bits of 0, ½, 1, ….
static const uint16_t halves[] = {0x0000, 0x3800, 0x3c00, 0x3e00, 0x4000, 0x4100,
                                  0x4200, 0x4300, 0x4400, 0x4480, 0x4500, 0x4580};
#define FOR_EACH_DTYPE(DO)                                             \
    DO("bool", STAITHE_BOOL, bool, k % 3 == 0)                         \
    DO("i1", STAITHE_I8, int8_t, (k - 5) * 8)                          \
    DO("i2", STAITHE_I16, int16_t, (k - 5) * 2048)                     \
    DO("i4", STAITHE_I32, int32_t, (k - 5) * 134217728)                \
    DO("i8", STAITHE_I64, int64_t, (k - 5) * 576460752303423488)       \
    DO("u1", STAITHE_U8, uint8_t, k * 16)                              \
    DO("u2", STAITHE_U16, uint16_t, k * 4096)                          \
    DO("u4", STAITHE_U32, uint32_t, (uint32_t)k * 268435456)           \
    DO("u8", STAITHE_U64, uint64_t, (uint64_t)k * 1152921504606846976) \
    DO("f2", STAITHE_F16, uint16_t, halves[k])                         \
    DO("f4", STAITHE_F32, float, k / 4.0F - 1)                         \
    DO("f8", STAITHE_F64, double, k / 4.0 - 1)                         \
    DO("f16", STAITHE_F128, long double, k / 4.0L - 1)                 \
    DO("c8", STAITHE_C64, float complex, k / 4.0F - k * I)             \
    DO("c16", STAITHE_C128, double complex, k / 4.0 - k * I)           \
    DO("c32", STAITHE_C256, long double complex, k / 4.0L - k * I)

static void check(staithe_status status) {
    if (status != STAITHE_OK) {
        fprintf(stderr, "mixed_c: %s: %s\n", staithe_status_name(status), staithe_last_error());
        exit(1);
    }
}

static void expect(bool holds, const char* what, int64_t step) {
    if (!holds) {
        fprintf(stderr, "mixed_c: step %d: wrong %s\n", (int)step, what);
        exit(1);
    }
}

static void write_step(staithe_write_step* step, int64_t number) {
    staithe_put_options options;
    staithe_put_options_init(&options, sizeof options);
    options.unit = "m";
#define PUT(name, dtype, type, value)                                                 \
    {                                                                                 \
        type values[ELEMENTS];                                                        \
        for (int place = 0; place < ELEMENTS; ++place) {                              \
            const int k = (int)((place + number) % ELEMENTS);                         \
            values[place] = (type)(value);                                            \
        }                                                                             \
        check(staithe_write_step_put(step, name, values, dtype, 2, count, &options)); \
    }
    FOR_EACH_DTYPE(PUT)
    staithe_loan* loan = NULL;
    void* data = NULL;
    check(staithe_write_step_loan(step, "loan", STAITHE_I64, 2, count, NULL, &loan));
    check(staithe_loan_data(loan, &data));
    for (int64_t k = 0; k < ELEMENTS; ++k) {
        ((int64_t*)data)[k] = 100 * number + k;
    }
    check(staithe_write_step_publish(step, &loan));
    staithe_attributes* attributes = NULL;
    const int64_t numbers[] = {number, 2};
    check(staithe_attributes_create(&attributes));
    check(staithe_attributes_set_double(attributes, "time", 0.5 * (double)number));
    check(staithe_attributes_set_string(attributes, "label", "Å"));
    check(staithe_attributes_set_ints(attributes, "numbers", numbers, 2));
    check(staithe_write_step_set_attributes(step, attributes));
    staithe_attributes_free(&attributes);
}

static void write_stream(const char* name) {
    staithe_writer* writer = NULL;
    check(staithe_writer_open(name, NULL, &writer));
    for (int64_t number = 0; number < STEPS; ++number) {
        staithe_write_step* step = NULL;
        check(staithe_writer_begin_step(writer, STAITHE_UNSET, &step));
        write_step(step, number);
        check(staithe_write_step_end(&step));
    }
    check(staithe_writer_close(writer));
    staithe_writer_free(&writer);
}

static void read_variable(const staithe_read_step* step, const char* name, staithe_dtype dtype, void* values) {
    staithe_variable* variable = NULL;
    const char* unit = NULL;
    int32_t dimensions = 0;
    int64_t shape[STAITHE_MAX_DIMENSIONS];
    check(staithe_read_step_variable(step, name, &variable));
    check(staithe_variable_shape(variable, &dimensions, shape));
    check(staithe_variable_unit(variable, &unit));
    expect(dimensions == 2 && shape[0] == ROWS && shape[1] == COLUMNS, name, -1);
    expect(strcmp(unit, strcmp(name, "loan") == 0 ? "" : "m") == 0, "unit", -1);
    check(staithe_variable_read(variable, NULL, dtype, values, NULL));
    staithe_variable_free(&variable);
}

static void read_step(const staithe_read_step* step) {
    int64_t number = -1;
    check(staithe_read_step_index(step, &number));
#define READ(name, dtype, type, value)                            \
    {                                                             \
        type values[ELEMENTS];                                    \
        read_variable(step, name, dtype, values);                 \
        for (int place = 0; place < ELEMENTS; ++place) {          \
            const int k = (int)((place + number) % ELEMENTS);     \
            expect(values[place] == (type)(value), name, number); \
        }                                                         \
    }
    FOR_EACH_DTYPE(READ)
    int64_t loan[ELEMENTS];
    read_variable(step, "loan", STAITHE_I64, loan);
    for (int64_t k = 0; k < ELEMENTS; ++k) {
        expect(loan[k] == 100 * number + k, "loan", number);
    }
    staithe_attributes* attributes = NULL;
    double time = -1;
    const char* label = NULL;
    int64_t numbers[2] = {-1, -1};
    size_t found = 0;
    check(staithe_read_step_attributes(step, &attributes));
    check(staithe_attributes_get_double(attributes, "time", &time));
    check(staithe_attributes_get_string(attributes, "label", &label));
    check(staithe_attributes_get_ints(attributes, "numbers", numbers, 2, &found));
    expect(time == 0.5 * (double)number && strcmp(label, "Å") == 0, "attributes", number);
    expect(found == 2 && numbers[0] == number && numbers[1] == 2, "list", number);
    staithe_attributes_free(&attributes);
}

static void read_stream(const char* name) {
    staithe_reader* reader = NULL;
    int64_t steps = 0;
    check(staithe_reader_open(name, NULL, &reader));
    for (;;) {
        staithe_read_step* step = NULL;
        check(staithe_reader_next(reader, STAITHE_UNSET, &step));
        if (step == NULL) {
            break;
        }
        read_step(step);
        staithe_read_step_release(&step);
        ++steps;
    }
    staithe_reader_free(&reader);
    expect(steps == STEPS, "number of steps", steps);
}

int main(int argc, char** argv) {
    if (argc != 3) {
        return 2;
    }
    if (strcmp(argv[1], "write") == 0) {
        write_stream(argv[2]);
    } else {
        read_stream(argv[2]);
    }
    return 0;
}
