#include "transform/expression/kinds.hpp"

#include <algorithm>

namespace staithe::transform::expression {
namespace {

enum class Precision : std::uint8_t { single, twice, extended };

/// Of the floating-point numbers that have its values, or nearly so.
Precision precision_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::boolean:
        case Dtype::f32:
        case Dtype::c64: return Precision::single;
        case Dtype::f128:
        case Dtype::c256: return Precision::extended;
        default: return Precision::twice;
    }
}

Dtype real_or_complex(Category category, Precision precision) {
    constexpr Dtype reals[] = {Dtype::f32, Dtype::f64, Dtype::f128};
    constexpr Dtype complexes[] = {Dtype::c64, Dtype::c128, Dtype::c256};
    return (category == Category::complex ? complexes : reals)[static_cast<std::size_t>(precision)];
}

}  // namespace

Dtype widened(Dtype dtype) {
    if (category_of(dtype) == Category::integer) {
        return dtype == Dtype::u64 ? Dtype::u64 : Dtype::i64;
    }
    return dtype == Dtype::f16 ? Dtype::f32 : dtype;
}

Dtype common(Dtype a, Dtype b) {
    const Category category = std::max(category_of(a), category_of(b));
    if (a == b) {
        return a;
    }
    if (category <= Category::integer && (a == Dtype::boolean || b == Dtype::boolean)) {
        return a == Dtype::boolean ? b : a;
    }
    // i64 and u64 have nothing in common but f64.
    return real_or_complex(std::max(category, Category::real), std::max(precision_of(a), precision_of(b)));
}

Dtype at_least(Dtype dtype, Category category) {
    if (category_of(dtype) >= category) {
        return dtype;
    }
    if (category == Category::integer) {
        return Dtype::i64;
    }
    const bool has_precision = category_of(dtype) == Category::real;
    return real_or_complex(category, has_precision ? precision_of(dtype) : Precision::twice);
}

}  // namespace staithe::transform::expression
