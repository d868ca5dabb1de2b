// What encoding an array would cost, from a sample of its tiles.
#include <algorithm>
#include <chrono>
#include <tuple>

#include <staithe/transform.hpp>

#include "transform/parallel.hpp"
#include "transform/payload.hpp"
#include "transform/plan.hpp"
#include "transform/value_range.hpp"

namespace staithe::transform {
namespace {

// Fewer tell little of an array whose tiles are not alike.
constexpr std::int64_t fewest_tiles = 4;
// Values of a tile that are looked at, by groups of neighbours: they share lines of memory. A look takes a twentieth of
// the time that the fastest encoding does.
constexpr std::int64_t values_of_a_look = 4096;
constexpr std::int64_t neighbours = 16;

/// Values from all over a tile, in groups of neighbours along its last dimension. It has one at least.
ArrayView thinned(const ArrayView& tile) {
    ArrayView view = tile;
    const std::size_t dimensions = tile.dimensions();
    if (dimensions < max_dimensions && view.shape[dimensions - 1] > neighbours) {
        view.shape[dimensions - 1] /= neighbours;
        view.shape.push_back(neighbours);
        view.strides.push_back(view.strides[dimensions - 1]);
        view.strides[dimensions - 1] *= neighbours;
    }
    // Groups are taken from where they are the thinnest, until there are enough.
    Extents taken = Extents::filled(view.dimensions(), 1);
    std::int64_t values = taken[taken.size() - 1] = view.shape[view.dimensions() - 1];
    while (values < values_of_a_look) {
        std::size_t thinnest = 0;
        for (std::size_t i = 1; i < taken.size(); ++i) {
            thinnest = view.shape[i] / taken[i] > view.shape[thinnest] / taken[thinnest] ? i : thinnest;
        }
        if (view.shape[thinnest] / taken[thinnest] < 2) {
            break;
        }
        taken[thinnest] *= 2;
        values *= 2;
    }
    const auto* first = static_cast<const std::byte*>(view.data);
    for (std::size_t i = 0; i < taken.size(); ++i) {
        const std::int64_t step = view.shape[i] / taken[i];
        first += step / 2 * view.strides[i];
        view.strides[i] *= step;
    }
    view.data = first;
    view.shape = taken;
    return view;
}

/// A tile that stands for others, too.
struct Sample {
    std::int64_t tile = 0;
    double weight = 1.0;  // values that it stands for over those that it has
};

/// Tiles of all ranges of values, from narrow to wide: evenly by their sizes in that order.
std::vector<Sample> choose(const Plan& plan, std::int64_t wanted) {
    std::vector<Sample> chosen;
    if (wanted >= plan.tiles) {
        for (std::int64_t number = 0; number < plan.tiles; ++number) {
            chosen.push_back({number, 1.0});
        }
        return chosen;
    }
    struct Look {
        double range = -1.0;  // of no values
        std::int64_t tile = 0;
        double values = 0.0;
    };
    std::vector<Look> looks;
    double all = 0.0;
    for (std::int64_t number = 0; number < plan.tiles; ++number) {
        const ArrayView tile = plan.tile_of(number);
        const auto range = value_range(thinned(tile), plan.options.fill);
        looks.push_back({range ? range->largest - range->smallest : -1.0, number,
                         static_cast<double>(volume(tile.shape).value_or(0))});
        all += looks.back().values;
    }
    std::sort(looks.begin(), looks.end(),
              [](const Look& a, const Look& b) { return std::tie(a.range, a.tile) < std::tie(b.range, b.tile); });
    const double part = all / static_cast<double>(wanted);
    double middle = part / 2;  // of the next part, of which one tile is to be taken
    double passed = 0.0;
    for (const Look& look : looks) {
        passed += look.values;
        double stands_for = 0.0;
        for (; middle < passed; middle += part) {
            stands_for += part;
        }
        if (stands_for > 0.0) {
            chosen.push_back({look.tile, stands_for / look.values});
        }
    }
    return chosen;
}

base::Result<codecs::Probe> probe(const ArrayView& array, const codecs::EncodeOptions& options, double share) {
    if (!(share > 0.0 && share <= 1.0)) {
        return base::fail(ErrorCode::invalid_argument, "a share of {} cannot be: give more than 0 and at most 1",
                          share);
    }
    const auto plan = plan_for(array, options);
    if (!plan) {
        return base::fail(plan);
    }
    codecs::Probe result;
    if (plan->tiles == 0) {
        return result;
    }
    const auto wanted = static_cast<std::int64_t>(share * static_cast<double>(plan->tiles));
    Scratch scratch(options.memory);
    std::vector<std::byte> coded;
    const PayloadHeader header{options.codec, array.dtype,
                               0.0,           array.shape,
                               plan->tile,    std::vector<TileEntry>(static_cast<std::size_t>(plan->tiles))};
    auto bytes = static_cast<double>(header_bytes(header));
    for (const Sample& sample : choose(*plan, std::max(fewest_tiles, wanted))) {
        coded.clear();
        const auto began = std::chrono::steady_clock::now();
        if (const auto method = encode_tile(*plan, sample.tile, scratch, coded); !method) {
            return base::fail(method);
        }
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
        bytes += sample.weight * static_cast<double>(coded.size());
        result.seconds += sample.weight * took.count();
        ++result.tiles;
    }
    result.ratio = static_cast<double>(size_in_bytes(array.shape, array.dtype).value_or(0)) / bytes;
    return result;
}

}  // namespace
}  // namespace staithe::transform

namespace staithe::codecs {

Probe probe(const ArrayView& array, const EncodeOptions& options, double share) {
    return base::value_or_raise(transform::guarded([&] { return transform::probe(array, options, share); }));
}

}  // namespace staithe::codecs
