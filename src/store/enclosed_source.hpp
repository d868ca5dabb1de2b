// Blocks whose bytes came along with their refs: small ones, which to ask for would take longer than to send.
//
// One after the other, each on a multiple of `enclosed_alignment`, from the first byte on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/rounding.hpp"
#include "store/block_source.hpp"

namespace staithe::store {

constexpr std::int64_t enclosed_alignment = 16;  // what any memory has, and any element wants

/// From the beginning of a block to that of the next one.
constexpr std::int64_t enclosed_size(std::int64_t bytes) { return base::round_up(bytes, enclosed_alignment); }

/// What these take; nothing if that is more than `most`, or they are encoded.
[[nodiscard]] std::optional<std::int64_t> enclosed_bytes(std::span<const BlockRef> refs, std::int64_t most);

class EnclosedSource final : public BlockSource {
  public:
    /// Others than before. `protocol` unless they are as many bytes as the blocks take.
    base::Result<> hold(std::span<const BlockRef> refs, std::vector<std::byte> bytes);

    /// What views show, as long as somebody has it.
    [[nodiscard]] const std::shared_ptr<const std::vector<std::byte>>& memory() const { return bytes_; }

    base::Result<std::optional<ArrayView>> view(const BlockRef& ref, const BlockDescription& block) override;

  private:
    std::vector<BlockRef> refs_;
    std::shared_ptr<const std::vector<std::byte>> bytes_;
};

}  // namespace staithe::store
