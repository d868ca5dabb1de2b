// Arrays into payloads: tiles, bounds, threads; and what it would cost.
#include <algorithm>
#include <chrono>

#include <staithe/transform.hpp>

#include "array/strided_copy.hpp"
#include "transform/bound.hpp"
#include "transform/checksum.hpp"
#include "transform/codec.hpp"
#include "transform/parallel.hpp"
#include "transform/payload.hpp"
#include "transform/tiling.hpp"

namespace staithe::transform {
namespace {

/// All that encoding a tile takes.
struct Plan {
    const Codec* codec = nullptr;
    const Codec* next_best = nullptr;  // for tiles that the codec gives up, if it is one that does
    TileOptions options;
    ArrayView array;
    Extents tile{};
    std::int64_t tiles = 0;
};

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

/// Appends the tile, coded, or raw where that makes it no smaller.
base::Result<TileMethod> encode_tile(const Plan& plan, std::int64_t number, Scratch& scratch,
                                     std::vector<std::byte>& out) {
    const ArrayView tile = slice(plan.array, Selection(tile_box(plan.array.shape, plan.tile, number)));
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

base::Result<std::vector<std::byte>> encode(const ArrayView& array, const codecs::EncodeOptions& options) {
    const auto plan = plan_for(array, options);
    if (!plan) {
        return base::fail(plan);
    }
    PayloadHeader header{options.codec, array.dtype, plan->options.bound, array.shape, plan->tile, {}};
    header.tiles.resize(static_cast<std::size_t>(plan->tiles));
    // Tiles that lie together in the payload are coded together, into one piece of memory.
    struct Batch {
        std::size_t begin, end;
        std::vector<std::byte>* out;
    };
    const std::size_t per_batch =
        std::max<std::size_t>(1, header.tiles.size() / (8 * static_cast<std::size_t>(options.threads)));
    std::vector<std::vector<std::byte>> pieces((header.tiles.size() + per_batch - 1) / per_batch);
    std::vector<Batch> batches;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        batches.push_back({i * per_batch, std::min(header.tiles.size(), (i + 1) * per_batch), &pieces[i]});
    }
    auto done = for_each(batches, options.threads, [&](const Batch& batch, Scratch& scratch) -> base::Result<> {
        for (std::size_t number = batch.begin; number < batch.end; ++number) {
            const std::size_t begin = batch.out->size();
            const auto method = encode_tile(*plan, static_cast<std::int64_t>(number), scratch, *batch.out);
            if (!method) {
                return base::fail(method);
            }
            const auto coded = std::span<const std::byte>(*batch.out).subspan(begin);
            header.tiles[number] = {0, coded.size(), checksum(coded), *method, 0};
        }
        return {};
    });
    if (!done) {
        return base::fail(std::move(done));
    }
    std::uint64_t offset = header_bytes(header);
    for (TileEntry& entry : header.tiles) {
        entry.offset = offset;
        offset += entry.bytes;
    }
    std::vector<std::byte> payload;
    payload.reserve(offset);
    payload.resize(header_bytes(header));
    write_header(header, payload);
    for (const std::vector<std::byte>& piece : pieces) {
        payload.insert(payload.end(), piece.begin(), piece.end());
    }
    return payload;
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
    const auto wanted = std::max<std::int64_t>(1, static_cast<std::int64_t>(share * static_cast<double>(plan->tiles)));
    Scratch scratch;
    std::vector<std::byte> coded;
    std::int64_t raw_bytes = 0;
    std::size_t coded_bytes = 0;
    const auto began = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < wanted; ++i) {
        const std::int64_t number = (2 * i + 1) * plan->tiles / (2 * wanted);  // the middle of each part
        coded.clear();
        if (const auto method = encode_tile(*plan, number, scratch, coded); !method) {
            return base::fail(method);
        }
        raw_bytes += volume(tile_box(array.shape, plan->tile, number).count).value_or(0) * size_of(array.dtype);
        coded_bytes += coded.size();
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    const auto all_bytes = static_cast<double>(size_in_bytes(array.shape, array.dtype).value_or(0));
    const double scale = all_bytes / static_cast<double>(raw_bytes);
    const PayloadHeader header{options.codec, array.dtype,
                               0.0,           array.shape,
                               plan->tile,    std::vector<TileEntry>(static_cast<std::size_t>(plan->tiles))};
    result.ratio = all_bytes / (static_cast<double>(header_bytes(header)) + scale * static_cast<double>(coded_bytes));
    result.seconds = scale * took.count();
    result.tiles = wanted;
    return result;
}

}  // namespace
}  // namespace staithe::transform

namespace staithe::codecs {

std::vector<std::byte> encode(const ArrayView& array, const EncodeOptions& options) {
    return base::value_or_raise(transform::guarded([&] { return transform::encode(array, options); }));
}

Probe probe(const ArrayView& array, const EncodeOptions& options, double share) {
    return base::value_or_raise(transform::guarded([&] { return transform::probe(array, options, share); }));
}

}  // namespace staithe::codecs
