// What a compressor as its authors made it looks like from here. It knows nothing of masks, tiles or payloads, and what
// it promises is not believed: verified.hpp makes a codec of it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <staithe/array_view.hpp>
#include <staithe/transform.hpp>

#include "base/result.hpp"

namespace staithe::transform::verified {

/// Called by several threads at a time. May fail or throw: then the block is stored another way.
class LossyLibrary {
  public:
    virtual ~LossyLibrary() = default;

    /// Appends the block so that each of its values should come back no further off than `tolerance`, which is above 0.
    /// The block is dense, in C order, of f32 or f64, has 1 to `most_dimensions()` dimensions; all values are finite.
    virtual base::Result<> compress(const ArrayView& block, double tolerance, codecs::Mode mode,
                                    std::vector<std::byte>& out) const = 0;
    /// Into memory like that of the block, with the tolerance of `compress`. The bytes are what that made, unless they
    /// were damaged: then it fails, or is trusting.
    virtual base::Result<> decompress(std::span<const std::byte> coded, double tolerance,
                                      const MutableArrayView& block) const = 0;

    /// Whether bytes that are damaged can make it do anything.
    [[nodiscard]] virtual bool is_trusting() const = 0;
    [[nodiscard]] virtual std::size_t most_dimensions() const { return 4; }
    /// How often the tolerance may be doubled: above 0 for a library that mostly stays far below it.
    [[nodiscard]] virtual int raises() const { return 0; }
};

/// Called by several threads at a time. May fail or throw: then the tile is stored another way.
class LosslessLibrary {
  public:
    virtual ~LosslessLibrary() = default;

    /// Appends the bytes, which are elements of `item` bytes each.
    virtual base::Result<> compress(std::span<const std::byte> bytes, std::size_t item, codecs::Mode mode,
                                    std::vector<std::byte>& out) const = 0;
    /// Into as many bytes as there were.
    virtual base::Result<> decompress(std::span<const std::byte> coded, std::size_t item,
                                      std::span<std::byte> bytes) const = 0;
    /// Whether bytes that are damaged can make it do anything.
    [[nodiscard]] virtual bool is_trusting() const = 0;
};

}  // namespace staithe::transform::verified
