#include "transform/cuda/tile_batch.hpp"

#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>

#include "array/strided_copy.hpp"
#include "transform/dq/elements.hpp"
#include "transform/parallel.hpp"

namespace staithe::transform::cuda {
namespace {

/// Memory that is shared out, aligned to what the GPU fetches at once.
class Shares {
  public:
    std::size_t take(std::size_t bytes) {
        const std::size_t begin = bytes_;
        bytes_ += (bytes + alignment - 1) / alignment * alignment;
        return begin;
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

  private:
    static constexpr std::size_t alignment = 128;
    std::size_t bytes_ = 0;
};

/// Where the parts of a tile's job lie, from the first byte of the GPU's memory on.
struct Places {
    std::size_t coded = 0;
    std::size_t quantised = 0;
    std::size_t residuals = 0;
    std::size_t widths = 0;
    std::size_t planes_at = 0;
    std::size_t exceptions = 0;
    std::size_t common = 0;
};

struct Tile {
    ArrayView view;  // by elements
    dq::TileRows rows;
    std::size_t bytes = 0;
    std::size_t at = 0;  // of its values, in the pinned memory as in the GPU's
    Places places;
};

Places places_of(const Tile& tile, Shares& shares) {
    Places places;
    places.coded = shares.take(tile.bytes);
    places.quantised = shares.take(tile.rows.values() * sizeof(std::uint32_t));
    places.residuals = shares.take(tile.rows.blocks() * dq::block * sizeof(std::uint32_t));
    places.widths = shares.take(tile.rows.blocks() * dq::groups_of_block);
    places.planes_at = shares.take(tile.rows.blocks() * sizeof(std::uint32_t));
    places.exceptions = shares.take(tile.rows.exception_words() * sizeof(std::uint32_t));
    places.common = shares.take(tile.rows.exception_words() * sizeof(std::uint32_t));
    return places;
}

TileJob job_for(const Tile& tile, std::byte* memory) {
    const auto words = [memory](std::size_t at) { return reinterpret_cast<std::uint32_t*>(memory + at); };
    TileJob job;
    job.values = memory + tile.at;
    for (std::size_t i = 0; i < tile.rows.count.size(); ++i) {
        job.count[i] = static_cast<std::uint32_t>(tile.rows.count[i]);
    }
    job.depth = static_cast<std::uint32_t>(tile.rows.depth());
    job.coded = memory + tile.places.coded;
    job.quantised = words(tile.places.quantised);
    job.residuals = words(tile.places.residuals);
    job.widths = reinterpret_cast<std::uint8_t*>(memory + tile.places.widths);
    job.planes_at = words(tile.places.planes_at);
    job.exceptions = words(tile.places.exceptions);
    job.common = words(tile.places.common);
    return job;
}

/// Memory at both ends: first what goes to the GPU, at once, then what it tells, then what it works in.
struct Batch {
    std::vector<Tile> tiles;
    std::size_t jobs_at = 0;
    std::size_t bytes_of_input = 0;
    std::size_t sizes_at = 0;
    std::size_t bytes_of_host = 0;
    std::size_t bytes = 0;
};

Batch lay_out(const Plan& plan, const std::vector<std::int64_t>& numbers) {
    Batch batch;
    Shares shares;
    batch.jobs_at = shares.take(numbers.size() * sizeof(TileJob));
    for (const std::int64_t number : numbers) {
        Tile tile;
        tile.view = *dq::by_elements(plan.tile_of(number));
        tile.rows = dq::rows_of(tile.view);
        tile.bytes = tile.rows.values() * static_cast<std::size_t>(size_of(tile.view.dtype));
        tile.at = shares.take(tile.bytes);
        batch.tiles.push_back(tile);
    }
    batch.bytes_of_input = shares.bytes();
    batch.sizes_at = shares.take(numbers.size() * sizeof(unsigned));
    batch.bytes_of_host = shares.bytes();
    for (Tile& tile : batch.tiles) {
        tile.places = places_of(tile, shares);
    }
    batch.bytes = shares.bytes();
    return batch;
}

/// The values of all tiles, each in the order in which they are coded.
base::Result<> gather(const std::vector<Tile>& tiles, const codecs::EncodeOptions& options, std::byte* memory) {
    std::vector<std::size_t> numbers(tiles.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    return for_each(
        numbers, options.threads, options.memory, [&](std::size_t number, Scratch& /*scratch*/) -> base::Result<> {
            const Tile& tile = tiles[number];
            array::copy(MutableArrayView::row_major(memory + tile.at, tile.view.dtype, tile.view.shape), tile.view);
            return {};
        });
}

/// Has the GPU code them, and tell their bytes.
base::Result<> begin(Gpu& gpu, const Launch& launch, const Batch& batch, std::byte* pinned, std::byte* memory) {
    std::vector<TileJob> jobs;
    for (const Tile& tile : batch.tiles) {
        jobs.push_back(job_for(tile, memory));
    }
    std::memcpy(pinned + batch.jobs_at, jobs.data(), jobs.size() * sizeof(TileJob));
    auto done = gpu.copy_in(memory, std::span(pinned, batch.bytes_of_input));
    if (done) {
        done = launch(reinterpret_cast<const TileJob*>(memory + batch.jobs_at), jobs.size(),
                      reinterpret_cast<unsigned*>(memory + batch.sizes_at));
    }
    return done ? gpu.copy_out(std::span(pinned + batch.sizes_at, jobs.size() * sizeof(unsigned)),
                               memory + batch.sizes_at)
                : done;
}

}  // namespace

base::Result<> encode_batch(Gpu& gpu, const Launch& launch, const Plan& plan, const codecs::EncodeOptions& options,
                            const std::vector<std::int64_t>& numbers, const base::Deadline& deadline,
                            std::vector<std::vector<std::byte>>& coded) {
    const Batch batch = lay_out(plan, numbers);
    const auto pinned = gpu.pinned(batch.bytes_of_host);
    const auto memory = pinned ? gpu.memory(batch.bytes) : base::fail(pinned);
    if (!memory) {
        return base::fail(memory);
    }
    auto done = gather(batch.tiles, options, *pinned);
    done = done ? begin(gpu, launch, batch, *pinned, *memory) : std::move(done);
    done = done ? gpu.wait(deadline) : std::move(done);

    const std::span sizes(reinterpret_cast<const unsigned*>(*pinned + batch.sizes_at), numbers.size());
    const auto is_coded = [&](std::size_t i) { return sizes[i] > 0 && sizes[i] < batch.tiles[i].bytes; };
    for (std::size_t i = 0; i < numbers.size() && done; ++i) {
        const Tile& tile = batch.tiles[i];
        if (is_coded(i)) {  // in the place of the values, which the GPU has
            done = gpu.copy_out(std::span(*pinned + tile.at, sizes[i]), *memory + tile.places.coded);
        }
    }
    done = done ? gpu.wait(deadline) : std::move(done);
    for (std::size_t i = 0; i < numbers.size() && done; ++i) {
        if (is_coded(i)) {
            const std::byte* const first = *pinned + batch.tiles[i].at;
            coded[static_cast<std::size_t>(numbers[i])].assign(first, first + sizes[i]);
        }
    }
    return done;
}

}  // namespace staithe::transform::cuda
