// Decorates a source: blocks that a codec encoded, or that are stored in parts, are fetched as they are stored, and
// decoded here.
//
// The source beneath knows nothing of codecs: it is asked for each encoded block as for a raw one of `ref.bytes`
// elements of u8.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "store/block_source.hpp"

namespace staithe::store {

class DecodingSource final : public BlockSource {
  public:
    /// Of a block whose values may be off by so much, encoded; `failure` where they are not to be used.
    using Check = std::function<base::Result<>(const BlockDescription& block, double bound)>;

    explicit DecodingSource(std::shared_ptr<BlockSource> stored, Check check = nullptr)
        : stored_(std::move(stored)), check_(std::move(check)) {}

    void expect(std::span<const BlockRef> refs) override { stored_->expect(refs); }
    /// Of blocks that are not encoded.
    base::Result<std::optional<ArrayView>> view(const BlockRef& ref, const BlockDescription& block) override;
    base::Result<> fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                         const MutableArrayView& destination) override;
    /// By their owner where none is encoded.
    base::Result<> reduce(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                          reducing::Reduction& into) override;
    std::unique_ptr<Order> order(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                 const MutableArrayView& destination) override;
    [[nodiscard]] base::Seconds delay() const override { return stored_->delay(); }
    void stop() override { stored_->stop(); }

  private:
    base::Result<> decode(const BlockRef& ref, const Piece& piece, std::span<const std::byte> stored,
                          const MutableArrayView& destination) const;
    base::Result<> decode_payload(const BlockDescription& block, std::span<const std::byte> payload,
                                  const Extents& shape, const Box& box, const MutableArrayView& elements) const;
    base::Result<> decode_parts(const Piece& piece, std::span<const std::byte> stored,
                                const MutableArrayView& destination) const;
    base::Result<> fetch_encoded(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                 const MutableArrayView& destination);

    const std::shared_ptr<BlockSource> stored_;
    const Check check_;  // null: all are to be used
};

}  // namespace staithe::store
