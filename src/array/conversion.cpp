#include "array/conversion.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "array/copy_plan.hpp"

namespace staithe::array {
namespace {

static_assert(sizeof(long double) == 16, "f128 is long double");

// As they lie in memory. A byte of another process may be neither 0 nor 1, so that it is no `bool` yet.
struct StoredBool {
    std::uint8_t byte;
};
struct StoredHalf {
    std::uint16_t bits;
};

float value_of(StoredHalf half) {
    // The exponent moves to where f32 has it, then from its bias to the other: right for subnormal numbers, too.
    const float magnitude = std::bit_cast<float>((half.bits & 0x7fffU) << 13U) * 0x1p112F;
    const std::uint32_t exponent = magnitude >= 0x1p16F ? 0x7f800000U : 0U;  // infinities and NaNs
    const std::uint32_t sign = (half.bits & 0x8000U) << 16U;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | exponent | sign);
}

/// Of an integer of 8 bits: f16 has them all.
StoredHalf half_of(int value) {
    const auto magnitude = static_cast<unsigned>(value < 0 ? -value : value);
    if (magnitude == 0) {
        return {0};
    }
    const auto exponent = static_cast<unsigned>(std::bit_width(magnitude)) - 1;
    const unsigned bits = ((exponent + 15) << 10U) | ((magnitude << (10 - exponent)) & 0x3ffU);
    return {static_cast<std::uint16_t>(bits | (value < 0 ? 0x8000U : 0U))};
}

template <class T>
constexpr bool is_complex = false;
template <class T>
constexpr bool is_complex<std::complex<T>> = true;

template <class To, class From>
To cast(const From& value) {
    if constexpr (std::is_same_v<From, StoredBool>) {
        return cast<To>(static_cast<std::uint8_t>(value.byte != 0 ? 1 : 0));
    } else if constexpr (std::is_same_v<From, StoredHalf>) {
        return cast<To>(value_of(value));
    } else if constexpr (std::is_same_v<To, StoredHalf>) {
        return half_of(value);
    } else if constexpr (is_complex<From>) {
        using Part = typename To::value_type;
        return {static_cast<Part>(value.real()), static_cast<Part>(value.imag())};
    } else if constexpr (is_complex<To>) {
        return static_cast<typename To::value_type>(value);
    } else {
        return static_cast<To>(value);
    }
}

template <class To, class From>
void convert_one(std::byte* to, const std::byte* from) {
    From value{};
    std::memcpy(&value, from, sizeof value);
    const To result = cast<To>(value);
    std::memcpy(to, &result, sizeof result);
}

using ConvertRow = void(std::byte* to, const std::byte* from, const Loop& row);

template <class To, class From>
void convert_row(std::byte* to, const std::byte* from, const Loop& row) {
    if (row.destination == sizeof(To) && row.source == sizeof(From)) {  // strides that the compiler knows
        for (std::int64_t i = 0; i < row.count; ++i) {
            convert_one<To, From>(to + i * std::int64_t{sizeof(To)}, from + i * std::int64_t{sizeof(From)});
        }
    } else {
        for (std::int64_t i = 0; i < row.count; ++i) {
            convert_one<To, From>(to + i * row.destination, from + i * row.source);
        }
    }
}

template <Dtype Name, class T>
struct Stored {
    static constexpr Dtype dtype = Name;
    using Type = T;
};

template <class Use>
auto with_stored(Dtype dtype, const Use& use) {
    switch (dtype) {
        case Dtype::boolean: return use(Stored<Dtype::boolean, StoredBool>());
        case Dtype::i8: return use(Stored<Dtype::i8, std::int8_t>());
        case Dtype::i16: return use(Stored<Dtype::i16, std::int16_t>());
        case Dtype::i32: return use(Stored<Dtype::i32, std::int32_t>());
        case Dtype::i64: return use(Stored<Dtype::i64, std::int64_t>());
        case Dtype::u8: return use(Stored<Dtype::u8, std::uint8_t>());
        case Dtype::u16: return use(Stored<Dtype::u16, std::uint16_t>());
        case Dtype::u32: return use(Stored<Dtype::u32, std::uint32_t>());
        case Dtype::u64: return use(Stored<Dtype::u64, std::uint64_t>());
        case Dtype::f16: return use(Stored<Dtype::f16, StoredHalf>());
        case Dtype::f32: return use(Stored<Dtype::f32, float>());
        case Dtype::f64: return use(Stored<Dtype::f64, double>());
        case Dtype::f128: return use(Stored<Dtype::f128, long double>());
        case Dtype::c64: return use(Stored<Dtype::c64, std::complex<float>>());
        case Dtype::c128: return use(Stored<Dtype::c128, std::complex<double>>());
        case Dtype::c256: break;
    }
    return use(Stored<Dtype::c256, std::complex<long double>>());
}

ConvertRow* row_converter(Dtype to, Dtype from) {
    return with_stored(from, [to](auto source) {
        return with_stored(to, [](auto destination) -> ConvertRow* {
            using Source = decltype(source);
            using Destination = decltype(destination);
            if constexpr (Source::dtype != Destination::dtype && is_safe_cast(Source::dtype, Destination::dtype)) {
                return &convert_row<typename Destination::Type, typename Source::Type>;
            } else {
                return nullptr;
            }
        });
    });
}

/// Where source and destination run fastest along different dimensions: in tiles that stay in the nearest cache, since
/// each line of the source has several elements of a tile. `convert_rows(outer loops, row)`.
template <class ConvertRows>
void in_tiles(CopyPlan outer, const Loop& row, const ConvertRows& convert_rows) {
    constexpr std::int64_t length = 64;
    constexpr std::int64_t breadth = 16;
    std::swap(outer.loops[fastest_in_source(outer)], outer.loops[outer.depth - 1]);
    const Loop across = outer.loops[--outer.depth];
    nest(std::span(outer.loops.data(), outer.depth), outer.destination, outer.source,
         [&](std::byte* to, const std::byte* from) {
             for (std::int64_t i = 0; i < row.count; i += length) {
                 for (std::int64_t j = 0; j < across.count; j += breadth) {
                     CopyPlan tile;
                     tile.destination = to + i * row.destination + j * across.destination;
                     tile.source = from + i * row.source + j * across.source;
                     tile.depth = 1;
                     tile.loops[0] = {std::min(breadth, across.count - j), across.destination, across.source};
                     convert_rows(tile, {std::min(length, row.count - i), row.destination, row.source});
                 }
             }
         });
}

bool is_integer(Dtype dtype) { return dtype >= Dtype::i8 && dtype <= Dtype::u64; }
bool is_complex_dtype(Dtype dtype) { return dtype >= Dtype::c64; }

}  // namespace

