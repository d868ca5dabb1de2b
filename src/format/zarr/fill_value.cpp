#include "format/zarr/fill_value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace staithe::format::zarr {
namespace {

/// The nearest half, as its bits.
std::uint16_t half_of(double number) {
    const std::uint16_t sign = std::signbit(number) ? 0x8000 : 0;
    const double magnitude = std::abs(number);
    if (std::isnan(number)) {
        return 0x7e00;
    }
    if (magnitude == 0) {
        return sign;
    }
    int exponent = 0;
    const double fraction = std::frexp(magnitude, &exponent);
    exponent += 14;
    double bits = std::nearbyint(std::ldexp(magnitude, 24));  // below the least that is normal
    if (exponent >= 1) {
        bits = std::isinf(magnitude) ? 0x7c00 : 1024.0 * exponent + std::nearbyint((2 * fraction - 1) * 1024);
    }
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::min(bits, double{0x7c00})));
}

template <class T>
bool put(T value, std::span<std::byte> to) {
    std::memcpy(to.data(), &value, sizeof(T));
    return true;
}

template <class T>
bool put_integer(const Value& value, std::span<std::byte> to) {
    if (const auto number = value.as_int()) {
        return std::in_range<T>(*number) && put(static_cast<T>(*number), to);
    }
    if (const std::string* const text = value.as_string()) {  // so from_json_of_others() has what no Value holds
        T number{};
        const auto [stop, error] = std::from_chars(text->data(), text->data() + text->size(), number);
        return error == std::errc() && stop == text->data() + text->size() && put(number, to);
    }
    const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const auto number = value.as_double();
    return number && *number >= static_cast<double>(std::numeric_limits<T>::min()) && *number < end &&
           put(static_cast<T>(*number), to);
}

/// Of a text that is the bits of a number.
bool put_bits(std::string_view text, std::span<std::byte> to) {
    std::uint64_t bits = 0;
    text.remove_prefix(2);
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
    std::memcpy(to.data(), &bits, std::min(to.size(), sizeof(bits)));
    return error == std::errc() && stop == text.data() + text.size() && text.size() == 2 * to.size();
}

std::optional<double> real_of(const Value& value) {
    const std::string* const text = value.as_string();
    if (text == nullptr) {
        return value.as_double();
    }
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return *text == "NaN"         ? std::optional(std::numeric_limits<double>::quiet_NaN())
           : *text == "Infinity"  ? std::optional(infinity)
           : *text == "-Infinity" ? std::optional(-infinity)
                                  : std::nullopt;
}

bool put_real(const Value& value, std::span<std::byte> to) {
    if (const std::string* const text = value.as_string(); text != nullptr && text->starts_with("0x")) {
        return put_bits(*text, to);
    }
    const auto number = real_of(value);
    if (!number) {
        return false;
    }
    switch (to.size()) {
        case 2: return put(half_of(*number), to);
        case 4: return put(static_cast<float>(*number), to);
        default: return put(*number, to);
    }
}

bool put_value(const Value& value, Dtype dtype, std::span<std::byte> to) {
    switch (dtype) {
        case Dtype::boolean: return value.as_bool() && put(static_cast<std::uint8_t>(*value.as_bool() ? 1 : 0), to);
        case Dtype::i8: return put_integer<std::int8_t>(value, to);
        case Dtype::i16: return put_integer<std::int16_t>(value, to);
        case Dtype::i32: return put_integer<std::int32_t>(value, to);
        case Dtype::i64: return put_integer<std::int64_t>(value, to);
        case Dtype::u8: return put_integer<std::uint8_t>(value, to);
        case Dtype::u16: return put_integer<std::uint16_t>(value, to);
        case Dtype::u32: return put_integer<std::uint32_t>(value, to);
        case Dtype::u64: return put_integer<std::uint64_t>(value, to);
        default: break;
    }
    if (dtype < Dtype::c64) {
        return put_real(value, to);
    }
    const List* const parts = value.as_list();
    const std::size_t half = to.size() / 2;
    return parts != nullptr ? parts->size() == 2 && put_real(parts->front(), to.first(half)) &&
                                  put_real(parts->back(), to.subspan(half))
                            : put_real(value, to.first(half));
}

}  // namespace

std::optional<FillValue> fill_value_in(const Value& value, Dtype dtype) {
    FillValue fill{};
    const bool is_null = value == Value();
    return is_null || put_value(value, dtype, std::span(fill).first(static_cast<std::size_t>(size_of(dtype))))
               ? std::optional(fill)
               : std::nullopt;
}

}  // namespace staithe::format::zarr
