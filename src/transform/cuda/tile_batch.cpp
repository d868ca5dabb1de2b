#include "transform/cuda/tile_batch.hpp"

#include <numeric>
#include <optional>
#include <utility>

#include "array/strided_copy.hpp"
#include "transform/parallel.hpp"
#include "transform/rounding.hpp"

namespace staithe::transform::cuda {
namespace {

/// Memory at both ends: first what goes to the GPU, at once, then what it tells, then what it works in.
struct Batch {
    std::vector<BatchTile> tiles;
    std::size_t bytes_of_input = 0;
    std::size_t sizes_at = 0;
    std::size_t bytes_of_host = 0;
    std::size_t bytes = 0;
};

base::Result<Batch> lay_out(TileWork& work, const Plan& plan, const std::vector<std::int64_t>& numbers) {
    Batch batch;
    for (const std::int64_t number : numbers) {
        BatchTile& tile = batch.tiles.emplace_back();
        tile.view = work.elements_of(plan.tile_of(number));
        tile.bytes = static_cast<std::size_t>(size_in_bytes(tile.view.shape, tile.view.dtype).value_or(0));
    }
    Shares shares;
    work.take_input(batch.tiles, shares);
    for (BatchTile& tile : batch.tiles) {
        tile.at = shares.take(tile.bytes);
    }
    batch.bytes_of_input = shares.bytes();
    batch.sizes_at = shares.take(numbers.size() * sizeof(unsigned));
    batch.bytes_of_host = shares.bytes();
    if (auto taken = work.take_memory(batch.tiles, shares); !taken) {
        return base::fail(std::move(taken));
    }
    batch.bytes = shares.bytes();
    return batch;
}

/// The values of all tiles, each in the order in which they are coded.
base::Result<> gather(const Plan& plan, const std::vector<BatchTile>& tiles, const codecs::EncodeOptions& options,
                      std::byte* memory) {
    std::vector<std::size_t> numbers(tiles.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    return for_each(
        numbers, options.threads, options.memory, [&](std::size_t number, Scratch& scratch) -> base::Result<> {
            const BatchTile& tile = tiles[number];
            const auto to = MutableArrayView::row_major(memory + tile.at, tile.view.dtype, tile.view.shape);
            array::copy(to, plan.options.share > 0.0 ? rounded(tile.view, plan.options, scratch) : tile.view);
            return {};
        });
}

/// What came of the tiles, whose sizes are there.
class Collecting {
  public:
    Collecting(Gpu& gpu, TileWork& work, const Batch& batch, std::byte* pinned, const std::byte* memory)
        : gpu_(gpu),
          work_(work),
          batch_(batch),
          pinned_(pinned),
          memory_(memory),
          sizes_(reinterpret_cast<const unsigned*>(pinned + batch.sizes_at), batch.tiles.size()) {}

    /// In the place of the values, which the GPU has.
    base::Result<> begin() {
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            const BatchTile& tile = batch_.tiles[i];
            if (!is_coded(i)) {
                continue;
            }
            if (!looked_at_ && work_.is_checked()) {
                looked_at_ = i;
                went_.assign(pinned_ + tile.at, pinned_ + tile.at + tile.bytes);
            }
            auto begun = gpu_.copy_out({pinned_ + tile.at, sizes_[i]}, memory_ + work_.place_of_coded(i));
            if (!begun) {
                return begun;
            }
        }
        return {};
    }

    /// When all is done that was begun.
    base::Result<> finish(const std::vector<std::int64_t>& numbers, std::vector<CodedThere>& coded) {
        if (looked_at_) {
            const BatchTile& tile = batch_.tiles[*looked_at_];
            auto checked = work_.check(ArrayView::row_major(went_.data(), tile.view.dtype, tile.view.shape),
                                       {pinned_ + tile.at, sizes_[*looked_at_]});
            if (!checked) {
                return checked;
            }
        }
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            if (is_coded(i) || sizes_[i] == batch_.tiles[i].bytes) {
                const std::byte* const first = pinned_ + batch_.tiles[i].at;
                auto& there = coded[static_cast<std::size_t>(numbers[i])];
                there.method = is_coded(i) ? TileMethod::codec : TileMethod::raw;
                there.bytes.assign(first, first + sizes_[i]);
            }
        }
        return {};
    }

  private:
    [[nodiscard]] bool is_coded(std::size_t i) const { return sizes_[i] > 0 && sizes_[i] < batch_.tiles[i].bytes; }

    Gpu& gpu_;
    TileWork& work_;
    const Batch& batch_;
    std::byte* const pinned_;
    const std::byte* const memory_;
    const std::span<const unsigned> sizes_;
    std::optional<std::size_t> looked_at_;  // this tile
    std::vector<std::byte> went_;           // its values
};

}  // namespace

base::Result<> encode_batch(Gpu& gpu, TileWork& work, const Plan& plan, const codecs::EncodeOptions& options,
                            const std::vector<std::int64_t>& numbers, const base::Deadline& deadline,
                            std::vector<CodedThere>& coded) {
    const auto batch = lay_out(work, plan, numbers);
    const auto pinned = batch ? gpu.pinned(batch->bytes_of_host) : base::fail(batch);
    const auto memory = pinned ? gpu.memory(batch->bytes) : base::fail(pinned);
    if (!memory) {
        return base::fail(memory);
    }
    const std::size_t bytes_of_sizes = numbers.size() * sizeof(unsigned);
    std::byte* const sizes = *memory + batch->sizes_at;
    work.write_input(batch->tiles, *pinned, *memory);
    auto done = gather(plan, batch->tiles, options, *pinned);
    done = done ? gpu.copy_in(*memory, {*pinned, batch->bytes_of_input}) : std::move(done);
    done = done ? work.begin(gpu, numbers.size(), *memory, reinterpret_cast<unsigned*>(sizes)) : std::move(done);
    done = done ? gpu.copy_out({*pinned + batch->sizes_at, bytes_of_sizes}, sizes) : std::move(done);
    done = done ? gpu.wait(deadline) : std::move(done);
    if (!done) {
        return done;
    }
    Collecting collecting(gpu, work, *batch, *pinned, *memory);
    done = collecting.begin();
    done = done ? gpu.wait(deadline) : std::move(done);
    return done ? collecting.finish(numbers, coded) : done;
}

}  // namespace staithe::transform::cuda
