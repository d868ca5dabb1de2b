// What spaces give: arrays, boxes, lists of versions, hits.
#include <staithe/space.hpp>

#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/structures.hpp"

using namespace staithe::capi;

extern "C" {

void staithe_space_array_free(staithe_space_array** array) { free_handle(array); }

staithe_status staithe_space_array_version(const staithe_space_array* array, int64_t* version) {
    return guard([&] { given(version, "version") = given(array, "array").array.version; });
}

staithe_status staithe_space_array_dtype(const staithe_space_array* array, staithe_dtype* dtype) {
    return guard(
        [&] { given(dtype, "dtype") = static_cast<staithe_dtype>(given(array, "array").array.view.array.dtype); });
}

staithe_status staithe_space_array_shape(const staithe_space_array* array, int32_t* dimensions, int64_t* shape) {
    return guard([&] {
        const staithe::Extents& extents = given(array, "array").array.shape;
        int32_t& size = given(dimensions, "dimensions");
        write_extents(extents, &given(shape, "shape"));
        size = static_cast<int32_t>(extents.size());
    });
}

staithe_status staithe_space_array_box(const staithe_space_array* array, staithe_selection* box) {
    return guard([&] { given(box, "box") = to_c(staithe::Selection(given(array, "array").array.box)); });
}

staithe_status staithe_space_array_unit(const staithe_space_array* array, const char** unit) {
    return guard([&] {
        const char*& result = emptied(unit, "unit");
        result = given(array, "array").array.unit.c_str();
    });
}

staithe_status staithe_space_array_attributes(const staithe_space_array* array, staithe_attributes** attributes) {
    return guard([&] {
        staithe_attributes*& result = emptied(attributes, "attributes");
        result = new staithe_attributes{given(array, "array").array.attributes};
    });
}

staithe_status staithe_space_array_read(const staithe_space_array* array, staithe_dtype dtype, void* destination,
                                        const int64_t* strides) {
    return guard([&] {
        const staithe::SpaceArray& got = given(array, "array").array;
        got.copy_to(destination_of(destination, dtype, got.box.count, strides));
    });
}

staithe_status staithe_space_array_view(const staithe_space_array* array, staithe_view** view) {
    return guard([&] {
        staithe_view*& result = emptied(view, "view");
        result = new staithe_view{given(array, "array").array.view};
    });
}

void staithe_boxes_free(staithe_boxes** boxes) { free_handle(boxes); }

staithe_status staithe_boxes_count(const staithe_boxes* boxes, int64_t* count) {
    return guard([&] { given(count, "count") = static_cast<int64_t>(given(boxes, "boxes").list.size()); });
}

staithe_status staithe_boxes_get(const staithe_boxes* boxes, int64_t index, staithe_selection* box) {
    return guard([&] {
        staithe_selection& result = given(box, "box");
        result = to_c(staithe::Selection(one_of(given(boxes, "boxes").list, index, "box")));
    });
}

void staithe_versions_free(staithe_versions** versions) { free_handle(versions); }

staithe_status staithe_versions_count(const staithe_versions* versions, int64_t* count) {
    return guard([&] { given(count, "count") = static_cast<int64_t>(given(versions, "versions").list.size()); });
}

staithe_status staithe_versions_get(const staithe_versions* versions, int64_t index, staithe_space_version* version,
                                    size_t struct_size) {
    return guard([&] {
        staithe_space_version& result = given(version, "version");
        const staithe::SpaceVersion& listed = one_of(given(versions, "versions").list, index, "version");
        staithe_space_version filled{listed.version,
                                     listed.blocks,
                                     listed.bytes,
                                     listed.complete ? 1 : 0,
                                     static_cast<staithe_dtype>(listed.dtype),
                                     static_cast<int32_t>(listed.shape.size()),
                                     {},
                                     listed.unit.c_str(),
                                     listed.completion};
        write_extents(listed.shape, filled.shape);
        fill(&result, struct_size, filled);
    });
}

staithe_status staithe_versions_attributes(const staithe_versions* versions, int64_t index,
                                           staithe_attributes** attributes) {
    return guard([&] {
        staithe_attributes*& result = emptied(attributes, "attributes");
        result = new staithe_attributes{one_of(given(versions, "versions").list, index, "version").attributes};
    });
}

void staithe_hits_free(staithe_hits** hits) { free_handle(hits); }

staithe_status staithe_hits_version(const staithe_hits* hits, int64_t* version) {
    return guard([&] { given(version, "version") = given(hits, "hits").result.version; });
}

staithe_status staithe_hits_elements(const staithe_hits* hits, int64_t* elements) {
    return guard([&] { given(elements, "elements") = given(hits, "hits").result.elements; });
}

staithe_status staithe_hits_variables(const staithe_hits* hits, staithe_names** names) {
    return guard([&] {
        staithe_names*& result = emptied(names, "names");
        result = new staithe_names{given(hits, "hits").result.variables};
    });
}

staithe_status staithe_hits_completion(const staithe_hits* hits, int64_t index, int64_t* completion) {
    return guard([&] {
        int64_t& result = given(completion, "completion");
        result = one_of(given(hits, "hits").result.completions, index, "variable");
    });
}

staithe_status staithe_hits_count(const staithe_hits* hits, int64_t* count) {
    return guard([&] { given(count, "count") = static_cast<int64_t>(given(hits, "hits").result.boxes.size()); });
}

staithe_status staithe_hits_box(const staithe_hits* hits, int64_t index, staithe_selection* box) {
    return guard([&] {
        staithe_selection& result = given(box, "box");
        result = to_c(staithe::Selection(one_of(given(hits, "hits").result.boxes, index, "box")));
    });
}
}
