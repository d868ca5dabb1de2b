// Tiles of an array that a GPU codes at once: there and back. What is done with them there is a `TileWork`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "base/rounding.hpp"
#include "transform/cuda/gpu.hpp"
#include "transform/plan.hpp"

namespace staithe::transform::cuda {

/// Memory that is shared out, aligned to what the GPU fetches at once.
class Shares {
  public:
    static constexpr std::size_t alignment = 128;

    static constexpr std::size_t aligned(std::size_t bytes) { return base::round_up(bytes, alignment); }
    std::size_t take(std::size_t bytes) {
        const std::size_t begin = bytes_;
        bytes_ += aligned(bytes);
        return begin;
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

  private:
    std::size_t bytes_ = 0;
};

struct BatchTile {
    ArrayView view;
    std::size_t bytes = 0;
    std::size_t at = 0;  // of its values, in the pinned memory as in the GPU's
};

/// What a GPU does with tiles. Of one batch after the other; calls come in this order.
class TileWork {
  public:
    virtual ~TileWork() = default;
    /// As its elements are to lie in the GPU's memory, without gaps.
    [[nodiscard]] virtual ArrayView elements_of(const ArrayView& tile) const = 0;
    /// Takes room for what goes there besides the values.
    virtual void take_input(const std::vector<BatchTile>& tiles, Shares& shares) = 0;
    /// And for what is only there.
    virtual base::Result<> take_memory(const std::vector<BatchTile>& tiles, Shares& shares) = 0;
    /// Writes that to `input`, for tiles in `memory` of the GPU.
    virtual void write_input(const std::vector<BatchTile>& tiles, std::byte* input, std::byte* memory) = 0;
    /// `bytes`, in that memory, will have what each tile has taken: all its bytes if it is to stay as it is, and 0 if
    /// it is left to the CPU.
    virtual base::Result<> begin(Gpu& gpu, std::size_t count, std::byte* memory, unsigned* bytes) = 0;
    /// From the first byte of the memory on.
    [[nodiscard]] virtual std::size_t place_of_coded(std::size_t number) const = 0;

    /// Whether one tile of each batch is looked at, as it went and as it came.
    [[nodiscard]] virtual bool is_checked() const { return false; }
    virtual base::Result<> check(const ArrayView& /*went*/, std::span<const std::byte> /*coded*/) { return {}; }
};

/// What has become of a tile.
struct CodedThere {
    TileMethod method = TileMethod::codec;
    std::vector<std::byte> bytes;  // none: it is left to the CPU
};

/// Codes the tiles of those numbers; `coded[number]` is what came of each.
base::Result<> encode_batch(Gpu& gpu, TileWork& work, const Plan& plan, const codecs::EncodeOptions& options,
                            const std::vector<std::int64_t>& numbers, const base::Deadline& deadline,
                            std::vector<CodedThere>& coded);

}  // namespace staithe::transform::cuda
