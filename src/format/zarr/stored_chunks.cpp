#include "format/zarr/stored_chunks.hpp"

#include <cstdint>
#include <utility>

#include "format/packing.hpp"
#include "os/files.hpp"
#include "os/shared_memory.hpp"

namespace staithe::format::zarr {
namespace {

struct OpenChunk {
    os::FileDescriptor file;
    Place place;
};

/// Nothing where it was left out.
base::Result<std::optional<OpenChunk>> open_chunk(const StoredPart& part, ReadShards& shards) {
    if (part.fill && os::is_absent(part.path)) {
        return std::nullopt;
    }
    auto file = os::open_for_reading(part.path);
    if (!file) {
        return base::fail(std::move(file));
    }
    // A file of one chunk ends where that does: who reads a part of it need not know where.
    const auto place = part.in_shard ? shards.find(part.path, *file, *part.in_shard)
                                     : base::Result<std::optional<Place>>(Place{0, INT64_MAX});
    if (!place) {
        return base::fail(place);
    }
    if (!*place && !part.fill) {
        return base::fail(ErrorCode::protocol, "it lacks chunk {} of {}", part.in_shard->chunk, part.in_shard->chunks);
    }
    return *place ? std::optional(OpenChunk{*std::move(file), **place}) : std::nullopt;
}

}  // namespace

StoredArray stored(const ArrayNode& array, const std::string& folder, std::optional<std::int64_t> place,
                   const ChunkKeys& keys) {
    const ArrayInfo& info = array.info;
    StoredArray result{.info = info, .parts = {}};
    std::vector<std::int64_t> shape(array.grid.count.begin(), array.grid.count.end());
    if (place) {
        shape.insert(shape.begin(), array.grid.steps);
    }
    const bool is_coded = array.packing == Packing::coded;
    const auto strides = is_coded ? strides_of(*array.coding, shape, info.dtype) : std::vector<std::int64_t>();
    for (const Chunk& chunk : chunks_of(array.grid, info.shape, info.dtype, place, keys)) {
        StoredPart part{.box = chunk.box,
                        .path = folder + "/" + chunk.name,
                        .offset = chunk.offset,
                        .bytes = size_in_bytes(chunk.box.count, info.dtype).value_or(0),
                        .packing = array.packing,
                        .dtype = info.dtype,
                        .packed_shape = array.grid.count,
                        .packed_bytes = array.packing == Packing::none ? 0 : bytes_of(array.grid, info.dtype),
                        .in_shard = chunk.in_shard,
                        .coding = array.coding,
                        .fill = array.fill};
        if (is_coded) {
            part.offset = place ? *place % array.grid.steps * strides.front() : 0;
            for (std::size_t i = place ? 1 : 0; i < strides.size(); ++i) {
                part.strides.push_back(strides[i]);
            }
        }
        result.parts.push_back(std::move(part));
    }
    return result;
}

base::Result<std::optional<std::vector<std::byte>>> StoredChunks::read_packed(const StoredPart& part) {
    const auto chunk = open_chunk(part, shards_);
    if (!chunk || !*chunk) {
        return chunk ? base::Result<std::optional<std::vector<std::byte>>>(std::nullopt) : base::fail(chunk);
    }
    const auto& [file, place] = **chunk;
    const auto bytes = part.in_shard ? base::Result<std::int64_t>(place.bytes) : os::size_of_file(file);
    if (!bytes) {
        return base::fail(bytes);
    }
    if (*bytes > most_packed_bytes) {
        return base::fail(ErrorCode::protocol, "it has {} bytes: that is no chunk", *bytes);
    }
    std::vector<std::byte> packed(static_cast<std::size_t>(*bytes));
    const auto had = os::read_at(file, place.offset, packed);
    if (!had) {
        return base::fail(had);
    }
    packed.resize(*had);
    return packed;
}

base::Result<> StoredChunks::read(const StoredPart& part, std::int64_t first, std::span<std::byte> elements) {
    const auto chunk = open_chunk(part, shards_);
    if (!chunk) {
        return base::fail(chunk);
    }
    if (!*chunk) {
        const auto item = static_cast<std::size_t>(size_of(part.dtype));
        for (std::size_t i = 0; i < elements.size(); ++i) {
            elements[i] = (*part.fill)[(static_cast<std::size_t>(first) + i) % item];
        }
        return {};
    }
    const auto& [file, place] = **chunk;
    const std::int64_t begin = part.offset + first;
    const auto had = place.bytes - begin < std::ssize(elements) ? base::Result<std::size_t>(0)
                                                                : os::read_at(file, place.offset + begin, elements);
    if (!had) {
        return base::fail(had);
    }
    return *had == elements.size() ? base::Result<>() : base::fail(ErrorCode::protocol, "the file ends too soon");
}

}  // namespace staithe::format::zarr
