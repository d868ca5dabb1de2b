// Exact tiles on a GPU: shuffled by a kernel, made smaller by nvCOMP, as tiles of the shuffled codecs.
#pragma once

#include <span>
#include <vector>

#include "transform/cuda/nvcomp.hpp"
#include "transform/cuda/tile_batch.hpp"

namespace staithe::transform::cuda {

/// nvCOMP is asked for a stream that everybody reads, and believed once one tile of each batch was: it is decoded here.
class ShuffledTiles final : public TileWork {
  public:
    /// Of that codec, whose tiles the compressor makes.
    ShuffledTiles(const Nvcomp::Compressor& by, const Codec& codec, Stream stream)
        : by_(by), codec_(codec), stream_(stream) {}

    /// Whether nvCOMP has failed, or has made something else, and not the GPU.
    [[nodiscard]] bool has_nvcomp_failed() const { return has_nvcomp_failed_; }

    [[nodiscard]] ArrayView elements_of(const ArrayView& tile) const override { return tile; }
    void take_input(const std::vector<BatchTile>& tiles, Shares& shares) override;
    base::Result<> take_memory(const std::vector<BatchTile>& tiles, Shares& shares) override;
    void write_input(const std::vector<BatchTile>& tiles, std::byte* input, std::byte* memory) override;
    base::Result<> begin(Gpu& gpu, std::size_t count, std::byte* memory, unsigned* bytes) override;
    /// Where the values were: these have been shuffled.
    [[nodiscard]] std::size_t place_of_coded(std::size_t number) const override { return coded_[number]; }
    [[nodiscard]] bool is_checked() const override { return true; }
    base::Result<> check(const ArrayView& went, std::span<const std::byte> coded) override;

  private:
    [[nodiscard]] std::size_t pieces_of(const BatchTile& tile) const;
    base::Result<> checked(const char* what, int code);

    const Nvcomp::Compressor by_;
    const Codec& codec_;
    const Stream stream_;
    bool has_nvcomp_failed_ = false;

    // Of the batch:
    std::size_t pieces_ = 0;
    std::size_t longest_ = 0;  // of the pieces
    std::size_t bytes_ = 0;    // of all
    // Where what goes there lies, and then what is only there:
    std::size_t jobs_at_ = 0;
    std::size_t pieces_at_ = 0;
    std::size_t bytes_at_ = 0;
    std::size_t made_at_ = 0;
    std::vector<std::size_t> shuffled_;
    std::vector<std::size_t> coded_;
    std::size_t room_ = 0;  // of what becomes of a piece
    std::size_t rooms_at_ = 0;
    std::size_t made_bytes_at_ = 0;
    std::size_t statuses_at_ = 0;
    std::size_t work_at_ = 0;
    std::size_t work_bytes_ = 0;
};

}  // namespace staithe::transform::cuda
