#include "transform/cuda/dq_tiles.hpp"

#include <cstdint>
#include <cstring>

#include "transform/cuda/tile_job.hpp"

namespace staithe::transform::cuda {

template <class T>
ArrayView DqTiles<T>::elements_of(const ArrayView& tile) const {
    return *dq::by_elements(tile);
}

template <class T>
void DqTiles<T>::take_input(const std::vector<BatchTile>& tiles, Shares& shares) {
    jobs_at_ = shares.take(tiles.size() * sizeof(TileJob));
}

template <class T>
base::Result<> DqTiles<T>::take_memory(const std::vector<BatchTile>& tiles, Shares& shares) {
    places_.clear();
    for (const BatchTile& tile : tiles) {
        const dq::TileRows rows = dq::rows_of(tile.view);
        Places& places = places_.emplace_back();
        places.rows = rows;
        places.coded = shares.take(tile.bytes);
        places.quantised = shares.take(rows.values() * sizeof(std::uint32_t));
        places.residuals = shares.take(rows.blocks() * dq::block * sizeof(std::uint32_t));
        places.widths = shares.take(rows.blocks() * dq::groups_of_block);
        places.planes_at = shares.take(rows.blocks() * sizeof(std::uint32_t));
        places.exceptions = shares.take(rows.exception_words() * sizeof(std::uint32_t));
        places.common = shares.take(rows.exception_words() * sizeof(std::uint32_t));
    }
    return {};
}

template <class T>
void DqTiles<T>::write_input(const std::vector<BatchTile>& tiles, std::byte* input, std::byte* memory) {
    const auto words = [memory](std::size_t at) { return reinterpret_cast<std::uint32_t*>(memory + at); };
    for (std::size_t number = 0; number < tiles.size(); ++number) {
        const Places& places = places_[number];
        TileJob job;
        job.values = memory + tiles[number].at;
        for (std::size_t i = 0; i < places.rows.count.size(); ++i) {
            job.count[i] = static_cast<std::uint32_t>(places.rows.count[i]);
        }
        job.depth = static_cast<std::uint32_t>(places.rows.depth());
        job.coded = memory + places.coded;
        job.quantised = words(places.quantised);
        job.residuals = words(places.residuals);
        job.widths = reinterpret_cast<std::uint8_t*>(memory + places.widths);
        job.planes_at = words(places.planes_at);
        job.exceptions = words(places.exceptions);
        job.common = words(places.common);
        std::memcpy(input + jobs_at_ + number * sizeof(job), &job, sizeof(job));
    }
}

template <class T>
base::Result<> DqTiles<T>::begin(Gpu& gpu, std::size_t count, std::byte* memory, unsigned* bytes) {
    return gpu.encode_tiles(reinterpret_cast<const TileJob*>(memory + jobs_at_), count, bytes, quantiser_);
}

template class DqTiles<float>;
template class DqTiles<double>;

}  // namespace staithe::transform::cuda
