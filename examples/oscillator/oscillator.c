// A damped oscillator in C; every step goes to a stream: where it is and how fast.
//
//     build/oscillator [steps]
#include <stdio.h>
#include <stdlib.h>

#include <staithe/staithe.h>

enum { OSCILLATORS = 1000 };

/// Ends the program if a call failed, with what there is to say about it.
static void check(staithe_status status) {
    if (status != STAITHE_OK) {
        fprintf(stderr, "oscillator: %s\n", staithe_last_error());
        exit(1);
    }
}

int main(int argc, char** argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 200;
    const double dt = 0.01;
    static double x[OSCILLATORS];
    static double v[OSCILLATORS];
    for (int i = 0; i < OSCILLATORS; ++i) {
        x[i] = 1;
    }

    staithe_writer* out = NULL;
    check(staithe_writer_open("oscillator", NULL, &out));
    staithe_attributes* attributes = NULL;
    check(staithe_attributes_create(&attributes));
    staithe_put_options in_metres;
    staithe_put_options_init(&in_metres, sizeof in_metres);
    in_metres.unit = "m";
    const int64_t count[] = {OSCILLATORS};
    for (int n = 0; n < steps; ++n) {
        staithe_write_step* step = NULL;
        check(staithe_writer_begin_step(out, STAITHE_UNSET, &step));
        check(staithe_attributes_set_double(attributes, "time", n * dt));
        check(staithe_write_step_set_attributes(step, attributes));
        check(staithe_write_step_put(step, "x", x, STAITHE_F64, 1, count, &in_metres));
        check(staithe_write_step_put(step, "v", v, STAITHE_F64, 1, count, NULL));
        check(staithe_write_step_end(&step));

        for (int i = 0; i < OSCILLATORS; ++i) {  // each with a stiffness of its own
            v[i] -= dt * ((1 + 0.1 * i) * x[i] + 0.5 * v[i]);
            x[i] += dt * v[i];
        }
    }
    staithe_attributes_free(&attributes);
    check(staithe_writer_close(out));
    staithe_writer_free(&out);
    return 0;
}
