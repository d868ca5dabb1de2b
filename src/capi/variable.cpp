// Variables of a step: selections, blocks, views.
#include <algorithm>

#include <staithe/reader.hpp>

#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"

using namespace staithe::capi;

namespace {

staithe::Selection selection_or_all(const staithe_selection* selection, const staithe::Variable& variable) {
    auto given = given_selection(selection);
    return given ? *std::move(given) : staithe::Selection::all(variable.shape());
}

staithe::Group group_or_alone(const staithe_group* group) {
    return group == nullptr ? staithe::Group{} : group_of(*group);
}

std::size_t index_of_block(int64_t index) {
    if (index < 0) {
        throw staithe::InvalidArgument("blocks are counted from 0: there is no block " + std::to_string(index));
    }
    return static_cast<std::size_t>(index);
}

}  // namespace

extern "C" {

staithe_status staithe_selection_box(staithe_selection* selection, int32_t dimensions, const int64_t* offset,
                                     const int64_t* count) {
    return guard([&] {
        staithe::Box box;
        box.count = extents_of(count, dimensions, "count");
        box.offset =
            given_extents(offset, dimensions, "offset").value_or(staithe::Extents::filled(box.count.size(), 0));
        given(selection, "selection") = to_c(staithe::Selection(box));
    });
}

void staithe_variable_free(staithe_variable** variable) { free_handle(variable); }

staithe_status staithe_variable_name(const staithe_variable* variable, const char** name) {
    return guard([&] {
        const char*& result = emptied(name, "name");
        result = given(variable, "variable").variable.name().c_str();
    });
}

staithe_status staithe_variable_dtype(const staithe_variable* variable, staithe_dtype* dtype) {
    return guard(
        [&] { given(dtype, "dtype") = static_cast<staithe_dtype>(given(variable, "variable").variable.dtype()); });
}

staithe_status staithe_variable_shape(const staithe_variable* variable, int32_t* dimensions, int64_t* shape) {
    return guard([&] {
        const staithe::Extents& extents = given(variable, "variable").variable.shape();
        int32_t& size = given(dimensions, "dimensions");
        write_extents(extents, &given(shape, "shape"));
        size = static_cast<int32_t>(extents.size());
    });
}

staithe_status staithe_variable_is_local(const staithe_variable* variable, int32_t* is_local) {
    return guard([&] { given(is_local, "is_local") = given(variable, "variable").variable.is_local() ? 1 : 0; });
}

staithe_status staithe_variable_unit(const staithe_variable* variable, const char** unit) {
    return guard([&] {
        const char*& result = emptied(unit, "unit");
        result = given(variable, "variable").variable.unit().c_str();
    });
}

staithe_status staithe_variable_error(const staithe_variable* variable, char** error) {
    return guard([&] {
        char*& result = emptied(error, "error");
        result = new_text(staithe::codecs::to_string(given(variable, "variable").variable.error()));
    });
}

staithe_status staithe_variable_attributes(const staithe_variable* variable, staithe_attributes** attributes) {
    return guard([&] {
        staithe_attributes*& result = emptied(attributes, "attributes");
        result = new staithe_attributes{given(variable, "variable").variable.attributes()};
    });
}

staithe_status staithe_variable_select_all(const staithe_variable* variable, staithe_selection* selection) {
    return guard([&] {
        given(selection, "selection") = to_c(staithe::Selection::all(given(variable, "variable").variable.shape()));
    });
}

staithe_status staithe_variable_select_share(const staithe_variable* variable, staithe_share share,
                                             const staithe_group* group, staithe_selection* selection) {
    return guard([&] {
        if (share < STAITHE_SHARE_BLOCK || share > STAITHE_SHARE_PROCESS) {
            throw staithe::InvalidArgument("there is no share of number " + std::to_string(share) +
                                           ": use STAITHE_SHARE_BLOCK (0) to STAITHE_SHARE_PROCESS (3)");
        }
        given(selection, "selection") =
            to_c(given(variable, "variable").variable.part(static_cast<staithe::Share>(share), group_or_alone(group)));
    });
}

staithe_status staithe_variable_read(const staithe_variable* variable, const staithe_selection* selection,
                                     staithe_dtype dtype, void* destination, const int64_t* strides) {
    return guard([&] {
        const staithe::Variable& source = given(variable, "variable").variable;
        const staithe::Selection wanted = selection_or_all(selection, source);
        source.read(wanted, destination_of(destination, dtype, shape_of(wanted), strides));
    });
}

staithe_status staithe_variable_view(const staithe_variable* variable, const staithe_selection* selection,
                                     staithe_view** view) {
    return guard([&] {
        staithe_view*& result = emptied(view, "view");
        const staithe::Variable& source = given(variable, "variable").variable;
        if (auto found = source.view(selection_or_all(selection, source))) {
            result = new staithe_view{*std::move(found)};
        }
    });
}

staithe_status staithe_variable_reduce(const staithe_variable* variable, const char* how,
                                       const staithe_selection* selection, const int64_t* axes, size_t axis_count,
                                       staithe_view** view) {
    return guard([&] {
        staithe_view*& result = emptied(view, "view");
        const staithe::Variable& source = given(variable, "variable").variable;
        result = new staithe_view{
            source.reduce(&given(how, "how"), given_selection(selection), given_axes(axes, axis_count))};
    });
}

staithe_status staithe_view_array(const staithe_view* view, staithe_array* array) {
    return guard([&] { given(array, "array") = to_c(given(view, "view").view.array); });
}

staithe_status staithe_view_read(const staithe_view* view, staithe_dtype dtype, void* destination,
                                 const int64_t* strides) {
    return guard([&] {
        const staithe::View& source = given(view, "view").view;
        source.copy_to(destination_of(destination, dtype, source.array.shape, strides));
    });
}

void staithe_view_free(staithe_view** view) { free_handle(view); }

staithe_status staithe_variable_block_count(const staithe_variable* variable, int64_t* count) {
    return guard(
        [&] { given(count, "count") = static_cast<int64_t>(given(variable, "variable").variable.blocks().size()); });
}

staithe_status staithe_variable_block(const staithe_variable* variable, int64_t index, staithe_block* block) {
    return guard([&] {
        staithe_block& result = given(block, "block");
        const auto blocks = given(variable, "variable").variable.blocks();
        const std::size_t place = index_of_block(index);
        if (place >= blocks.size()) {
            throw staithe::InvalidArgument("the variable has " + std::to_string(blocks.size()) +
                                           " blocks, there is no block " + std::to_string(index));
        }
        const auto& [rank, box] = blocks[place];
        result = {rank, static_cast<int32_t>(box.dimensions()), {}, {}};
        write_extents(box.offset, result.offset);
        write_extents(box.count, result.count);
    });
}

staithe_status staithe_variable_block_view(const staithe_variable* variable, int64_t index, staithe_view** view) {
    return guard([&] {
        staithe_view*& result = emptied(view, "view");
        result = new staithe_view{given(variable, "variable").variable.block(index_of_block(index))};
    });
}

staithe_status staithe_variable_share_of_blocks(const staithe_variable* variable, const staithe_group* group,
                                                int64_t* indices, size_t capacity, size_t* count) {
    return guard([&] {
        std::size_t& found = given(count, "count");
        const auto mine = given(variable, "variable").variable.share_of_blocks(group_or_alone(group));
        if (capacity > 0) {
            std::copy_n(mine.begin(), std::min(capacity, mine.size()), &given(indices, "indices"));
        }
        found = mine.size();
    });
}
}
