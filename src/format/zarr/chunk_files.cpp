#include "format/zarr/chunk_files.hpp"

#include <cstddef>
#include <utility>

#include "base/result.hpp"

namespace staithe::format::zarr {

std::vector<Chunk> chunks_of(const ChunkGrid& grid, const Extents& shape, Dtype dtype, std::optional<std::int64_t> step,
                             char separator) {
    std::vector<Chunk> chunks;
    for (const Box& box : boxes_of(grid, shape)) {
        Chunk chunk{.box = box, .name = "c"};
        if (step) {
            chunk.name += fmt::format("{}{}", separator, *step / grid.steps);
            chunk.offset = offset_in_chunk(grid, dtype, *step);
        }
        for (std::size_t i = 0; i < shape.size(); ++i) {
            chunk.name += fmt::format("{}{}", separator, box.offset[i] / grid.count[i]);
        }
        chunks.push_back(std::move(chunk));
    }
    return chunks;
}

}  // namespace staithe::format::zarr
