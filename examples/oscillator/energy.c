// Reads the oscillators' stream where it lies in their memory, and prints their kinetic energy now and then.
//
//     build/energy [every]
#include <stdio.h>
#include <stdlib.h>

#include <staithe/staithe.h>

static void check(staithe_status status) {
    if (status != STAITHE_OK) {
        fprintf(stderr, "energy: %s\n", staithe_last_error());
        exit(1);
    }
}

static double time_of(const staithe_read_step* step) {
    staithe_attributes* attributes = NULL;
    double time = 0;
    check(staithe_read_step_attributes(step, &attributes));
    check(staithe_attributes_get_double(attributes, "time", &time));
    staithe_attributes_free(&attributes);
    return time;
}

/// From one block in the writer's memory: nothing is copied.
static double energy_of(const staithe_read_step* step) {
    staithe_variable* variable = NULL;
    staithe_view* view = NULL;
    staithe_array array;
    check(staithe_read_step_variable(step, "v", &variable));
    check(staithe_variable_view(variable, NULL, &view));
    check(staithe_view_array(view, &array));
    const double* v = array.data;
    double energy = 0;
    for (int64_t i = 0; i < array.shape[0]; ++i) {
        energy += 0.5 * v[i] * v[i];
    }
    staithe_view_free(&view);
    staithe_variable_free(&variable);
    return energy;
}

int main(int argc, char** argv) {
    const int64_t every = argc > 1 ? atoi(argv[1]) : 50;
    staithe_reader* in = NULL;
    check(staithe_reader_open("oscillator", NULL, &in));
    for (;;) {
        staithe_read_step* step = NULL;
        int64_t number = 0;
        check(staithe_reader_next(in, STAITHE_UNSET, &step));
        if (step == NULL) {
            break;  // the stream has ended
        }
        check(staithe_read_step_index(step, &number));
        if (number % every == 0) {
            printf("time %.2f: kinetic energy %.3f\n", time_of(step), energy_of(step));
        }
        staithe_read_step_release(&step);
    }
    staithe_reader_free(&in);
    return 0;
}
