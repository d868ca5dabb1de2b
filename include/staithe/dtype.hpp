// The element types that Staithe moves.
//
// A `Dtype` says how many bytes one element has and how it is shown; the data itself is moved as it lies in memory, in
// the byte order of the machine. Names are NumPy's short names ("f8", "c16"). Pure values, usable from any thread;
// nothing here throws or blocks.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include <staithe/export.hpp>

namespace staithe {

/// The type of an array's elements.
// The numbers are part of what processes tell each other: append, never reorder.
enum class Dtype : std::uint8_t {
    boolean,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    f16,
    f32,
    f64,
    f128,  // long double: on x86 80 significant bits in 16 bytes
    c64,   // complex numbers are named by all their bits: two f32
    c128,
    c256,
};

inline constexpr std::size_t dtype_count = 16;

/// Bytes of one element.
[[nodiscard]] constexpr std::int64_t size_of(Dtype dtype) noexcept {
    switch (dtype) {
        case Dtype::boolean:
        case Dtype::i8:
        case Dtype::u8: return 1;
        case Dtype::i16:
        case Dtype::u16:
        case Dtype::f16: return 2;
        case Dtype::i32:
        case Dtype::u32:
        case Dtype::f32: return 4;
        case Dtype::i64:
        case Dtype::u64:
        case Dtype::f64:
        case Dtype::c64: return 8;
        case Dtype::f128:
        case Dtype::c128: return 16;
        case Dtype::c256: return 32;
    }
    return 0;
}

/// NumPy's short name: "bool", "i1" … "i8", "u1" … "u8", "f2" … "f16", "c8", "c16", "c32".
[[nodiscard]] STAITHE_API const char* name_of(Dtype dtype) noexcept;

[[nodiscard]] STAITHE_API std::optional<Dtype> dtype_from_name(std::string_view name) noexcept;

/// The dtype of a number that another process sent; nothing if there is no such dtype.
[[nodiscard]] constexpr std::optional<Dtype> dtype_from_code(std::uint64_t code) noexcept {
    return code < dtype_count ? std::optional(static_cast<Dtype>(code)) : std::nullopt;
}

/// Whether numbers of one type can all be written as another without losing any, as NumPy's "safe" casting has it: to
/// where range and digits suffice, and from 64-bit integers to f64.
[[nodiscard]] constexpr bool is_safe_cast(Dtype from, Dtype to) noexcept {
    enum class Kind : std::uint8_t { boolean, unsigned_integer, integer, real, complex };
    struct Part {  // of a complex number, the real part or the imaginary one
        Kind kind;
        std::int64_t bytes;
    };
    constexpr auto part_of = [](Dtype dtype) -> Part {
        const std::int64_t bytes = size_of(dtype);
        return dtype == Dtype::boolean ? Part{Kind::boolean, bytes}
               : dtype < Dtype::u8     ? Part{Kind::integer, bytes}
               : dtype < Dtype::f16    ? Part{Kind::unsigned_integer, bytes}
               : dtype < Dtype::c64    ? Part{Kind::real, bytes}
                                       : Part{Kind::complex, bytes / 2};
    };
    const Part given = part_of(from);
    const Part taken = part_of(to);
    if (given.kind == Kind::boolean || given.kind > taken.kind) {
        return given.kind == Kind::boolean;
    }
    const bool integral = given.kind < Kind::real;
    if (integral && taken.kind >= Kind::real) {
        return taken.bytes >= std::min<std::int64_t>(2 * given.bytes, 8);
    }
    return taken.bytes >= (integral && given.kind != taken.kind ? 2 : 1) * given.bytes;
}

/// A C++ type that has a dtype: one number.
template <class T>
concept Element = std::is_arithmetic_v<T> || std::is_same_v<std::remove_cv_t<T>, std::byte> ||
                  std::is_same_v<std::remove_cv_t<T>, std::complex<float>> ||
                  std::is_same_v<std::remove_cv_t<T>, std::complex<double>> ||
                  std::is_same_v<std::remove_cv_t<T>, std::complex<long double>>;

/// The dtype of a C++ type, known at compile time. Half precision has no standard C++ type: name it explicitly.
template <class T>
[[nodiscard]] constexpr Dtype dtype_of() noexcept {
    using Element = std::remove_cv_t<T>;
    constexpr auto by_size = [](Dtype one, Dtype two, Dtype four, Dtype eight) {
        return sizeof(Element) == 1 ? one : sizeof(Element) == 2 ? two : sizeof(Element) == 4 ? four : eight;
    };
    if constexpr (std::is_same_v<Element, bool>) {
        return Dtype::boolean;
    } else if constexpr (std::is_integral_v<Element> && std::is_signed_v<Element>) {
        return by_size(Dtype::i8, Dtype::i16, Dtype::i32, Dtype::i64);
    } else if constexpr (std::is_integral_v<Element> || std::is_same_v<Element, std::byte>) {
        return by_size(Dtype::u8, Dtype::u16, Dtype::u32, Dtype::u64);
    } else if constexpr (std::is_same_v<Element, float>) {
        return Dtype::f32;
    } else if constexpr (std::is_same_v<Element, double>) {
        return Dtype::f64;
    } else if constexpr (std::is_same_v<Element, std::complex<float>>) {
        return Dtype::c64;
    } else if constexpr (std::is_same_v<Element, std::complex<double>>) {
        return Dtype::c128;
    } else if constexpr (std::is_same_v<Element, long double> && sizeof(long double) == 16) {
        return Dtype::f128;
    } else {
        static_assert(std::is_same_v<Element, std::complex<long double>> && sizeof(long double) == 16,
                      "Staithe has no dtype for this C++ type");
        return Dtype::c256;
    }
}

}  // namespace staithe
