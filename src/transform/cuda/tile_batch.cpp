#include "transform/cuda/tile_batch.hpp"

#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

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

struct Tile {
    ArrayView view;  // by elements
    dq::TileRows rows;
    std::size_t bytes = 0;
    std::size_t at = 0;  // of its values, in the pinned memory as in the GPU's
};

/// The job of a tile, whose values are in the GPU's memory already.
TileJob job_for(const Tile& tile, std::uintptr_t memory, Shares& shares) {
    const auto take = [&]<class Part>(Part*& part, std::size_t count) {
        part = reinterpret_cast<Part*>(memory + shares.take(count * sizeof(Part)));
    };
    TileJob job;
    job.values = reinterpret_cast<const void*>(memory + tile.at);
    for (std::size_t i = 0; i < tile.rows.count.size(); ++i) {
        job.count[i] = static_cast<std::uint32_t>(tile.rows.count[i]);
    }
    job.depth = static_cast<std::uint32_t>(tile.rows.depth());
    take(job.coded, tile.bytes);
    take(job.quantised, tile.rows.values());
    take(job.residuals, tile.rows.blocks() * dq::block);
    take(job.widths, tile.rows.blocks() * dq::groups_of_block);
    take(job.planes_at, tile.rows.blocks());
    take(job.exceptions, tile.rows.exception_words());
    take(job.common, tile.rows.exception_words());
    return job;
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

}  // namespace

base::Result<> encode_batch(Gpu& gpu, const Launch& launch, const Plan& plan, const codecs::EncodeOptions& options,
                            const std::vector<std::int64_t>& numbers, const base::Deadline& deadline,
                            std::vector<std::vector<std::byte>>& coded) {
    // At both ends first what goes to the GPU, at once, then what it tells.
    Shares shares;
    const std::size_t jobs_at = shares.take(numbers.size() * sizeof(TileJob));
    std::vector<Tile> tiles;
    for (const std::int64_t number : numbers) {
        Tile tile;
        tile.view = *dq::by_elements(plan.tile_of(number));
        tile.rows = dq::rows_of(tile.view);
        tile.bytes = tile.rows.values() * static_cast<std::size_t>(size_of(tile.view.dtype));
        tile.at = shares.take(tile.bytes);
        tiles.push_back(std::move(tile));
    }
    const std::size_t bytes_of_input = shares.bytes();
    const std::size_t sizes_at = shares.take(numbers.size() * sizeof(unsigned));
    const std::size_t bytes_at_both_ends = shares.bytes();
    for (const Tile& tile : tiles) {
        job_for(tile, 0, shares);
    }
    const auto pinned = gpu.pinned(bytes_at_both_ends);
    if (!pinned) {
        return base::fail(pinned);
    }
    const auto memory = gpu.memory(shares.bytes());
    if (!memory) {
        return base::fail(memory);
    }

    Shares room;
    room.take(bytes_at_both_ends);
    std::vector<TileJob> jobs;
    for (const Tile& tile : tiles) {
        jobs.push_back(job_for(tile, reinterpret_cast<std::uintptr_t>(*memory), room));
    }
    std::memcpy(*pinned + jobs_at, jobs.data(), jobs.size() * sizeof(TileJob));
    auto done = gather(tiles, options, *pinned);
    const auto then = [&](const auto& call) {
        if (done) {
            done = call();
        }
    };
    const std::span sizes(reinterpret_cast<unsigned*>(*pinned + sizes_at), tiles.size());
    then([&] { return gpu.copy_in(*memory, std::span(*pinned, bytes_of_input)); });
    then([&] {
        return launch(reinterpret_cast<const TileJob*>(*memory + jobs_at), tiles.size(),
                      reinterpret_cast<unsigned*>(*memory + sizes_at));
    });
    then([&] { return gpu.copy_out(std::as_writable_bytes(sizes), *memory + sizes_at); });
    then([&] { return gpu.wait(deadline); });

    const auto is_coded = [&](std::size_t i) { return sizes[i] > 0 && sizes[i] < tiles[i].bytes; };
    for (std::size_t i = 0; i < tiles.size() && done; ++i) {
        if (is_coded(i)) {  // in the place of the values, which the GPU has
            done = gpu.copy_out(std::span(*pinned + tiles[i].at, sizes[i]), jobs[i].coded);
        }
    }
    then([&] { return gpu.wait(deadline); });
    for (std::size_t i = 0; i < tiles.size() && done; ++i) {
        if (is_coded(i)) {
            const std::byte* const begin = *pinned + tiles[i].at;
            coded[static_cast<std::size_t>(numbers[i])].assign(begin, begin + sizes[i]);
        }
    }
    return done;
}

}  // namespace staithe::transform::cuda
