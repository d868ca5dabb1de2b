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
        const auto& list = given(names, "names").list;
        if (index < 0 || index >= static_cast<int64_t>(list.size())) {
            throw staithe::InvalidArgument("there are " + std::to_string(list.size()) + " names, and no name " +
                                           std::to_string(index));
        }
        result = list[static_cast<std::size_t>(index)].c_str();
    });
}

void staithe_names_free(staithe_names** names) { free_handle(names); }
}
