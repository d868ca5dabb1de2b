// A codec made of a bare library: whatever the library does, values keep the bound. docs/formats/verified.md.
//
// Values that must come back bit by bit are kept from the library. What it made of the others is decoded and compared,
// value by value, while it is encoded; a value that misses the bound is kept bit by bit, too. A tile of which too many
// do, or that the library failed at, is given up.
#pragma once

#include <memory>

#include "transform/codec.hpp"
#include "transform/verified/library.hpp"

namespace staithe::transform::verified {

class VerifiedCodec final : public Codec {
  public:
    /// Without one of the libraries, the codec gives up what that is for.
    VerifiedCodec(codecs::CodecInfo info, std::unique_ptr<LossyLibrary> lossy,
                  std::unique_ptr<LosslessLibrary> lossless)
        : info_(std::move(info)), lossy_(std::move(lossy)), lossless_(std::move(lossless)) {}

    [[nodiscard]] codecs::CodecInfo describe() const override { return info_; }
    base::Result<> encode(const ArrayView& tile, const TileOptions& options, Scratch& scratch,
                          std::vector<std::byte>& out) const override;
    base::Result<> decode(std::span<const std::byte> coded, const MutableArrayView& tile,
                          Scratch& scratch) const override;
    [[nodiscard]] bool is_trusting() const override;

  private:
    base::Result<> encode_bounded_tile(const ArrayView& tile, const TileOptions& options, Scratch& scratch,
                                       std::vector<std::byte>& out) const;
    base::Result<> encode_exact_tile(const ArrayView& tile, codecs::Mode mode, Scratch& scratch,
                                     std::vector<std::byte>& out) const;

    const codecs::CodecInfo info_;
    const std::unique_ptr<LossyLibrary> lossy_;
    const std::unique_ptr<LosslessLibrary> lossless_;
};

}  // namespace staithe::transform::verified
