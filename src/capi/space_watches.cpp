// Watches of spaces: versions as they are completed.
#include <staithe/space.hpp>

#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"

using namespace staithe::capi;

extern "C" {

staithe_status staithe_space_watch(const staithe_space* space, const char* variable, int32_t oldest, double timeout,
                                   staithe_watch** watch) {
    return guard([&] {
        staithe_watch*& result = emptied(watch, "watch");
        result = new staithe_watch{
            given(space, "space")
                .space.watch(&given(variable, "variable"), {.oldest = oldest != 0, .timeout = given_number(timeout)})};
    });
}

staithe_status staithe_watch_next(staithe_watch* watch, int64_t* version, int32_t* ended) {
    return guard([&] {
        int64_t& number = given(version, "version");
        int32_t& is_over = given(ended, "ended");
        const auto next = given(watch, "watch").watch.next();
        number = next.value_or(number);
        is_over = next ? 0 : 1;
    });
}

void staithe_watch_free(staithe_watch** watch) { free_handle(watch); }
}
