// Recorders.
#include <staithe/recorder.hpp>

#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"

using namespace staithe::capi;

extern "C" {

staithe_status staithe_recorder_open(const char* path, const staithe_recorder_options* options,
                                     staithe_recorder** recorder) {
    return guard([&] {
        staithe_recorder*& result = emptied(recorder, "recorder");
        result = new staithe_recorder{staithe::Recorder(&given(path, "path"), recorder_options_of(options))};
    });
}

staithe_status staithe_recorder_append(staithe_recorder* recorder, const staithe_read_step* step) {
    return guard([&] { given(recorder, "recorder").recorder.append(given(step, "step").step); });
}

staithe_status staithe_recorder_newest(const staithe_recorder* recorder, int64_t* step) {
    return guard([&] {
        int64_t& result = given(step, "step");
        result = given(recorder, "recorder").recorder.newest().value_or(STAITHE_UNSET);
    });
}

staithe_status staithe_recorder_path(const staithe_recorder* recorder, const char** path) {
    return guard([&] {
        const char*& result = emptied(path, "path");
        result = given(recorder, "recorder").recorder.path().c_str();
    });
}

staithe_status staithe_recorder_close(staithe_recorder* recorder) {
    return guard([&] { given(recorder, "recorder").recorder.close(); });
}

void staithe_recorder_free(staithe_recorder** recorder) { free_handle(recorder); }
}
