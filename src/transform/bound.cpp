#include "transform/bound.hpp"

#include <cmath>
#include <limits>

#include "transform/value_range.hpp"

namespace staithe::transform {
namespace {

const char* name_of(codecs::Bound::Kind kind) {
    switch (kind) {
        case codecs::Bound::Kind::absolute: return "abs";
        case codecs::Bound::Kind::relative: return "rel";
        case codecs::Bound::Kind::psnr: return "psnr";
        case codecs::Bound::Kind::rate: return "rate";
        case codecs::Bound::Kind::pointwise_relative: return "pw_rel";
        case codecs::Bound::Kind::exact: break;
    }
    return "exact";
}

}  // namespace

base::Result<TileOptions> resolve_bound(const ArrayView& array, const codecs::EncodeOptions& options) {
    const codecs::Bound& bound = options.bound;
    TileOptions resolved;
    resolved.fill = options.fill;
    resolved.mode = options.mode;
    resolved.level = options.level;
    if (bound.kind == codecs::Bound::Kind::exact) {
        return resolved;
    }
    if (!std::isfinite(bound.value) || bound.value < 0.0) {
        return base::fail(ErrorCode::invalid_argument,
                          "a bound of {}={} cannot be: give a finite number that is not negative, or exact=True",
                          name_of(bound.kind), bound.value);
    }
    if (bound.kind == codecs::Bound::Kind::pointwise_relative) {
        resolved.share = bound.value;
        return resolved;
    }
    if (bound.kind == codecs::Bound::Kind::rate) {
        if (bound.value == 0.0) {
            return base::fail(ErrorCode::invalid_argument, "a rate of 0 bits a value leaves nothing: give more");
        }
        resolved.rate = bound.value;
        return resolved;
    }
    resolved.bound = bound.value;
    if (bound.kind != codecs::Bound::Kind::absolute) {
        const auto range = value_range(array, options.fill, options.threads);
        // Halves, since the range of large numbers may be larger than the largest number.
        const double half = range ? range->largest / 2 - range->smallest / 2 : 0.0;
        const double share =
            bound.kind == codecs::Bound::Kind::relative ? bound.value : std::pow(10.0, -bound.value / 20.0);
        // Each of the roundings on the way may have gone up.
        constexpr double less = 1.0 - 2 * std::numeric_limits<double>::epsilon();
        resolved.bound = half * (2 * share) * less;
    }
    if (bound.kind == codecs::Bound::Kind::psnr) {
        // Of complex numbers it is about the parts, which are off by no more than a share of the number's bound.
        const bool of_parts = array.dtype == Dtype::c64 || array.dtype == Dtype::c128;
        const double wide = resolved.bound * bound_of_noise / (of_parts ? share_of_part : 1.0);
        if (std::isfinite(wide)) {
            resolved.noise = resolved.bound;
            resolved.bound = wide;
        }
    }
    if (!std::isfinite(resolved.bound)) {
        return base::fail(ErrorCode::invalid_argument,
                          "a bound of {}={} of these values is larger than any number: give a smaller one",
                          name_of(bound.kind), bound.value);
    }
    return resolved;
}

}  // namespace staithe::transform
