#include "format/hdf5/datatypes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "base/bytes.hpp"

namespace staithe::format::hdf5 {
namespace {

enum DatatypeClass : std::uint8_t { integers = 0, reals = 1, texts = 3, members = 6, enumerated = 8 };

/// What all types begin with.
struct TypeHead {
    int version = 0;
    int of_class = 0;
    std::uint32_t details = 0;  // bits, as the class has them
    std::uint32_t size = 0;
};

TypeHead take_head(base::ByteReader& in) {
    TypeHead head;
    const auto first = in.number<std::uint8_t>();
    head.version = first >> 4;
    head.of_class = first & 0x0f;
    for (std::uint32_t i = 0; i < 3; ++i) {
        head.details |= std::uint32_t{in.number<std::uint8_t>()} << 8 * i;
    }
    head.size = in.number<std::uint32_t>();
    return head;
}

std::optional<Dtype> integer_of(std::uint32_t size, bool is_signed) {
    switch (size) {
        case 1: return is_signed ? Dtype::i8 : Dtype::u8;
        case 2: return is_signed ? Dtype::i16 : Dtype::u16;
        case 4: return is_signed ? Dtype::i32 : Dtype::u32;
        case 8: return is_signed ? Dtype::i64 : Dtype::u64;
        default: return std::nullopt;
    }
}

/// Bits from the first to the last, and none between.
bool fills_its_bytes(base::ByteReader& in, std::uint32_t size) {
    const auto first = in.number<std::uint16_t>(), bits = in.number<std::uint16_t>();
    return first == 0 && bits == 8 * size;
}

std::optional<Dtype> real_of(std::uint32_t size, base::ByteReader& in) {
    struct Kind {
        Dtype dtype;
        std::uint32_t size;
        std::array<std::uint8_t, 4> places;  // of exponent and mantissa: where each begins, and its bits
        std::uint32_t bias;
    };
    constexpr std::array kinds{Kind{Dtype::f16, 2, {10, 5, 0, 10}, 15}, Kind{Dtype::f32, 4, {23, 8, 0, 23}, 127},
                               Kind{Dtype::f64, 8, {52, 11, 0, 52}, 1023}};
    const auto places = in.number<std::array<std::uint8_t, 4>>();
    const auto bias = in.number<std::uint32_t>();
    const auto* const found = std::ranges::find(kinds, size, &Kind::size);
    return found != kinds.end() && found->places == places && found->bias == bias ? std::optional(found->dtype)
                                                                                  : std::nullopt;
}

std::optional<ElementType> take_number(const TypeHead& head, base::ByteReader& in) {
    constexpr std::uint32_t big_endian = 0x01, is_signed = 0x08, of_vax = 0x40;
    if (!fills_its_bytes(in, head.size)) {
        return std::nullopt;
    }
    const auto dtype =
        head.of_class == integers ? integer_of(head.size, (head.details & is_signed) != 0) : real_of(head.size, in);
    if (!dtype || !in.ok() || (head.of_class == reals && (head.details & of_vax) != 0)) {
        return std::nullopt;
    }
    return ElementType{*dtype, (head.details & big_endian) != 0};
}

std::string take_name(base::ByteReader& in, bool is_padded) {
    std::string name;
    for (auto letter = in.number<char>(); letter != '\0' && in.ok(); letter = in.number<char>()) {
        name += letter;
    }
    in.raw(is_padded ? (8 - (name.size() + 1) % 8) % 8 : 0);
    return name;
}

/// A number of two parts, the imaginary one behind the real one, as h5py and others call them: two numbers by other
/// names are none.
std::optional<ElementType> take_complex(const TypeHead& head, base::ByteReader& in) {
    using Names = std::array<std::string, 2>;
    const std::array known{Names{"r", "i"}, Names{"re", "im"}, Names{"real", "imag"}};
    Names names;
    std::optional<ElementType> part;
    for (std::uint32_t member = 0; member < 2; ++member) {
        names.at(member) = take_name(in, head.version < 3);
        const std::uint32_t at = head.version < 3 ? in.number<std::uint32_t>() : in.number<std::uint8_t>();
        in.raw(head.version == 1 ? 28 : 0);  // of arrays, which have a type of their own since
        const TypeHead type = take_head(in);
        const auto here = type.of_class == reals ? take_number(type, in) : std::nullopt;
        const bool is_alike =
            !part || (here && here->dtype == part->dtype && here->is_big_endian == part->is_big_endian);
        if (!here || !is_alike || at != member * head.size / 2 || 2 * type.size != head.size) {
            return std::nullopt;
        }
        part = here;
    }
    if (!part || part->dtype == Dtype::f16 || std::ranges::find(known, names) == known.end()) {
        return std::nullopt;
    }
    return ElementType{part->dtype == Dtype::f32 ? Dtype::c64 : Dtype::c128, part->is_big_endian};
}

std::optional<ElementType> take_enumeration(const TypeHead& head, std::uint32_t count, base::ByteReader& in) {
    const TypeHead type = take_head(in);
    const auto number = type.of_class == integers ? take_number(type, in) : std::nullopt;
    if (!number || type.size != head.size) {
        return std::nullopt;
    }
    const auto is_called = [&](const char* name) { return take_name(in, head.version < 3) == name; };
    const bool is_boolean = count == 2 && type.size == 1 && is_called("FALSE") && is_called("TRUE");
    if (!is_boolean) {
        return number;
    }
    in.raw(2);  // 0 and 1
    return in.ok() ? std::optional(ElementType{Dtype::boolean}) : std::nullopt;
}

}  // namespace

std::optional<ElementType> element_type_in(std::span<const std::byte> datatype) {
    constexpr std::uint32_t count_bits = 0xffff;
    base::ByteReader in(datatype);
    const TypeHead head = take_head(in);
    const std::uint32_t count = head.details & count_bits;
    // 4 and 5 differ in other classes alone.
    if (!in.ok() || head.version < 1 || head.version > 5) {
        return std::nullopt;
    }
    switch (head.of_class) {
        case integers:
        case reals: return take_number(head, in);
        case members: return count == 2 ? take_complex(head, in) : std::nullopt;
        case enumerated: return take_enumeration(head, count, in);
        default: return std::nullopt;
    }
}

std::optional<std::size_t> bytes_of_text_type(std::span<const std::byte> datatype) {
    base::ByteReader in(datatype);
    const TypeHead head = take_head(in);
    return in.ok() && head.of_class == texts && head.size > 0 ? std::optional<std::size_t>(head.size) : std::nullopt;
}

}  // namespace staithe::format::hdf5
