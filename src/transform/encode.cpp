// Arrays into payloads: tiles, threads, checksums.
#include <algorithm>

#include <staithe/transform.hpp>

#include "transform/checksum.hpp"
#include "transform/parallel.hpp"
#include "transform/payload.hpp"
#include "transform/plan.hpp"

namespace staithe::transform {
namespace {

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
    auto done =
        for_each(batches, options.threads, options.memory, [&](const Batch& batch, Scratch& scratch) -> base::Result<> {
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

}  // namespace
}  // namespace staithe::transform

namespace staithe::codecs {

std::vector<std::byte> encode(const ArrayView& array, const EncodeOptions& options) {
    return base::value_or_raise(transform::guarded([&] { return transform::encode(array, options); }));
}

}  // namespace staithe::codecs
