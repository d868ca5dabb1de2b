// dq's fast way on a GPU: the kernels of encode_tiles.cu.
#pragma once

#include <vector>

#include "transform/cuda/tile_batch.hpp"
#include "transform/dq/elements.hpp"
#include "transform/dq/quantisation.hpp"

namespace staithe::transform::cuda {

template <class T>
class DqTiles final : public TileWork {
  public:
    explicit DqTiles(const dq::Quantiser<T>& quantiser) : quantiser_(quantiser) {}

    [[nodiscard]] ArrayView elements_of(const ArrayView& tile) const override;
    void take_input(const std::vector<BatchTile>& tiles, Shares& shares) override;
    base::Result<> take_memory(const std::vector<BatchTile>& tiles, Shares& shares) override;
    void write_input(const std::vector<BatchTile>& tiles, std::byte* input, std::byte* memory) override;
    base::Result<> begin(Gpu& gpu, std::size_t count, std::byte* memory, unsigned* bytes) override;
    [[nodiscard]] std::size_t place_of_coded(std::size_t number) const override { return places_[number].coded; }

  private:
    /// Where the parts of a tile's job lie, from the first byte of the GPU's memory on.
    struct Places {
        dq::TileRows rows;
        std::size_t coded = 0;
        std::size_t quantised = 0;
        std::size_t residuals = 0;
        std::size_t widths = 0;
        std::size_t planes_at = 0;
        std::size_t exceptions = 0;
        std::size_t common = 0;
    };

    const dq::Quantiser<T> quantiser_;
    std::size_t jobs_at_ = 0;
    std::vector<Places> places_;
};

extern template class DqTiles<float>;
extern template class DqTiles<double>;

}  // namespace staithe::transform::cuda
