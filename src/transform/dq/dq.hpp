// The codec dq, differences of quantised values: quantised to a bound, predicted, packed by bit planes.
// docs/formats/dq.md.
#pragma once

#include "transform/codec.hpp"
#include "transform/dq/kernels.hpp"

namespace staithe::transform::dq {

class Dq final : public Codec {
  public:
    /// Tests choose the kernels; all make the same bytes.
    explicit Dq(const Kernels& kernels = available_kernels().front()) : kernels_(kernels) {}

    [[nodiscard]] codecs::CodecInfo describe() const override;
    base::Result<> encode(const ArrayView& tile, const TileOptions& options, Scratch& scratch,
                          std::vector<std::byte>& out) const override;
    base::Result<> decode(std::span<const std::byte> coded, const MutableArrayView& tile,
                          Scratch& scratch) const override;

  private:
    const Kernels& kernels_;
};

}  // namespace staithe::transform::dq
