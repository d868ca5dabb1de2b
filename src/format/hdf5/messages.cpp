#include "format/hdf5/messages.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include <staithe/box.hpp>

#include "base/bytes.hpp"
#include "format/blosc.hpp"

namespace staithe::format::hdf5 {
namespace {

using base::ByteReader;
using base::ByteWriter;
using base::fail;

constexpr std::uint8_t byte_of(int number) { return static_cast<std::uint8_t>(number); }

/// The class of a datatype is in its first byte with the version; three bytes say more, as the class has it.
void begin_type(ByteWriter& out, int version, int of_class, std::array<std::uint8_t, 3> details, std::uint32_t size) {
    out.number(byte_of(version << 4 | of_class));
    out.number(details);
    out.number(size);
}

enum TypeClass : std::uint8_t {
    fixed_point = 0,
    floating_point = 1,
    text = 3,
    compound = 6,
    reference = 7,
    enumeration = 8,
    variable_length = 9
};

/// Of the kinds of variable length.
constexpr std::uint8_t variable_length_text = 1;

Bytes encode_integer(std::uint32_t size, bool is_signed) {
    ByteWriter out;
    begin_type(out, 1, fixed_point, {byte_of(is_signed ? 8 : 0), 0, 0}, size);
    out.number(std::uint16_t{0});  // bit at which it begins
    out.number(static_cast<std::uint16_t>(8 * size));
    return bytes_in(out);
}

struct FloatingPoint {
    std::uint32_t size;
    std::uint8_t exponent_bits, mantissa_bits;
    std::uint32_t bias;
};
constexpr FloatingPoint half{2, 5, 10, 15};
constexpr FloatingPoint single{4, 8, 23, 127};
constexpr FloatingPoint twofold{8, 11, 52, 1023};

Bytes encode_floating_point(const FloatingPoint& type) {
    ByteWriter out;
    constexpr std::uint8_t first_bit_is_implied = 0x20;
    begin_type(out, 1, floating_point, {first_bit_is_implied, static_cast<std::uint8_t>(8 * type.size - 1), 0},
               type.size);
    out.number(std::uint16_t{0});
    out.number(static_cast<std::uint16_t>(8 * type.size));
    out.number(type.mantissa_bits);  // where the exponent begins
    out.number(type.exponent_bits);
    out.number(std::uint8_t{0});  // where the mantissa begins
    out.number(type.mantissa_bits);
    out.number(type.bias);
    return bytes_in(out);
}

void end_name(ByteWriter& out, std::string_view name) {
    out.raw(name);
    out.number(std::uint8_t{0});
}

Bytes encode_complex(const FloatingPoint& part) {
    ByteWriter out;
    begin_type(out, 3, compound, {2, 0, 0}, 2 * part.size);  // of two members
    const Bytes type = encode_floating_point(part);
    for (const std::uint32_t member : {0U, 1U}) {
        end_name(out, member == 0 ? "r" : "i");
        out.number(static_cast<std::uint8_t>(member * part.size));  // where it begins
        out.raw(type);
    }
    return bytes_in(out);
}

Bytes encode_boolean() {
    ByteWriter out;
    begin_type(out, 3, enumeration, {2, 0, 0}, 1);
    out.raw(encode_integer(1, true));
    end_name(out, "FALSE");
    end_name(out, "TRUE");
    out.number(std::uint8_t{0});
    out.number(std::uint8_t{1});
    return bytes_in(out);
}

constexpr std::string_view blosc_name = "blosc";
constexpr std::string_view payload_name = "staithe";
constexpr std::uint32_t payload_version = 1;
/// Of filter and of format: what the filter itself writes there.
constexpr std::uint32_t blosc_version = 2;

/// The step, and those of an array.
constexpr std::size_t most_dimensions = max_dimensions + 1;

Bytes encode_filter(std::uint16_t filter, std::string_view name, std::span<const std::uint32_t> told) {
    ByteWriter out;
    out.number(std::uint8_t{2});  // version
    out.number(std::uint8_t{1});  // filter
    out.number(filter);
    out.number(static_cast<std::uint16_t>(name.size() + 1));
    out.number(std::uint16_t{0});  // without it nothing can be read
    out.number(static_cast<std::uint16_t>(told.size()));
    end_name(out, name);
    for (const std::uint32_t number : told) {
        out.number(number);
    }
    return bytes_in(out);
}

}  // namespace

Bytes bytes_in(const ByteWriter& out) { return {out.bytes().begin(), out.bytes().end()}; }

Bytes encode_datatype(Dtype dtype) {
    const auto size = static_cast<std::uint32_t>(size_of(dtype));
    switch (dtype) {
        case Dtype::boolean: return encode_boolean();
        case Dtype::f16: return encode_floating_point(half);
        case Dtype::f32: return encode_floating_point(single);
        case Dtype::f64: return encode_floating_point(twofold);
        case Dtype::c64: return encode_complex(single);
        case Dtype::c128: return encode_complex(twofold);
        case Dtype::f128:
        case Dtype::c256: return {};
        default: return encode_integer(size, dtype < Dtype::u8);
    }
}

Bytes encode_text_type() {
    ByteWriter out;
    constexpr std::uint8_t is_utf8 = 1;
    begin_type(out, 1, variable_length, {variable_length_text, is_utf8, 0}, 16);
    out.raw(encode_integer(1, false));
    return bytes_in(out);
}

Bytes encode_text_type(std::size_t bytes) {
    ByteWriter out;
    begin_type(out, 1, text, {0, 0, 0}, static_cast<std::uint32_t>(bytes));
    return bytes_in(out);
}

Bytes encode_reference_list_type() {
    ByteWriter out;
    begin_type(out, 1, variable_length, {0, 0, 0}, 16);
    begin_type(out, 1, reference, {0, 0, 0}, sizeof(Address));
    return bytes_in(out);
}

bool is_text_type(std::span<const std::byte> datatype) {
    constexpr std::uint8_t low_half = 0x0f;
    ByteReader in(datatype);
    const int of_class = in.number<std::uint8_t>() & low_half, kind = in.number<std::uint8_t>() & low_half;
    return in.ok() && of_class == variable_length && kind == variable_length_text;
}

bool is_boolean_type(std::span<const std::byte> datatype) {
    ByteReader in(datatype);
    const int of_class = in.number<std::uint8_t>() & 0x0f;
    in.raw(3);
    return in.number<std::uint32_t>() == 1 && of_class == enumeration && in.ok();
}

Bytes encode_dataspace(const Shape& shape, bool grows) {
    ByteWriter out;
    out.number(std::uint8_t{2});  // version
    out.number(byte_of(static_cast<int>(shape.size())));
    out.number(byte_of(grows ? 1 : 0));
    out.number(byte_of(shape.empty() ? 0 : 1));
    for (const std::uint64_t length : shape) {
        out.number(length);
    }
    for (std::size_t i = 0; i < shape.size() && grows; ++i) {
        out.number(i == 0 ? Dataspace::without_limit : shape[i]);
    }
    return bytes_in(out);
}

bool is_of_no_array(std::span<const std::byte> dataspace) {
    constexpr std::uint8_t null = 2, most_of_hdf5 = 32;
    ByteReader in(dataspace);
    const auto version = in.number<std::uint8_t>(), dimensions = in.number<std::uint8_t>();
    in.raw(1);
    const auto kind = in.number<std::uint8_t>();
    return in.ok() && ((version == 2 && kind == null) || (dimensions > most_dimensions && dimensions <= most_of_hdf5));
}

/// Version 1, which h5py writes, too, has other bytes between.
base::Result<Dataspace> dataspace_in(std::span<const std::byte> message) {
    constexpr std::uint8_t has_limits = 1;
    ByteReader in(message);
    const auto version = in.number<std::uint8_t>(), dimensions = in.number<std::uint8_t>();
    const auto flags = in.number<std::uint8_t>();
    const auto kind = version == 2 ? in.number<std::uint8_t>() : std::uint8_t{0};
    if (version < 1 || version > 2 || kind > 1 || dimensions > most_dimensions) {
        return fail(ErrorCode::protocol, "has a shape that this version does not read");
    }
    in.raw(version == 1 ? 5 : 0);
    Dataspace space;
    for (int i = 0; i < dimensions; ++i) {
        space.shape.push_back(in.number<std::uint64_t>());
    }
    for (int i = 0; i < dimensions && (flags & has_limits) != 0; ++i) {
        space.most.push_back(in.number<std::uint64_t>());
    }
    return in.ok() ? base::Result<Dataspace>(std::move(space))
                   : fail(ErrorCode::protocol, "has a shape that ends too soon");
}

Bytes encode_filters(const ArrayNode& node) {
    const Dtype dtype = node.info.dtype;
    const Extents& chunk = node.grid.count;
    if (node.packing == Packing::payload) {
        std::vector<std::uint32_t> told{payload_version, static_cast<std::uint32_t>(dtype)};
        std::ranges::transform(chunk, std::back_inserter(told),
                               [](std::int64_t length) { return static_cast<std::uint32_t>(length); });
        return encode_filter(payload_filter, payload_name, told);
    }
    const BloscWay& way = blosc_way(node.codec);
    const std::array<std::uint32_t, 7> told{blosc_version,
                                            blosc_version,
                                            static_cast<std::uint32_t>(size_of(dtype)),
                                            static_cast<std::uint32_t>(size_in_bytes(chunk, dtype).value_or(0)),
                                            static_cast<std::uint32_t>(way.level),
                                            1,  // shuffle
                                            way.number};
    return encode_filter(blosc_filter, blosc_name, told);
}

base::Result<std::vector<FilterMessage>> filters_in(std::span<const std::byte> message) {
    constexpr int first_with_name = 256;
    ByteReader in(message);
    const auto version = in.number<std::uint8_t>(), count = in.number<std::uint8_t>();
    in.raw(version == 1 ? 6 : 0);
    std::vector<FilterMessage> filters;
    for (int i = 0; i < count && in.ok(); ++i) {
        FilterMessage filter{.number = in.number<std::uint16_t>(), .told = {}};
        const bool has_name = version == 1 || filter.number >= first_with_name;
        const std::size_t name = has_name ? in.number<std::uint16_t>() : 0;
        in.raw(2);  // whether chunks may be left as they are
        const auto numbers = in.number<std::uint16_t>();
        in.raw(version == 1 ? (name + 7) / 8 * 8 : name);
        for (int number = 0; number < numbers && in.ok(); ++number) {
            filter.told.push_back(in.number<std::uint32_t>());
        }
        in.raw(version == 1 && numbers % 2 != 0 ? 4 : 0);
        filters.push_back(std::move(filter));
    }
    return in.ok() && (version == 1 || version == 2)
               ? base::Result<std::vector<FilterMessage>>(std::move(filters))
               : fail(ErrorCode::protocol, "has filters that this version does not read");
}

std::span<const std::byte> fill_value_of(const Message& message) {
    constexpr std::uint8_t is_defined = 0x20;
    ByteReader in(message.content);
    if (message.kind == MessageKind::fill_value) {
        const auto version = in.number<std::uint8_t>();
        const auto flags = in.number<std::uint8_t>();
        in.raw(version < 3 ? 1 : 0);
        const bool is_there = version < 3 ? in.number<std::uint8_t>() != 0 || version == 1 : (flags & is_defined) != 0;
        if (!is_there) {
            return {};
        }
    }
    return in.sized();
}

Bytes encode_fill_value(bool has_chunks) {
    constexpr int late = 2, incrementally = 3, if_set = 2 << 2;
    ByteWriter out;
    out.number(std::uint8_t{3});  // version
    out.number(byte_of((has_chunks ? incrementally : late) | if_set));
    return bytes_in(out);
}

Bytes encode_link(std::string_view name, Address object) {
    ByteWriter out;
    constexpr std::uint8_t says_charset = 0x10;
    out.number(std::uint8_t{1});  // version
    out.number(says_charset);
    out.number(std::uint8_t{1});  // UTF-8
    out.number(static_cast<std::uint8_t>(name.size()));
    out.raw(name);
    out.number(object);
    return bytes_in(out);
}

base::Result<std::optional<Link>> link_in(std::span<const std::byte> message) {
    ByteReader in(message);
    const auto version = in.number<std::uint8_t>(), flags = in.number<std::uint8_t>();
    const auto kind = (flags & 0x08) != 0 ? in.number<std::uint8_t>() : std::uint8_t{0};
    if ((flags & 0x04) != 0) {
        in.raw(8);  // when it was made
    }
    if ((flags & 0x10) != 0) {
        in.raw(1);
    }
    std::uint64_t length = 0;
    switch (flags & 0x03) {
        case 0: length = in.number<std::uint8_t>(); break;
        case 1: length = in.number<std::uint16_t>(); break;
        case 2: length = in.number<std::uint32_t>(); break;
        default: length = in.number<std::uint64_t>(); break;
    }
    const auto name = in.raw(length);
    if (kind != 0 && in.ok() && version == 1) {
        return std::nullopt;
    }
    const auto object = in.number<Address>();
    if (!in.ok() || version != 1) {
        return fail(ErrorCode::protocol, "a link is of a kind that this version does not read");
    }
    return Link{{reinterpret_cast<const char*>(name.data()), name.size()}, object};
}

}  // namespace staithe::format::hdf5
