#include "transform/bound.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "transform/value_range.hpp"

namespace staithe::transform {
namespace {

using Kind = codecs::Bound::Kind;

constexpr std::array<std::pair<Kind, std::string_view>, 6> names{{{Kind::absolute, "abs"},
                                                                  {Kind::relative, "rel"},
                                                                  {Kind::psnr, "psnr"},
                                                                  {Kind::rate, "rate"},
                                                                  {Kind::pointwise_relative, "pw_rel"},
                                                                  {Kind::exact, "exact"}}};

constexpr std::array<Kind, 4> by_code{Kind::exact, Kind::absolute, Kind::relative, Kind::pointwise_relative};

std::string_view name_of(Kind kind) {
    return std::ranges::find(names, kind, &std::pair<Kind, std::string_view>::first)->second;
}

std::optional<ValueRange> range_of_all(std::span<const ArrayView> parts, const codecs::EncodeOptions& options) {
    std::optional<ValueRange> all;
    for (const ArrayView& part : parts) {
        if (const auto range = value_range(part, options.fill, options.threads)) {
            all = all ? ValueRange{std::min(all->smallest, range->smallest), std::max(all->largest, range->largest)}
                      : *range;
        }
    }
    return all;
}

}  // namespace

std::uint8_t code_of(const codecs::Bound& bound) {
    return static_cast<std::uint8_t>(std::ranges::find(by_code, bound.kind) - by_code.begin());
}

std::optional<codecs::Bound> bound_from_code(std::uint8_t code, double value) {
    const bool can_be = code < by_code.size() && std::isfinite(value) && value >= 0.0;
    return can_be ? std::optional(codecs::Bound{by_code.at(code), value}) : std::nullopt;
}

std::optional<codecs::Bound> bound_for(const std::map<std::string, codecs::Bound>& error, const std::string& variable) {
    const auto own = error.find(variable);
    const auto found = own == error.end() ? error.find(all_others) : own;
    return found == error.end() ? std::nullopt : std::optional(found->second);
}

bool is_as_fine(const codecs::Bound& bound, double absolute, const codecs::Bound& wanted) {
    return (wanted.kind == Kind::absolute && absolute <= wanted.value) ||
           (wanted.kind == bound.kind && bound.value <= wanted.value);
}

base::Result<> check_error(const std::string& variable, const codecs::Bound& bound) {
    if (bound.kind == Kind::psnr || bound.kind == Kind::rate) {
        return base::fail(ErrorCode::invalid_argument,
                          "the error of '{}' cannot be '{}': give one that is abs, rel or pw_rel",
                          base::printable(variable), codecs::to_string(bound));
    }
    const auto resolved = resolve_bound(ArrayView(), {.bound = bound});
    return resolved ? base::Result<>()
                    : base::fail(resolved.error().code, "the error of '{}': {}", base::printable(variable),
                                 resolved.error().message);
}

base::Result<codecs::Bound> parse_bound(const std::string& text) {
    const char* const end = text.data() + text.size();
    double value = 0.0;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    std::string_view name(stop, end);
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    const auto* const named = std::ranges::find(names, name, &std::pair<Kind, std::string_view>::second);
    const bool has_number = error == std::errc();
    if (named == names.end() || has_number == (named->first == Kind::exact)) {
        return base::fail(ErrorCode::invalid_argument,
                          "'{}' is no bound of errors: write a number and what it is of, as in '0.01 abs' (the "
                          "unit of the values), '1e-3 rel' (of their range) or '1e-3 pw_rel' (of each value), "
                          "or 'exact'",
                          base::printable(text));
    }
    return codecs::Bound{named->first, value};
}

base::Result<TileOptions> resolve_bound(std::span<const ArrayView> parts, const codecs::EncodeOptions& options) {
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
                          "a bound of {}={} cannot be: give a finite number that is not negative, or say exact",
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
        const auto range = range_of_all(parts, options);
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
        const bool of_parts = parts.front().dtype == Dtype::c64 || parts.front().dtype == Dtype::c128;
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

namespace staithe::codecs {

Bound parse_bound(const std::string& text) { return base::value_or_raise(transform::parse_bound(text)); }

std::string to_string(const Bound& bound) {
    const std::string_view name = transform::name_of(bound.kind);
    return bound.kind == Bound::Kind::exact ? std::string(name) : fmt::format("{} {}", bound.value, name);
}

}  // namespace staithe::codecs
