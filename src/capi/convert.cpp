#include "capi/convert.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "capi/handles.hpp"

namespace staithe::capi {

Dtype dtype_of(staithe_dtype dtype) {
    const auto known = dtype_from_code(static_cast<std::uint64_t>(dtype));
    if (!known) {
        throw InvalidArgument("there is no dtype of number " + std::to_string(dtype) +
                              ": use STAITHE_BOOL (0) to STAITHE_C256 (15), such as STAITHE_F64 for double");
    }
    return *known;
}

Extents extents_of(const int64_t* numbers, int64_t dimensions, const char* name) {
    if (dimensions < 0 || dimensions > STAITHE_MAX_DIMENSIONS) {
        throw InvalidArgument("an array has 0 to 8 dimensions, not " + std::to_string(dimensions));
    }
    if (dimensions == 0) {
        return {};
    }
    return Extents(std::span(&given(numbers, name), static_cast<std::size_t>(dimensions)));
}

std::optional<Extents> given_extents(const int64_t* numbers, int64_t dimensions, const char* name) {
    return numbers == nullptr ? std::nullopt : std::optional(extents_of(numbers, dimensions, name));
}

Selection selection_of(const staithe_selection& selection) {
    static_cast<void>(extents_of(selection.count, selection.dimensions, "selection"));
    Selection result;
    for (int64_t i = 0; i < selection.dimensions; ++i) {
        result.push_back({selection.start[i], selection.step[i], selection.count[i]});
    }
    return result;
}

std::optional<Selection> given_selection(const staithe_selection* selection) {
    return selection == nullptr ? std::nullopt : std::optional(selection_of(*selection));
}

Box box_of(const staithe_selection& selection) {
    Box box;
    for (const Slice& slice : selection_of(selection)) {
        if (slice.step != 1) {
            throw InvalidArgument("a box has no steps, and the selection has one of " + std::to_string(slice.step) +
                                  ": make it by staithe_selection_box");
        }
        box.offset.push_back(slice.start);
        box.count.push_back(slice.count);
    }
    return box;
}

std::optional<Box> given_box(const staithe_selection* selection) {
    return selection == nullptr ? std::nullopt : std::optional(box_of(*selection));
}

Group group_of(const staithe_group& group) {
    if (std::find(std::begin(group.id), std::end(group.id), '\0') == std::end(group.id)) {
        throw InvalidArgument("the id of a group is a text of at most " + std::to_string(sizeof(group.id) - 1) +
                              " bytes");
    }
    return {group.rank, group.size, group.id};
}

std::optional<std::int64_t> given_number(std::int64_t number) noexcept {
    return number == STAITHE_UNSET ? std::nullopt : std::optional(number);
}

std::optional<double> given_number(double number) noexcept {
    return number == STAITHE_UNSET ? std::nullopt : std::optional(number);
}

std::optional<std::string> given_text(const char* text) {
    return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

std::optional<int> given_int(std::int64_t number, const char* name) {
    if (number == STAITHE_UNSET) {
        return std::nullopt;
    }
    if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max()) {
        throw InvalidArgument(std::string(name) + " cannot be " + std::to_string(number) +
                              ": give a number of 32 bits");
    }
    return static_cast<int>(number);
}

ArrayView array_of(const void* data, Dtype dtype, const Extents& count, const Layout& layout) {
    if (data == nullptr && !is_empty(count)) {
        throw InvalidArgument("the argument 'data' is NULL");
    }
    const std::int64_t item = size_of(dtype);
    const auto dense = layout.column_major ? column_major_strides(count, item) : row_major_strides(count, item);
    return {data, dtype, count, layout.strides.value_or(dense)};
}

std::optional<std::vector<std::int64_t>> given_axes(const int64_t* axes, std::size_t count) {
    return axes == nullptr ? std::nullopt : std::optional(std::vector<std::int64_t>(axes, axes + count));
}

MutableArrayView destination_of(void* destination, staithe_dtype dtype, const Extents& shape, const int64_t* strides) {
    auto array = MutableArrayView::row_major(destination, dtype_of(dtype), shape);
    if (destination == nullptr && !is_empty(shape)) {
        throw InvalidArgument("the argument 'destination' is NULL");
    }
    if (strides != nullptr) {
        array.strides = extents_of(strides, static_cast<int64_t>(shape.size()), "strides");
    }
    return array;
}

void write_extents(const Extents& extents, int64_t* numbers) noexcept {
    std::copy(extents.begin(), extents.end(), numbers);
}

staithe_group to_c(const Group& group) noexcept {
    staithe_group result{group.rank, group.size, ""};
    group.id.copy(result.id, sizeof(result.id) - 1);
    return result;
}

staithe_selection to_c(const Selection& selection) noexcept {
    staithe_selection result{};
    result.dimensions = static_cast<int64_t>(selection.size());
    for (std::size_t i = 0; i < selection.size(); ++i) {
        result.start[i] = selection[i].start;
        result.step[i] = selection[i].step;
        result.count[i] = selection[i].count;
    }
    return result;
}

staithe_array to_c(const ArrayView& array) noexcept {
    staithe_array result{};
    result.data = array.data;
    result.dtype = static_cast<staithe_dtype>(array.dtype);
    result.dimensions = static_cast<int32_t>(array.dimensions());
    write_extents(array.shape, result.shape);
    write_extents(array.strides, result.strides);
    return result;
}

char* new_text(const std::string& text) {
    char* copy = new char[text.size() + 1];
    std::memcpy(copy, text.c_str(), text.size() + 1);
    return copy;
}

}  // namespace staithe::capi

extern "C" {

void staithe_text_free(char** text) {
    if (text != nullptr) {
        delete[] *text;
        *text = nullptr;
    }
}
}
