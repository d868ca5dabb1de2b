// Payloads into arrays: whole ones, or the tiles that a box touches.
#include <algorithm>

#include <staithe/transform.hpp>

#include "array/strided_copy.hpp"
#include "transform/checksum.hpp"
#include "transform/codec.hpp"
#include "transform/coding.hpp"
#include "transform/parallel.hpp"
#include "transform/payload.hpp"
#include "transform/tiling.hpp"

namespace staithe::transform {
namespace {

base::Result<> decode_whole_tile(const Codec& codec, const TileEntry& entry, std::span<const std::byte> coded,
                                 const MutableArrayView& tile, Scratch& scratch) {
    if (entry.method == TileMethod::codec) {
        return codec.decode(coded, tile, scratch);
    }
    if (entry.method == TileMethod::fallback) {
        return (*find_codec(fallback))->decode(coded, tile, scratch);
    }
    if (entry.method != TileMethod::raw ||
        static_cast<std::int64_t>(coded.size()) != size_in_bytes(tile.shape, tile.dtype)) {
        return base::fail(ErrorCode::protocol, "a tile of this payload is damaged");
    }
    array::copy(tile, ArrayView::row_major(coded.data(), tile.dtype, tile.shape));
    return {};
}

/// In the order in which threads are far from each other if each takes the next one when it is done.
std::vector<std::int64_t> dealt_out(const std::vector<std::int64_t>& tiles, int threads) {
    const std::size_t parts = std::min(tiles.size(), static_cast<std::size_t>(threads));
    std::vector<std::int64_t> dealt;
    for (std::size_t first = 0; dealt.size() < tiles.size(); ++first) {
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t begin = tiles.size() * part / parts;
            const std::size_t end = tiles.size() * (part + 1) / parts;
            if (begin + first < end) {
                dealt.push_back(tiles[begin + first]);
            }
        }
    }
    return dealt;
}

enum class Changing : bool { no, maybe };

base::Result<> decode_box(std::span<const std::byte> payload, Changing changing, const MutableArrayView& out,
                          const std::optional<Box>& wanted, int threads, std::pmr::memory_resource* memory) {
    const auto header = read_header(payload);
    if (!header) {
        return base::fail(header);
    }
    const auto codec = find_codec(header->codec);
    if (!codec) {
        return base::fail(codec);
    }
    if (auto checked = check_threads(threads); !checked) {
        return checked;
    }
    const Box box = wanted.value_or(Box::whole(header->shape));
    if (!fits(box, header->shape)) {
        return base::fail(ErrorCode::invalid_argument, "the box {} does not lie in the payload's shape {}",
                          to_string(box), to_string(header->shape));
    }
    if (out.dtype != header->dtype || out.shape != box.count) {
        return base::fail(ErrorCode::invalid_argument,
                          "the payload is decoded into {} of shape {}, and was given memory for {} of shape {}",
                          name_of(header->dtype), to_string(box.count), name_of(out.dtype), to_string(out.shape));
    }
    std::vector<std::int64_t> tiles;
    for_each_tile_in(box, header->shape, header->tile, [&](std::int64_t number) { tiles.push_back(number); });
    // Threads that write to tiles side by side would meet in the same pages, and wait where those are fresh.
    return for_each(
        dealt_out(tiles, threads), threads, memory, [&](std::int64_t number, Scratch& scratch) -> base::Result<> {
            const TileEntry& entry = header->tiles[static_cast<std::size_t>(number)];
            auto coded = payload.subspan(entry.offset, entry.bytes);
            if (changing == Changing::maybe) {
                const std::span own(scratch.get(Scratch::Use::payload, coded.size()), coded.size());
                std::ranges::copy(coded, own.begin());
                coded = own;
            }
            if (checksum(coded) != entry.checksum) {
                return base::fail(ErrorCode::protocol,
                                  "the checksum of tile {} of this payload is wrong: it was changed on its way",
                                  number);
            }
            const Box tile = tile_box(header->shape, header->tile, number);
            const auto common = intersect(tile, box);
            Box place = *common;
            for (std::size_t i = 0; i < place.dimensions(); ++i) {
                place.offset[i] -= box.offset[i];
            }
            const MutableArrayView target = slice(out, Selection(place));
            if (*common == tile) {
                return decode_whole_tile(**codec, entry, coded, target, scratch);
            }
            const auto bytes = static_cast<std::size_t>(size_in_bytes(tile.count, header->dtype).value_or(0));
            const auto whole =
                MutableArrayView::row_major(scratch.get(Scratch::Use::tile, bytes), header->dtype, tile.count);
            auto decoded = decode_whole_tile(**codec, entry, coded, whole, scratch);
            if (decoded) {
                Box part = *common;
                for (std::size_t i = 0; i < part.dimensions(); ++i) {
                    part.offset[i] -= tile.offset[i];
                }
                array::copy(target, slice(whole, Selection(part)));
            }
            return decoded;
        });
}

base::Result<codecs::PayloadInfo> info_of(std::span<const std::byte> payload) {
    auto header = read_header(payload);
    if (!header) {
        return base::fail(std::move(header));
    }
    codecs::PayloadInfo info;
    info.codec = header->codec;
    info.dtype = header->dtype;
    info.shape = header->shape;
    info.tile = header->tile;
    info.bound = header->bound;
    info.tiles = static_cast<std::int64_t>(header->tiles.size());
    const auto stored = [&](TileMethod method) {
        return std::count_if(header->tiles.begin(), header->tiles.end(),
                             [method](const TileEntry& entry) { return entry.method == method; });
    };
    info.raw_tiles = stored(TileMethod::raw);
    info.fallback_tiles = stored(TileMethod::fallback);
    info.raw_bytes = size_in_bytes(header->shape, header->dtype).value_or(0);
    return info;
}

}  // namespace

base::Result<> decode(std::span<const std::byte> payload, const MutableArrayView& out, const std::optional<Box>& box,
                      int threads, std::pmr::memory_resource* memory) {
    return guarded([&] { return decode_box(payload, Changing::no, out, box, threads, memory); });
}

base::Result<> decode_shared(std::span<const std::byte> payload, const MutableArrayView& out,
                             const std::optional<Box>& box, int threads) {
    return guarded([&] { return decode_box(payload, Changing::maybe, out, box, threads, nullptr); });
}

base::Result<codecs::PayloadInfo> inspect(std::span<const std::byte> payload) {
    return guarded([&] { return info_of(payload); });
}

}  // namespace staithe::transform

namespace staithe::codecs {

void decode(std::span<const std::byte> payload, const MutableArrayView& out, const std::optional<Box>& box, int threads,
            std::pmr::memory_resource* memory) {
    base::value_or_raise(transform::decode(payload, out, box, threads, memory));
}

PayloadInfo inspect(std::span<const std::byte> payload) { return base::value_or_raise(transform::inspect(payload)); }

}  // namespace staithe::codecs
