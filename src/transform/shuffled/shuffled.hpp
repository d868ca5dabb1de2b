// Codecs that shuffle the elements of a tile and leave the rest to a library: exact, for elements of every dtype.
// docs/formats/shuffled.md.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "transform/codec.hpp"
#include "transform/shuffled/compressor.hpp"
#include "transform/shuffled/shuffles.hpp"

namespace staithe::transform::shuffled {

/// The most bytes that are worth their time, instead of so many that take less of it: a twentieth is to be gained.
constexpr std::size_t worthwhile(std::size_t bytes) { return bytes - (bytes + 20) / 21; }

class Shuffled final : public Codec {
  public:
    Shuffled(const Shuffle& shuffle, const Compressor& compressor) : shuffle_(shuffle), compressor_(compressor) {}

    [[nodiscard]] codecs::CodecInfo describe() const override;
    /// Appends nothing if that gains less than a twentieth, as far as a sample of the tile tells.
    base::Result<> encode(const ArrayView& tile, const TileOptions& options, Scratch& scratch,
                          std::vector<std::byte>& out) const override;
    base::Result<> decode(std::span<const std::byte> coded, const MutableArrayView& tile,
                          Scratch& scratch) const override;

  private:
    using Bytes = std::span<const std::byte>;

    // All of them work in `scratch`, and what they return lies there.
    [[nodiscard]] Bytes shuffled(Bytes elements, std::size_t item, Scratch& scratch) const;
    /// Nothing if it would not fit `most` bytes.
    [[nodiscard]] Bytes compressed(Bytes from, std::size_t most, int level, Scratch& scratch) const;
    /// What a shuffled sample comes to, plane by plane of bytes.
    [[nodiscard]] std::size_t estimated(Bytes sample, std::size_t item, int level, Scratch& scratch) const;
    /// At which level the tile is worth compressing, if it is.
    [[nodiscard]] std::optional<int> level_for(Bytes elements, std::size_t item, const TileOptions& options,
                                               Scratch& scratch) const;

    const Shuffle& shuffle_;
    const Compressor& compressor_;
};

/// One for each shuffle and library.
[[nodiscard]] std::vector<KnownCodec> known_codecs();

}  // namespace staithe::transform::shuffled
