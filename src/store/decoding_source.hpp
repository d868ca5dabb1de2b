// Decorates a source: blocks that a codec encoded are fetched as they are stored, and decoded here.
//
// The source beneath knows nothing of codecs: it is asked for each encoded block as for a raw one of `ref.bytes`
// elements of u8.
#pragma once

#include <memory>
#include <utility>

#include "store/block_source.hpp"

namespace staithe::store {

class DecodingSource final : public BlockSource {
  public:
    explicit DecodingSource(std::shared_ptr<BlockSource> stored) : stored_(std::move(stored)) {}

    /// Of blocks that are not encoded.
    base::Result<std::optional<ArrayView>> view(const BlockRef& ref, const BlockDescription& block) override;
    base::Result<> fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                         const MutableArrayView& destination) override;

  private:
    base::Result<> fetch_encoded(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                 const MutableArrayView& destination);

    const std::shared_ptr<BlockSource> stored_;
};

}  // namespace staithe::store
