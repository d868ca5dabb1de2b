// What a writer rank has written down: enclosed in its message, or in its pool. Untrusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "stream/describing/record.hpp"
#include "transport/peer_pool.hpp"

namespace staithe::stream {

class Writings {
  public:
    Writings(std::vector<std::byte> enclosed, const std::optional<transport::PeerPool>& pool)
        : enclosed_(std::move(enclosed)), pool_(pool) {}

    [[nodiscard]] base::Result<std::vector<std::byte>> copy_of(std::int64_t offset, std::int64_t length) const {
        if (length > most_record_bytes) {
            return base::fail(ErrorCode::protocol, "a record of {} bytes makes no sense", length);
        }
        if (enclosed_.empty() && pool_) {
            return std::visit([&](const auto& way) { return way->copy_of(offset, length); }, *pool_);
        }
        const auto enclosed = static_cast<std::int64_t>(enclosed_.size());
        if (offset < 0 || length < 0 || offset > enclosed || length > enclosed - offset) {
            return base::fail(ErrorCode::protocol, "{} bytes at {} are not in the {} that came", length, offset,
                              enclosed);
        }
        return std::vector(enclosed_.begin() + offset, enclosed_.begin() + offset + length);
    }

  private:
    const std::vector<std::byte> enclosed_;
    const std::optional<transport::PeerPool>& pool_;
};

}  // namespace staithe::stream