void convert(const MutableArrayView& destination, const ArrayView& source) noexcept {
    assert(destination.shape == source.shape);
    ConvertRow* const convert_row_here = row_converter(destination.dtype, source.dtype);
    assert(convert_row_here != nullptr);
    CopyPlan plan = plan_conversion(destination, source);
    if (plan.run == 0) {
        return;
    }
    if (plan.depth == 0) {
        convert_row_here(plan.destination, plan.source, {1, 0, 0});
        return;
    }
    const Loop row = plan.loops[--plan.depth];
    const auto convert_rows = [&](const CopyPlan& rows, const Loop& part) {
        nest(std::span(rows.loops.data(), rows.depth), rows.destination, rows.source,
             [&](std::byte* to, const std::byte* from) { convert_row_here(to, from, part); });
    };
    if (plan.depth == 0 || std::abs(row.source) <= std::abs(plan.loops[fastest_in_source(plan)].source)) {
        convert_rows(plan, row);
    } else {
        in_tiles(plan, row, convert_rows);
    }
}

const char* what_is_lost(Dtype from, Dtype to) noexcept {
    if (to == Dtype::boolean) {
        return "all but whether they are zero";
    }
    if (is_complex_dtype(from) && !is_complex_dtype(to)) {
        return "imaginary parts";
    }
    if (is_integer(to)) {
        return is_integer(from) ? "numbers beyond its range" : "fractions, and numbers beyond its range";
    }
    return "digits";
}

}  // namespace staithe::array
