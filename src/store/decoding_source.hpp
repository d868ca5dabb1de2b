// Decorates a source: blocks that a codec encoded, or that are stored in parts, are decoded here, from where the source
// shows what is stored of them, else from what is fetched of it (store/touched_bytes.hpp), not of all blocks at once.
//
// The source beneath knows nothing of codecs: it is asked for each encoded block as for a raw one of `ref.bytes`
// elements of u8.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/function_ref.hpp"
#include "store/block_source.hpp"
#include "store/touched_bytes.hpp"

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
    /// By their owner those that are not encoded.
    base::Result<> reduce(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                          reducing::Reduction& into) override;
    Evaluator* evaluator(const BlockRef& ref) override;
    std::unique_ptr<Order> order(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                 const MutableArrayView& destination) override;
    [[nodiscard]] base::Seconds delay() const override { return stored_->delay(); }
    void stop() override { stored_->stop(); }

  private:
    /// Of an encoded block: what is stored of it.
    using Use = base::FunctionRef<base::Result<>(const Piece& piece, const StoredBytes& stored)>;
    class OneBlock;
    class Decoded;
    /// Where it is among what is stored, and of how many elements.
    struct Payload {
        Extents shape{};
        std::int64_t first = 0;
        std::int64_t bytes = 0;
    };

    base::Result<> decode(const BlockRef& ref, const Piece& piece, const StoredBytes& stored,
                          const MutableArrayView& destination) const;
    base::Result<> decode_payload(const BlockDescription& block, const StoredBytes& stored, const Payload& where,
                                  const Box& box, const MutableArrayView& elements) const;
    base::Result<> decode_parts(const BlockDescription& block, const StoredBytes& stored, const Box& box,
                                const MutableArrayView& elements) const;
    base::Result<std::optional<StoredBytes>> shown(const BlockRef& ref, const Piece& piece);
    base::Result<> use_stored(std::span<const BlockRef> refs, std::span<const Piece> pieces, Use use);

    const std::shared_ptr<BlockSource> stored_;
    const Check check_;  // null: all are to be used
};

}  // namespace staithe::store
