#include "capi/convert.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

#include "capi/handles.hpp"
#include "capi/structures.hpp"

namespace staithe::capi {
namespace {

constexpr std::int64_t unset = STAITHE_UNSET;

constexpr staithe_group alone{0, 1, ""};
constexpr staithe_writer_options unset_writer_options{
    .struct_size = sizeof(staithe_writer_options),
    .group = alone,
    .timeout = STAITHE_UNSET,
    .queue_steps = unset,
    .queue_bytes = unset,
    .readers = unset,
    .overflow = nullptr,
    .spill_directory = nullptr,
    .spill_bytes = unset,
    .resume = 0,
    .placement = nullptr,
    .reserve_bytes = 0,
    .attributes = nullptr,
    .listen = nullptr,
    .address = nullptr,
    .error = nullptr,
    .keep_steps = unset,
    .keep_bytes = unset,
    .codec = nullptr,
};
constexpr staithe_reader_options unset_reader_options{
    .struct_size = sizeof(staithe_reader_options),
    .group = alone,
    .timeout = STAITHE_UNSET,
    .overflow = nullptr,
    .start = STAITHE_START_OLDEST,
    .resume = 0,
    .program = nullptr,
    .placement = nullptr,
    .listen = nullptr,
    .address = nullptr,
    .error = nullptr,
    .codec = nullptr,
    .derive = nullptr,
    .history = nullptr,
};
constexpr staithe_put_options unset_put_options{
    .struct_size = sizeof(staithe_put_options),
    .offset = nullptr,
    .shape = nullptr,
    .strides = nullptr,
    .order = STAITHE_ROW_MAJOR,
    .unit = nullptr,
    .attributes = nullptr,
    .error = nullptr,
};
constexpr staithe_space_options unset_space_options{
    .struct_size = sizeof(staithe_space_options),
    .group = alone,
    .timeout = STAITHE_UNSET,
    .server = nullptr,
};
constexpr staithe_space_put_options unset_space_put_options{
    .struct_size = sizeof(staithe_space_put_options),
    .offset = nullptr,
    .shape = nullptr,
    .strides = nullptr,
    .order = STAITHE_ROW_MAJOR,
    .unit = nullptr,
    .attributes = nullptr,
    .version = unset,
    .complete = 0,
    .overlap = STAITHE_UNSET,
    .persist = 0,
};
constexpr staithe_space_loan_options unset_space_loan_options{
    .struct_size = sizeof(staithe_space_loan_options),
    .box = nullptr,
    .shape = nullptr,
    .dimensions = 0,
    .dtype = STAITHE_UNSET,
    .order = STAITHE_ROW_MAJOR,
    .complete = 0,
    .version = unset,
    .unit = nullptr,
    .attributes = nullptr,
    .timeout = STAITHE_UNSET,
    .persist = 0,
};

const Attributes& attributes_of(const staithe_attributes* attributes) {
    static const Attributes none;
    return attributes == nullptr ? none : attributes->map;
}

bool is_column_major(staithe_order order) {
    if (order != STAITHE_ROW_MAJOR && order != STAITHE_COLUMN_MAJOR) {
        throw InvalidArgument("there is no order of number " + std::to_string(order) +
                              ": use STAITHE_ROW_MAJOR (0) or STAITHE_COLUMN_MAJOR (1)");
    }
    return order == STAITHE_COLUMN_MAJOR;
}

/// What the puts of steps and of spaces say alike.
template <class Options, class Given>
Put<Options> described_block(const Given& all, int64_t dimensions) {
    Put<Options> put;
    put.layout = {given_extents(all.strides, dimensions, "strides"), is_column_major(all.order)};
    put.options.offset = given_extents(all.offset, dimensions, "offset");
    put.options.shape = given_extents(all.shape, dimensions, "shape");
    put.options.unit = given_text(all.unit).value_or("");
    put.options.attributes = attributes_of(all.attributes);
    return put;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
    return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// "1e-3 rel" or "T=1e-3 rel, mask=exact". Names may have a `=` in them, bounds have none.
Errors errors_of(const char* text) {
    if (text == nullptr) {
        return {};
    }
    Errors errors;
    const std::string_view all = text;
    for (std::size_t next = 0; next <= all.size();) {
        const std::string_view entry = all.substr(next, std::min(all.find(',', next), all.size()) - next);
        next += entry.size() + 1;
        const std::size_t equals = entry.rfind('=');
        const bool is_named = equals != std::string_view::npos;
        const std::string name(is_named ? trimmed(entry.substr(0, equals)) : "*");
        const std::string bound(trimmed(is_named ? entry.substr(equals + 1) : entry));
        if (!errors.emplace(name, codecs::parse_bound(bound)).second) {
            throw InvalidArgument("the errors '" + std::string(text) + "' name '" + name + "' twice");
        }
    }
    return errors;
}

}  // namespace

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
    return number == unset ? std::nullopt : std::optional(number);
}

std::optional<double> given_number(double number) noexcept {
    return number == STAITHE_UNSET ? std::nullopt : std::optional(number);
}

std::optional<std::string> given_text(const char* text) {
    return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

std::optional<int> given_int(std::int64_t number, const char* name) {
    if (number == unset) {
        return std::nullopt;
    }
    if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max()) {
        throw InvalidArgument(std::string(name) + " cannot be " + std::to_string(number) +
                              ": give a number of 32 bits");
    }
    return static_cast<int>(number);
}

WriterOptions writer_options_of(const staithe_writer_options* options) {
    const staithe_writer_options all =
        complete(options, unset_writer_options, smallest_writer_options, "staithe_writer_options");
    WriterOptions result;
    result.group = group_of(all.group);
    result.timeout = given_number(all.timeout);
    result.queue_steps = given_int(all.queue_steps, "queue_steps");
    result.queue_bytes = given_number(all.queue_bytes);
    result.readers = given_int(all.readers, "readers");
    result.overflow = given_text(all.overflow);
    result.spill_directory = given_text(all.spill_directory);
    result.spill_bytes = given_number(all.spill_bytes);
    result.resume = all.resume != 0;
    result.placement = given_text(all.placement);
    result.reserve_bytes = all.reserve_bytes;
    result.attributes = attributes_of(all.attributes);
    result.listen = given_text(all.listen);
    result.address = given_text(all.address);
    result.error = errors_of(all.error);
    result.keep_steps = given_number(all.keep_steps);
    result.keep_bytes = given_number(all.keep_bytes);
    result.codec = given_text(all.codec);
    return result;
}

ReaderOptions reader_options_of(const staithe_reader_options* options) {
    const staithe_reader_options all =
        complete(options, unset_reader_options, smallest_reader_options, "staithe_reader_options");
    ReaderOptions result;
    result.group = group_of(all.group);
    result.timeout = given_number(all.timeout);
    result.overflow = given_text(all.overflow);
    result.start = all.start;
    result.resume = all.resume != 0;
    result.program = given_text(all.program).value_or("");
    result.placement = given_text(all.placement);
    result.listen = given_text(all.listen);
    result.address = given_text(all.address);
    result.error = errors_of(all.error);
    result.codec = given_text(all.codec).value_or("");
    if (all.derive != nullptr) {
        result.derive.emplace_back(all.derive);
    }
    result.history = given_text(all.history);
    return result;
}

SpaceOptions space_options_of(const staithe_space_options* options) {
    const staithe_space_options all =
        complete(options, unset_space_options, smallest_space_options, "staithe_space_options");
    return {group_of(all.group), given_number(all.timeout), given_text(all.server)};
}

SpaceGet space_get_of(std::int64_t version, const staithe_selection* box, double timeout) {
    return {.version = given_number(version), .box = given_box(box), .timeout = given_number(timeout)};
}

SpaceLend space_lend_of(const staithe_space_loan_options* options) {
    const staithe_space_loan_options all =
        complete(options, unset_space_loan_options, smallest_space_loan_options, "staithe_space_loan_options");
    SpaceLend result{.box = given_box(all.box), .version = given_number(all.version), .unit = given_text(all.unit)};
    if (all.dtype != STAITHE_UNSET) {
        result.dtype = dtype_of(all.dtype);
    }
    result.shape = given_extents(all.shape, all.dimensions, "shape");
    result.attributes = attributes_of(all.attributes);
    result.complete = all.complete != 0;
    result.persist = all.persist != 0;
    result.column_major = is_column_major(all.order);
    result.timeout = given_number(all.timeout);
    return result;
}

Put<PutOptions> put_of(const staithe_put_options* options, int64_t dimensions) {
    const staithe_put_options all = complete(options, unset_put_options, smallest_put_options, "staithe_put_options");
    auto put = described_block<PutOptions>(all, dimensions);
    if (all.error != nullptr) {
        put.options.error = codecs::parse_bound(all.error);
    }
    return put;
}

Put<SpacePut> put_of(const staithe_space_put_options* options, int64_t dimensions) {
    const staithe_space_put_options all =
        complete(options, unset_space_put_options, smallest_space_put_options, "staithe_space_put_options");
    auto put = described_block<SpacePut>(all, dimensions);
    put.options.version = given_number(all.version);
    put.options.complete = all.complete != 0;
    put.options.persist = all.persist != 0;
    if (all.overlap != STAITHE_UNSET) {
        put.options.overlap = all.overlap != 0;
    }
    return put;
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

void staithe_writer_options_init(staithe_writer_options* options, size_t struct_size) {
    staithe::capi::initialise(options, struct_size, staithe::capi::unset_writer_options);
}

void staithe_reader_options_init(staithe_reader_options* options, size_t struct_size) {
    staithe::capi::initialise(options, struct_size, staithe::capi::unset_reader_options);
}

void staithe_put_options_init(staithe_put_options* options, size_t struct_size) {
    staithe::capi::initialise(options, struct_size, staithe::capi::unset_put_options);
}

void staithe_space_options_init(staithe_space_options* options, size_t struct_size) {
    staithe::capi::initialise(options, struct_size, staithe::capi::unset_space_options);
}

void staithe_space_put_options_init(staithe_space_put_options* options, size_t struct_size) {
    staithe::capi::initialise(options, struct_size, staithe::capi::unset_space_put_options);
}

void staithe_space_loan_options_init(staithe_space_loan_options* options, size_t struct_size) {
    staithe::capi::initialise(options, struct_size, staithe::capi::unset_space_loan_options);
}

void staithe_text_free(char** text) {
    if (text != nullptr) {
        delete[] *text;
        *text = nullptr;
    }
}
}
