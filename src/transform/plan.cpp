#include "transform/plan.hpp"

#include <algorithm>
#include <utility>

#include "array/strided_copy.hpp"
#include "transform/bound.hpp"
#include "transform/parallel.hpp"
#include "transform/tiling.hpp"

namespace staithe::transform {

ArrayView Plan::tile_of(std::int64_t number) const {
    return slice(array, Selection(tile_box(array.shape, tile, number)));
}

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
    const std::vector<Dtype>& lossy = info.lossy_dtypes;
    if (std::find(lossy.begin(), lossy.end(), array.dtype) == lossy.end()) {
        resolved->bound = 0.0;
    }
    Plan plan{*codec, nullptr, *resolved, array, tile_shape(array.shape), 1};
    if (info.lossy && info.name != fallback) {
        plan.next_best = *find_codec(fallback);
    }
    for (const std::int64_t count : tile_counts(array.shape, plan.tile)) {
        plan.tiles *= count;
    }
    return plan;
}

base::Result<TileMethod> encode_tile(const Plan& plan, std::int64_t number, Scratch& scratch,
                                     std::vector<std::byte>& out) {
    const ArrayView tile = plan.tile_of(number);
    const auto raw_bytes = static_cast<std::size_t>(size_in_bytes(tile.shape, tile.dtype).value_or(0));
    const std::size_t begin = out.size();
    for (const auto& [codec, method] :
         {std::pair(plan.codec, TileMethod::codec), std::pair(plan.next_best, TileMethod::fallback)}) {
        if (codec == nullptr) {
            break;
        }
        if (auto coded = codec->encode(tile, plan.options, scratch, out); !coded) {
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

}  // namespace staithe::transform
