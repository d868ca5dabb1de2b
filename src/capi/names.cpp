// Lists of names.
#include "capi/guard.hpp"
#include "capi/handles.hpp"

using namespace staithe::capi;

extern "C" {

staithe_status staithe_names_count(const staithe_names* names, int64_t* count) {
    return guard([&] { given(count, "count") = static_cast<int64_t>(given(names, "names").list.size()); });
}

staithe_status staithe_names_get(const staithe_names* names, int64_t index, const char** name) {
    return guard([&] {
        const char*& result = emptied(name, "name");
        result = one_of(given(names, "names").list, index, "name").c_str();
    });
}

void staithe_names_free(staithe_names** names) { free_handle(names); }
}
