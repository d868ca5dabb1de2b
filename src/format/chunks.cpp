#include "format/chunks.hpp"

#include <algorithm>
#include <cstddef>

#include <staithe/array_view.hpp>

namespace staithe::format {
namespace {

/// Of a chunk of a large array: enough that the cost of a file does not matter.
constexpr std::int64_t most_bytes = std::int64_t{32} << 20;
/// Of one that is compressed: who reads an element decompresses all of it.
constexpr std::int64_t most_bytes_packed = std::int64_t{4} << 20;
/// Of a chunk with several steps of a small one.
constexpr std::int64_t bytes_of_steps = std::int64_t{16} << 10;
constexpr std::int64_t most_steps = 1024;
/// Of a step: what a file says may be anybody's.
constexpr std::int64_t most_chunks = std::int64_t{1} << 20;

std::int64_t pieces(std::int64_t length, std::int64_t each) { return (length - 1) / each + 1; }

/// Of one step, of so many bytes at most.
ChunkGrid grid_of_step(const Extents& shape, Dtype dtype, std::int64_t most) {
    ChunkGrid grid{.count = shape};
    std::ranges::replace_if(grid.count, [](std::int64_t count) { return count < 1; }, 1);
    std::int64_t bytes = bytes_of_step(grid, dtype);
    if (bytes == 0) {  // more than can be counted, of an array that has none in another dimension
        grid.count = Extents::filled(shape.size(), 1);
        return grid;
    }
    for (std::size_t i = 0; i < grid.count.size() && bytes > most; ++i) {
        const std::int64_t length = grid.count[i];
        const std::int64_t most_here = std::max<std::int64_t>(1, most / (bytes / length));
        grid.count[i] = pieces(length, pieces(length, most_here));  // as equal as can be
        bytes = bytes / length * grid.count[i];
    }
    return grid;
}

}  // namespace

ChunkGrid grid_for(const Extents& shape, Dtype dtype, bool lies_along_steps) {
    ChunkGrid grid = grid_of_step(shape, dtype, most_bytes);
    const std::int64_t bytes = bytes_of_step(grid, dtype);
    if (lies_along_steps && bytes * 2 <= bytes_of_steps) {
        grid.steps = std::min(most_steps, bytes_of_steps / bytes);
    }
    return grid;
}

std::optional<ChunkGrid> packed_grid_for(const Extents& shape, Dtype dtype) {
    const ChunkGrid grid = grid_of_step(shape, dtype, most_bytes_packed);
    return !is_empty(shape) && bytes_of_step(grid, dtype) >= bytes_of_steps ? std::optional(grid) : std::nullopt;
}

std::optional<Shard> shard_of_step(const ChunkGrid& grid, const Extents& shape) {
    Shard shard{.count = shape};
    for (std::size_t i = 0; i < shape.size(); ++i) {
        shard.count[i] = pieces(shape[i], grid.count[i]);
    }
    return volume(shard.count) > 1 ? std::optional(shard) : std::nullopt;
}

bool are_few_enough(const ChunkGrid& grid, const Extents& shape) {
    if (grid.steps < 1 || grid.count.size() != shape.size()) {
        return false;
    }
    std::int64_t chunks = 1;
    for (std::size_t i = 0; i < shape.size() && !is_empty(shape); ++i) {
        const std::int64_t here = grid.count[i] < 1 ? INT64_MAX : pieces(shape[i], grid.count[i]);
        if (here > most_chunks / chunks) {
            return false;
        }
        chunks *= here;
    }
    return true;
}

bool is_readable(const ChunkGrid& grid, const Extents& shape) {
    bool has_many = grid.steps > 1;  // of this dimension or one before it
    for (std::size_t i = 0; i < shape.size() && i < grid.count.size() && !is_empty(shape); ++i) {
        if (has_many && grid.count[i] != shape[i]) {
            return false;
        }
        has_many = has_many || grid.count[i] > 1;
    }
    return are_few_enough(grid, shape);
}

std::int64_t chunks_of_step(const ChunkGrid& grid, const Extents& shape) {
    std::int64_t chunks = is_empty(shape) ? 0 : 1;
    for (std::size_t i = 0; i < shape.size() && chunks > 0; ++i) {
        chunks *= pieces(shape[i], grid.count[i]);
    }
    return chunks;
}

std::int64_t bytes_of_step(const ChunkGrid& grid, Dtype dtype) { return size_in_bytes(grid.count, dtype).value_or(0); }

std::int64_t bytes_of(const ChunkGrid& grid, Dtype dtype) { return grid.steps * bytes_of_step(grid, dtype); }

std::int64_t offset_in_chunk(const ChunkGrid& grid, Dtype dtype, std::int64_t step) {
    return step % grid.steps * bytes_of_step(grid, dtype);
}

std::vector<Box> boxes_of(const ChunkGrid& grid, const Extents& shape) {
    std::vector<Box> boxes;
    if (is_empty(shape)) {
        return boxes;
    }
    Extents at = Extents::filled(shape.size(), 0);  // in chunks
    for (bool is_end = false; !is_end;) {
        Box box;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const std::int64_t begin = at[i] * grid.count[i];
            box.offset.push_back(begin);
            box.count.push_back(std::min(grid.count[i], shape[i] - begin));
        }
        boxes.push_back(box);
        is_end = true;
        for (std::size_t i = shape.size(); i-- > 0 && is_end;) {
            at[i] = at[i] + 1 < pieces(shape[i], grid.count[i]) ? at[i] + 1 : 0;
            is_end = at[i] == 0;
        }
    }
    return boxes;
}

}  // namespace staithe::format
