// Reductions over steps.
#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"

using namespace staithe::capi;

extern "C" {

staithe_status staithe_running_reduction_create(const char* how, const int64_t* axes, size_t axis_count,
                                                staithe_running_reduction** reduction) {
    return guard([&] {
        staithe_running_reduction*& result = emptied(reduction, "reduction");
        result =
            new staithe_running_reduction{staithe::RunningReduction(&given(how, "how"), given_axes(axes, axis_count))};
    });
}

staithe_status staithe_running_reduction_add(staithe_running_reduction* reduction, const staithe_variable* variable,
                                             const staithe_selection* selection) {
    return guard([&] {
        staithe::RunningReduction& running = given(reduction, "reduction").running;
        running.add(given(variable, "variable").variable, given_selection(selection));
    });
}

staithe_status staithe_running_reduction_result(const staithe_running_reduction* reduction, staithe_view** view) {
    return guard([&] {
        staithe_view*& result = emptied(view, "view");
        result = new staithe_view{given(reduction, "reduction").running.result()};
    });
}

staithe_status staithe_running_reduction_steps(const staithe_running_reduction* reduction, int64_t* steps) {
    return guard([&] {
        int64_t& result = given(steps, "steps");
        result = given(reduction, "reduction").running.steps();
    });
}

void staithe_running_reduction_free(staithe_running_reduction** reduction) { free_handle(reduction); }
}
