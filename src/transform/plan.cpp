#include "transform/plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "array/strided_copy.hpp"
#include "transform/bound.hpp"
#include "transform/noise.hpp"
#include "transform/parallel.hpp"
#include "transform/rounding.hpp"
#include "transform/tiling.hpp"
#include "transform/value_range.hpp"

namespace staithe::transform {

ArrayView Plan::tile_of(std::int64_t number) const {
    return slice(array, Selection(tile_box(array.shape, tile, number)));
}

namespace {

base::Result<> check_level(const codecs::CodecInfo& info, std::optional<int> level) {
    if (!level || (*level >= 1 && *level <= info.levels)) {
        return {};
    }
    return info.levels == 0
               ? base::fail(ErrorCode::invalid_argument, "the codec {} has no levels: choose a mode", info.name)
               : base::fail(ErrorCode::invalid_argument, "the codec {} has levels from 1 to {}, and not {}", info.name,
                            info.levels, *level);
}

}  // namespace

base::Result<Plan> plan_for(const ArrayView& array, const codecs::EncodeOptions& options) {
    if (auto checked = check_threads(options.threads); !checked) {
        return base::fail(std::move(checked));
    }
    const auto codec = find_codec(options.codec);
    if (!codec) {
        return base::fail(codec);
    }
    if (!size_in_bytes(array.shape, array.dtype)) {
        return base::fail(ErrorCode::invalid_argument, "an array of shape {} cannot be", to_string(array.shape));
    }
    auto resolved = resolve_bound(array, options);
    if (!resolved) {
        return base::fail(std::move(resolved));
    }
    const codecs::CodecInfo info = (*codec)->describe();
    if (auto checked = check_level(info, options.level); !checked) {
        return base::fail(std::move(checked));
    }
    const std::vector<Dtype>& lossy = info.lossy_dtypes;
    if (std::find(lossy.begin(), lossy.end(), array.dtype) == lossy.end()) {
        resolved->bound = resolved->noise = resolved->rate = 0.0;
    }
    if (options.bound.kind == codecs::Bound::Kind::rate && !info.lossy) {
        return base::fail(ErrorCode::invalid_argument,
                          "the codec {} is always exact, so that no rate can be set: dq and the lossy ones take one",
                          info.name);
    }
    if (options.bound.kind == codecs::Bound::Kind::pointwise_relative && info.lossy) {
        return base::fail(ErrorCode::invalid_argument,
                          "the codec {} keeps no bound that is a share of each value (pw_rel): those do that are exact "
                          "without a bound, such as shuffle+zstd",
                          info.name);
    }
    if (!can_be_rounded(array.dtype)) {
        resolved->share = 0.0;
    }
    Plan plan{*codec, nullptr, *resolved, resolved->bound, array, tile_shape(array.shape), 1};
    if (resolved->share > 0.0) {
        plan.bound = largest_rounding(array, *resolved, options.threads);
    }
    if (info.lossy && info.name != fallback) {
        plan.next_best = *find_codec(fallback);
    }
    for (const std::int64_t count : tile_counts(array.shape, plan.tile)) {
        plan.tiles *= count;
    }
    return plan;
}

namespace {

/// Within the bound.
base::Result<TileMethod> encode_bounded(const Plan& plan, const ArrayView& tile, const TileOptions& options,
                                        Scratch& scratch, std::vector<std::byte>& out) {
    const auto raw_bytes = static_cast<std::size_t>(size_in_bytes(tile.shape, tile.dtype).value_or(0));
    const std::size_t begin = out.size();
    for (const auto& [codec, method] :
         {std::pair(plan.codec, TileMethod::codec), std::pair(plan.next_best, TileMethod::fallback)}) {
        if (codec == nullptr) {
            break;
        }
        if (auto coded = codec->encode(tile, options, scratch, out); !coded) {
            return base::fail(std::move(coded));
        }
        if (out.size() > begin && out.size() - begin < raw_bytes) {
            return method;
        }
        out.resize(begin);
    }
    out.resize(begin + raw_bytes);
    array::copy(MutableArrayView::row_major(out.data() + begin, tile.dtype, tile.shape), tile);
    return TileMethod::raw;
}

/// Within the smallest bound that makes it fit the rate, as far as a few attempts find it: a bound twice as large takes
/// about a bit a value less.
base::Result<CodedTile> encode_at_rate(const Plan& plan, const ArrayView& tile, Scratch& scratch,
                                       std::vector<std::byte>& out) {
    constexpr int most_attempts = 8;
    constexpr double near = 0.95;       // of the rate, is near enough
    constexpr double finest = 0x1p-60;  // of the range: finer than values are
    const auto values = static_cast<double>(volume(tile.shape).value_or(0));
    const auto range = value_range(tile, plan.options.fill);
    const double half = range ? range->largest / 2 - range->smallest / 2 : 0.0;
    TileOptions options = plan.options;
    const bool any_value_fits = options.rate >= 8.0 * static_cast<double>(size_of(tile.dtype));
    options.bound = any_value_fits ? 0.0 : half * std::exp2(1.0 - options.rate);
    CodedTile best;
    std::vector<std::byte> kept;  // the best one
    bool fits = false;
    double too_fine = 0.0;
    double coarse = half;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
        std::vector<std::byte> coded;
        const auto method = encode_bounded(plan, tile, options, scratch, coded);
        if (!method) {
            return base::fail(method);
        }
        const double bits = 8.0 * static_cast<double>(coded.size()) / values;
        const bool fits_now = bits <= options.rate;
        if (kept.empty() || (fits_now && (!fits || options.bound < best.bound)) ||
            (!fits && coded.size() < kept.size())) {
            best = {*method, *method == TileMethod::raw ? 0.0 : options.bound};
            kept = std::move(coded);
            fits = fits_now;
        }
        (fits_now ? coarse : too_fine) = options.bound;
        if (options.bound == 0.0 || (fits_now && bits >= near * options.rate) || too_fine >= coarse) {
            break;
        }
        const double guess = options.bound * std::exp2(bits - (1 + near) / 2 * options.rate);
        const bool between = guess > too_fine && guess < coarse;
        options.bound = between ? guess : too_fine > 0.0 ? std::sqrt(too_fine) * std::sqrt(coarse) : coarse;
        if (options.bound < half * finest) {
            options.bound = 0.0;
        }
    }
    out.insert(out.end(), kept.begin(), kept.end());
    return best;
}

/// Of what was just coded, over what is allowed.
double mean_square_error_of(const Plan& plan, const ArrayView& tile, std::span<const std::byte> coded,
                            TileMethod method, Scratch& scratch) {
    const auto bytes = static_cast<std::size_t>(size_in_bytes(tile.shape, tile.dtype).value_or(0));
    const auto decoded = MutableArrayView::row_major(scratch.get(Scratch::Use::tile, bytes), tile.dtype, tile.shape);
    const Codec* const codec = method == TileMethod::codec ? plan.codec : plan.next_best;
    if (!codec->decode(coded, decoded, scratch)) {
        return std::numeric_limits<double>::infinity();
    }
    return mean_square_error(tile, decoded, plan.options.fill, plan.options.noise, scratch);
}

}  // namespace

