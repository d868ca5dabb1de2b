// Batches of spaces: many small blocks, put together.
#include <staithe/space.hpp>

#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "capi/structures.hpp"

using namespace staithe::capi;

extern "C" {

staithe_status staithe_space_batch(staithe_space* space, staithe_batch** batch) {
    return guard([&] {
        staithe_batch*& result = emptied(batch, "batch");
        result = new staithe_batch{given(space, "space").space.batch()};
    });
}

staithe_status staithe_batch_put(staithe_batch* batch, const char* variable, const void* data, staithe_dtype dtype,
                                 int32_t dimensions, const int64_t* count, const staithe_space_put_options* options) {
    return guard([&] {
        const auto put = put_of(options, dimensions);
        given(batch, "batch")
            .batch.put(&given(variable, "variable"),
                       array_of(data, dtype_of(dtype), extents_of(count, dimensions, "count"), put.layout),
                       put.options);
    });
}

staithe_status staithe_batch_send(staithe_batch* batch) {
    return guard([&] { given(batch, "batch").batch.send(); });
}

staithe_status staithe_batch_pending(const staithe_batch* batch, int64_t* count) {
    return guard([&] { given(count, "count") = static_cast<int64_t>(given(batch, "batch").batch.pending()); });
}

staithe_status staithe_batch_failure_count(const staithe_batch* batch, int64_t* count) {
    return guard([&] { given(count, "count") = static_cast<int64_t>(given(batch, "batch").batch.failures().size()); });
}

staithe_status staithe_batch_failure(const staithe_batch* batch, int64_t index, staithe_put_failure* failure,
                                     size_t struct_size) {
    return guard([&] {
        staithe_put_failure& result = given(failure, "failure");
        const staithe::SpacePutFailure& met = one_of(given(batch, "batch").batch.failures(), index, "failure");
        const staithe_put_failure filled{static_cast<int64_t>(met.place), met.version.value_or(STAITHE_UNSET),
                                         met.variable.c_str(), met.message.c_str(), status_of(met.code)};
        fill(&result, struct_size, filled);
    });
}

void staithe_batch_free(staithe_batch** batch) { free_handle(batch); }
}
