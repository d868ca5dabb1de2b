// Codecs that shuffle the elements of a tile and leave the rest to a library: exact, for elements of every dtype.
// docs/formats/shuffled.md.
#pragma once

#include <optional>
#include <vector>

#include "transform/codec.hpp"
#include "transform/shuffled/compressor.hpp"
#include "transform/shuffled/shuffles.hpp"

namespace staithe::transform::shuffled {

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

    /// The elements shuffled and compressed, in `scratch`; nothing if that gains too little.
    [[nodiscard]] Bytes compressed(Bytes elements, std::size_t item, Level level, Scratch& scratch) const;
    /// The level at which the tile is worth compressing, if it is.
    [[nodiscard]] std::optional<Level> level_for(Bytes elements, std::size_t item, codecs::Mode mode,
                                                 Scratch& scratch) const;

    const Shuffle& shuffle_;
    const Compressor& compressor_;
};

/// One for each shuffle and library.
[[nodiscard]] std::vector<KnownCodec> known_codecs();

}  // namespace staithe::transform::shuffled
