// Spaces: what is put, got and asked.
#include <staithe/space.hpp>

#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"

using namespace staithe::capi;

extern "C" {

staithe_status staithe_space_open(const char* name, const staithe_space_options* options, staithe_space** space) {
    return guard([&] {
        staithe_space*& result = emptied(space, "space");
        result = new staithe_space{staithe::Space(&given(name, "name"), space_options_of(options))};
    });
}

staithe_status staithe_space_close(staithe_space* space) {
    return guard([&] { given(space, "space").space.close(); });
}

void staithe_space_free(staithe_space** space) {
    if (space != nullptr && *space != nullptr) {
        (*space)->space.close();  // batches and watches share it
    }
    free_handle(space);
}

staithe_status staithe_space_name(const staithe_space* space, const char** name) {
    return guard([&] {
        const char*& result = emptied(name, "name");
        result = given(space, "space").space.name().c_str();
    });
}

staithe_status staithe_space_kept_by(const staithe_space* space, char** title) {
    return guard([&] {
        char*& result = emptied(title, "title");
        result = new_text(given(space, "space").space.kept_by());
    });
}

staithe_status staithe_space_put(staithe_space* space, const char* variable, const void* data, staithe_dtype dtype,
                                 int32_t dimensions, const int64_t* count, const staithe_space_put_options* options,
                                 int64_t* version) {
    return guard([&] {
        const auto put = put_of(options, dimensions);
        const int64_t number =
            given(space, "space")
                .space.put(&given(variable, "variable"),
                           array_of(data, dtype_of(dtype), extents_of(count, dimensions, "count"), put.layout),
                           put.options);
        if (version != nullptr) {
            *version = number;
        }
    });
}

staithe_status staithe_space_get(const staithe_space* space, const char* variable, int64_t version,
                                 const staithe_selection* box, double timeout, staithe_space_array** array) {
    return guard([&] {
        staithe_space_array*& result = emptied(array, "array");
        result = new staithe_space_array{
            given(space, "space").space.get(&given(variable, "variable"), space_get_of(version, box, timeout))};
    });
}

staithe_status staithe_space_get_completed(const staithe_space* space, const char* variable, int64_t version,
                                           int64_t completion, const staithe_selection* box, double timeout,
                                           staithe_space_array** array) {
    return guard([&] {
        staithe_space_array*& result = emptied(array, "array");
        staithe::SpaceGet wanted = space_get_of(version, box, timeout);
        wanted.completion = completion;
        result = new staithe_space_array{given(space, "space").space.get(&given(variable, "variable"), wanted)};
    });
}

staithe_status staithe_space_read(const staithe_space* space, const char* variable, int64_t version,
                                  const int64_t* offset, double timeout, staithe_dtype dtype, int32_t dimensions,
                                  const int64_t* count, void* destination, const int64_t* strides, int64_t* got) {
    return guard([&] {
        const staithe::Extents shape = extents_of(count, dimensions, "count");
        staithe::SpaceGet wanted = space_get_of(version, nullptr, timeout);
        if (offset != nullptr) {
            wanted.box = staithe::Box{extents_of(offset, dimensions, "offset"), shape};
        }
        const int64_t number =
            given(space, "space")
                .space.read(&given(variable, "variable"), destination_of(destination, dtype, shape, strides), wanted);
        if (got != nullptr) {
            *got = number;
        }
    });
}

staithe_status staithe_space_reduce(const staithe_space* space, const char* variable, const char* how,
                                    const int64_t* axes, size_t axis_count, int64_t version,
                                    const staithe_selection* box, double timeout, staithe_space_array** array) {
    return guard([&] {
        staithe_space_array*& result = emptied(array, "array");
        const std::string of = &given(variable, "variable"), name = &given(how, "how");
        const staithe::SpaceReduce wanted{.axes = given_axes(axes, axis_count),
                                          .of = space_get_of(version, box, timeout)};
        staithe::SpaceReduction reduction = given(space, "space").space.reduce(of, name, wanted);
        const staithe::Extents shape = reduction.view.array.shape;
        result = new staithe_space_array{{.variable = name + " of " + of,
                                          .version = reduction.version,
                                          .shape = shape,
                                          .box = staithe::Box::whole(shape),
                                          .unit = "",
                                          .attributes = {},
                                          .view = std::move(reduction.view)}};
    });
}

staithe_status staithe_space_blocks(const staithe_space* space, const char* variable, int64_t version,
                                    const staithe_selection* box, double timeout, staithe_boxes** boxes) {
    return guard([&] {
        staithe_boxes*& result = emptied(boxes, "boxes");
        result = new staithe_boxes{
            given(space, "space").space.blocks(&given(variable, "variable"), space_get_of(version, box, timeout))};
    });
}

staithe_status staithe_space_names(const staithe_space* space, const char* pattern, staithe_names** names) {
    return guard([&] {
        staithe_names*& result = emptied(names, "names");
        result = new staithe_names{given(space, "space").space.names(given_text(pattern).value_or("*"))};
    });
}

staithe_status staithe_space_containers(const staithe_space* space, const char* pattern, staithe_names** names) {
    return guard([&] {
        staithe_names*& result = emptied(names, "names");
        result = new staithe_names{given(space, "space").space.containers(given_text(pattern).value_or("*"))};
    });
}

staithe_status staithe_space_set_attributes(staithe_space* space, const char* path,
                                            const staithe_attributes* attributes) {
    return guard(
        [&] { given(space, "space").space.set_attributes(&given(path, "path"), given(attributes, "attributes").map); });
}

staithe_status staithe_space_attributes(const staithe_space* space, const char* path, staithe_attributes** attributes) {
    return guard([&] {
        staithe_attributes*& result = emptied(attributes, "attributes");
        result = new staithe_attributes{given(space, "space").space.attributes(&given(path, "path"))};
    });
}

staithe_status staithe_space_versions(const staithe_space* space, const char* variable, staithe_versions** versions) {
    return guard([&] {
        staithe_versions*& result = emptied(versions, "versions");
        result = new staithe_versions{given(space, "space").space.versions(&given(variable, "variable"))};
    });
}

staithe_status staithe_space_remove(staithe_space* space, const char* variable, int64_t version) {
    return guard([&] { given(space, "space").space.remove(&given(variable, "variable"), version); });
}

staithe_status staithe_space_remove_variable(staithe_space* space, const char* variable) {
    return guard([&] { given(space, "space").space.remove(&given(variable, "variable")); });
}

staithe_status staithe_space_remove_container(staithe_space* space, const char* path, int64_t* removed) {
    return guard([&] {
        const int64_t variables = given(space, "space").space.remove_container(&given(path, "path"));
        if (removed != nullptr) {
            *removed = variables;
        }
    });
}

staithe_status staithe_space_keep(staithe_space* space, const char* variable, int64_t versions, int64_t bytes,
                                  double seconds) {
    return guard([&] {
        given(space, "space")
            .space.keep(&given(variable, "variable"),
                        {given_number(versions), given_number(bytes), given_number(seconds)});
    });
}

staithe_status staithe_space_values(const staithe_space* space, const staithe_hits* hits, const char* variable,
                                    staithe_space_array** array) {
    return guard([&] {
        staithe_space_array*& result = emptied(array, "array");
        result = new staithe_space_array{
            given(space, "space").space.values(given(hits, "hits").result, &given(variable, "variable"))};
    });
}

staithe_status staithe_space_query(const staithe_space* space, const char* condition, int64_t version, int64_t most,
                                   staithe_hits** hits) {
    return guard([&] {
        staithe_hits*& result = emptied(hits, "hits");
        result = new staithe_hits{given(space, "space")
                                      .space.query(&given(condition, "condition"),
                                                   {.version = given_number(version), .most = given_number(most)})};
    });
}
}
