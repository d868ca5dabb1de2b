/* shared_c put|get SPACE: a third of a plate, and all of it, as test_languages.py describes them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <staithe/staithe.h>

enum { RANK = 1, RANKS = 3, VERSION = 7, ROWS = 2 * RANKS, COLUMNS = 4 };

static void expect(int holds, const char* what) {
    if (!holds) {
        fprintf(stderr, "shared_c: wrong %s\n", what);
        exit(1);
    }
}

static void check(staithe_status status) {
    if (status != STAITHE_OK) {
        fprintf(stderr, "shared_c: %s\n", staithe_last_error());
        exit(1);
    }
}

static void put(staithe_space* space) {
    double rows[2][COLUMNS];
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < COLUMNS; ++j) {
            rows[i][j] = 10 * (2 * RANK + i) + j;
        }
    }
    const int64_t count[] = {2, COLUMNS};
    const int64_t offset[] = {2 * RANK, 0};
    const int64_t shape[] = {ROWS, COLUMNS};
    staithe_attributes* attributes = NULL;
    check(staithe_attributes_create(&attributes));
    check(staithe_attributes_set_string(attributes, "run", "a12"));
    staithe_space_put_options options;
    staithe_space_put_options_init(&options, sizeof options);
    options.offset = offset;
    options.shape = shape;
    options.version = VERSION;
    options.unit = "K";
    options.attributes = attributes;
    check(staithe_space_put(space, "T", rows, STAITHE_F64, 2, count, &options, NULL));
    staithe_attributes_free(&attributes);
}

static void get(const staithe_space* space) {
    double T[ROWS][COLUMNS];
    double sum = 0;
    staithe_space_array* array = NULL;
    check(staithe_space_get(space, "T", STAITHE_UNSET, NULL, STAITHE_UNSET, &array));
    int32_t dimensions = 0;
    int64_t shape[STAITHE_MAX_DIMENSIONS];
    check(staithe_space_array_shape(array, &dimensions, shape));
    expect(dimensions == 2 && shape[0] == ROWS && shape[1] == COLUMNS, "shape");
    check(staithe_space_array_read(array, STAITHE_F64, T, NULL));
    for (int i = 0; i < ROWS; ++i) {
        for (int j = 0; j < COLUMNS; ++j) {
            expect(T[i][j] == 10 * i + j, "element");
            sum += T[i][j];
        }
    }
    const char* unit = NULL;
    const char* run = NULL;
    int64_t number = 0;
    staithe_attributes* attributes = NULL;
    check(staithe_space_array_unit(array, &unit));
    check(staithe_space_array_version(array, &number));
    check(staithe_space_array_attributes(array, &attributes));
    check(staithe_attributes_get_string(attributes, "run", &run));
    expect(strcmp(unit, "K") == 0 && number == VERSION && strcmp(run, "a12") == 0, "version");
    staithe_attributes_free(&attributes);
    staithe_space_array_free(&array);
    staithe_hits* hits = NULL;
    check(staithe_space_query(space, "T > 31 and run == 'a12'", STAITHE_UNSET, STAITHE_UNSET, &hits));
    check(staithe_hits_elements(hits, &number));
    staithe_hits_free(&hits);
    printf("%.1f %" PRId64 "\n", sum, number);
}

int main(int argc, char** argv) {
    if (argc != 3) {
        return 2;
    }
    const int puts_it = strcmp(argv[1], "put") == 0;
    staithe_space_options options;
    staithe_space_options_init(&options, sizeof options);
    options.server = "staithe";
    if (puts_it) {
        options.group.rank = RANK;
        options.group.size = RANKS;
    }
    staithe_space* space = NULL;
    check(staithe_space_open(argv[2], &options, &space));
    if (puts_it) {
        put(space);
    } else {
        get(space);
    }
    staithe_space_free(&space);
    return 0;
}
