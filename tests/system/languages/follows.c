/* follows_c SPACE SERVER: puts versions in all the ways that there are, and waits for what is made of them, as
   test_languages.py describes it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <staithe/staithe.h>

enum { BATCHED = 10, ELEMENTS = 4 };

static staithe_space* space = NULL;
static const int64_t count[] = {ELEMENTS};
static staithe_space_put_options options;

static void expect(int holds, const char* what) {
    if (!holds) {
        fprintf(stderr, "follows_c: wrong %s\n", what);
        exit(1);
    }
}

static void check(staithe_status status) {
    if (status != STAITHE_OK) {
        fprintf(stderr, "follows_c: %s\n", staithe_last_error());
        exit(1);
    }
}

static void fill(double* values, int64_t version) {
    for (int i = 0; i < ELEMENTS; ++i) {
        values[i] = (double)(version + i);
    }
}

static void put_in_a_batch(void) {
    staithe_batch* batch = NULL;
    double values[ELEMENTS];
    check(staithe_space_batch(space, &batch));
    for (options.version = 0; options.version < BATCHED; ++options.version) {
        fill(values, options.version);
        check(staithe_batch_put(batch, "T", values, STAITHE_F64, 1, count, &options));
    }
    check(staithe_batch_send(batch));
    staithe_batch_free(&batch);
}

static void put_by_a_loan(void) {
    staithe_loan* loan = NULL;
    staithe_array array;
    void* memory = NULL;
    int64_t version = 0;
    check(staithe_space_loan(space, "T", NULL, &loan));
    check(staithe_loan_array(loan, &array));
    check(staithe_loan_data(loan, &memory));
    expect(array.dimensions == 1 && array.shape[0] == ELEMENTS && array.dtype == STAITHE_F64, "loan");
    for (int i = 0; i < ELEMENTS; ++i) {
        ((double*)memory)[i] *= 2;
    }
    check(staithe_space_publish(space, &loan, &version));
    expect(version == BATCHED, "version of the loan");
}

static void put_without_waiting(void) {
    static double values[3][ELEMENTS];
    staithe_future* futures[3];
    for (int i = 0; i < 3; ++i) {
        options.version = BATCHED + 1 + i;
        fill(values[i], options.version);
        check(staithe_space_put_async(space, "T", values[i], STAITHE_F64, 1, count, &options, &futures[i]));
    }
    for (int i = 0; i < 3; ++i) {
        int64_t version = 0;
        check(staithe_future_version(&futures[i], &version));
        expect(version == BATCHED + 1 + i, "version of a put");
    }
}

int main(int argc, char** argv) {
    if (argc != 3) {
        return 2;
    }
    staithe_space_options opening;
    staithe_space_options_init(&opening, sizeof opening);
    opening.server = argv[2];
    check(staithe_space_open(argv[1], &opening, &space));
    staithe_space_put_options_init(&options, sizeof options);

    staithe_future* answer = NULL;
    staithe_watch* watch = NULL;
    staithe_lock* lock = NULL;
    check(staithe_space_get_async(space, "answer", STAITHE_UNSET, NULL, STAITHE_UNSET, &answer));
    check(staithe_space_watch(space, "T", 0, STAITHE_UNSET, &watch));
    check(staithe_space_lock(space, "T", STAITHE_LOCK_WRITE, NULL, STAITHE_UNSET, STAITHE_UNSET, &lock));
    put_in_a_batch();
    check(staithe_lock_release(&lock));
    put_by_a_loan();
    put_without_waiting();

    double sum = 0;
    int64_t number = 0;
    int64_t pieces = 0;
    int32_t ended = 0;
    for (int64_t version = 0; version < BATCHED + 4; ++version) {
        check(staithe_watch_next(watch, &number, &ended));
        expect(number == version && !ended, "version watched");
    }
    staithe_watch_free(&watch);
    staithe_space_array* array = NULL;
    check(staithe_space_reduce(space, "T", "sum", NULL, 0, BATCHED, NULL, STAITHE_UNSET, &array));
    check(staithe_space_array_read(array, STAITHE_F64, &sum, NULL));
    staithe_space_array_free(&array);
    staithe_boxes* boxes = NULL;
    check(staithe_space_blocks(space, "T", BATCHED, NULL, STAITHE_UNSET, &boxes));
    check(staithe_boxes_count(boxes, &pieces));
    staithe_boxes_free(&boxes);
    const int64_t offset[] = {2};
    const int64_t two[] = {2};
    double last[2];
    check(
        staithe_space_read(space, "T", STAITHE_UNSET, offset, STAITHE_UNSET, STAITHE_F64, 1, two, last, NULL, &number));
    expect(number == BATCHED + 3 && last[1] == BATCHED + 3 + ELEMENTS - 1, "newest version");

    if (argv[2][0] == '\0') {  // there is nobody else to answer
        options.version = STAITHE_UNSET;
        check(staithe_space_put(space, "answer", &sum, STAITHE_F64, 0, NULL, &options, NULL));
    }
    double answered = 0;
    check(staithe_future_array(&answer, &array));
    check(staithe_space_array_read(array, STAITHE_F64, &answered, NULL));
    staithe_space_array_free(&array);
    printf("%.1f %.1f %" PRId64 "\n", sum, answered, pieces);
    staithe_space_free(&space);
    return 0;
}
