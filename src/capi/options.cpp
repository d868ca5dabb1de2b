#include "capi/options.hpp"

#include <algorithm>
#include <string_view>

#include "capi/handles.hpp"
#include "capi/structures.hpp"

namespace staithe::capi {
namespace {

constexpr staithe_group alone{0, 1, ""};
constexpr staithe_writer_options unset_writer_options{
    .struct_size = sizeof(staithe_writer_options),
    .group = alone,
    .timeout = STAITHE_UNSET,
    .queue_steps = STAITHE_UNSET,
    .queue_bytes = STAITHE_UNSET,
    .readers = STAITHE_UNSET,
    .overflow = nullptr,
    .spill_directory = nullptr,
    .spill_bytes = STAITHE_UNSET,
    .resume = 0,
    .placement = nullptr,
    .reserve_bytes = 0,
    .attributes = nullptr,
    .listen = nullptr,
    .address = nullptr,
    .error = nullptr,
    .keep_steps = STAITHE_UNSET,
    .keep_bytes = STAITHE_UNSET,
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
constexpr staithe_recorder_options unset_recorder_options{
    .struct_size = sizeof(staithe_recorder_options),
    .attributes = nullptr,
    .error = nullptr,
    .codec = nullptr,
    .variables = nullptr,
    .variable_count = 0,
    .resume = 0,
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
    .version = STAITHE_UNSET,
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
    .version = STAITHE_UNSET,
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

RecorderOptions recorder_options_of(const staithe_recorder_options* options) {
    const staithe_recorder_options all =
        complete(options, unset_recorder_options, smallest_recorder_options, "staithe_recorder_options");
    RecorderOptions result;
    result.attributes = attributes_of(all.attributes);
    result.error = errors_of(all.error);
    result.codec = given_text(all.codec).value_or("");
    for (std::size_t i = 0; i < all.variable_count; ++i) {
        result.variables.emplace_back(&given((&given(all.variables, "variables"))[i], "variables"));
    }
    result.resume = all.resume != 0;
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

}  // namespace staithe::capi

extern "C" {

void staithe_writer_options_init(staithe_writer_options* options, size_t struct_size) {
    staithe::capi::initialise(options, struct_size, staithe::capi::unset_writer_options);
}

void staithe_reader_options_init(staithe_reader_options* options, size_t struct_size) {
    staithe::capi::initialise(options, struct_size, staithe::capi::unset_reader_options);
}

void staithe_recorder_options_init(staithe_recorder_options* options, size_t struct_size) {
    staithe::capi::initialise(options, struct_size, staithe::capi::unset_recorder_options);
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
}
