#include "format/zarr/chunk_files.hpp"

#include <cstddef>
#include <utility>

#include "base/result.hpp"

namespace staithe::format::zarr {

namespace {

/// The place of a chunk among all, dimension by dimension, slowest first.
class Naming {
  public:
    explicit Naming(const ChunkKeys& keys) : keys_(keys) {}

    /// The chunk of that index, where so many lie together.
    void add(std::int64_t index, std::int64_t together) {
        name_ += fmt::format("{}{}", name_.empty() ? "" : std::string(1, keys_.separator), index / together);
        in_shard_.chunk = in_shard_.chunk * together + index % together;
        in_shard_.chunks *= together;
    }
    [[nodiscard]] std::string name() const { return name_.empty() ? "0" : name_; }
    [[nodiscard]] const InShard& in_shard() const { return in_shard_; }

  private:
    const ChunkKeys keys_;
    std::string name_ = keys_.has_letter ? "c" : "";
    InShard in_shard_;
};

}  // namespace

std::vector<Chunk> chunks_of(const ChunkGrid& grid, const Extents& shape, Dtype dtype, std::optional<std::int64_t> step,
                             const ChunkKeys& keys) {
    const Shard shard = grid.shard.value_or(Shard{.count = Extents::filled(shape.size(), 1)});
    std::vector<Chunk> chunks;
    for (const Box& box : boxes_of(grid, shape)) {
        Naming naming(keys);
        if (step) {
            naming.add(*step / grid.steps, shard.steps);
        }
        for (std::size_t i = 0; i < shape.size(); ++i) {
            naming.add(box.offset[i] / grid.count[i], shard.count[i]);
        }
        chunks.push_back({.box = box,
                          .name = naming.name(),
                          .offset = step ? offset_in_chunk(grid, dtype, *step) : 0,
                          .in_shard = grid.shard ? std::optional(naming.in_shard()) : std::nullopt});
    }
    return chunks;
}

}  // namespace staithe::format::zarr