base::Result<CodedTile> encode_tile(const Plan& plan, std::int64_t number, Scratch& scratch,
                                    std::vector<std::byte>& out) {
    if (plan.options.rate > 0.0) {
        return encode_at_rate(plan, plan.tile_of(number), scratch, out);
    }
    const ArrayView tile =
        plan.options.share > 0.0 ? rounded(plan.tile_of(number), plan.options, scratch) : plan.tile_of(number);
    const std::size_t begin = out.size();
    TileOptions options = plan.options;
    // No error can be larger than this bound, nor their mean.
    const double strict = plan.options.bound / bound_of_noise * (1 - 1e-13);
    while (true) {
        const auto method = encode_bounded(plan, tile, options, scratch, out);
        if (!method) {
            return base::fail(method);
        }
        if (*method == TileMethod::raw || options.noise == 0.0 || options.bound <= strict) {
            return CodedTile{*method};
        }
        const double over =
            mean_square_error_of(plan, tile, std::span<const std::byte>(out).subspan(begin), *method, scratch);
        if (over <= 1.0) {
            return CodedTile{*method};
        }
        out.resize(begin);
        const double finer = 0.97 * options.bound / std::sqrt(over);
        options.bound = options.bound == plan.options.bound && finer > strict ? finer : strict;
    }
}

}  // namespace staithe::transform
