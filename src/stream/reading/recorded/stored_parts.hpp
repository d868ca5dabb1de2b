// The blocks of a step of a recording: parts of arrays as they are stored, and rows of arrays that several parts have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "format/recording.hpp"
#include "store/reading_source.hpp"

namespace staithe::stream::recorded {

/// A local array: rows, from one on, of an array that these parts have.
struct StoredRows {
    std::int64_t first = 0;
    std::size_t first_part = 0;
    std::size_t parts = 0;
};

class StoredParts final : public store::ReadingSource {
  public:
    /// A store each: first the parts, then the rows.
    StoredParts(std::shared_ptr<const format::RecordingReader> recording, std::vector<format::StoredPart> parts,
                std::vector<StoredRows> rows);

  private:
    [[nodiscard]] std::int64_t work_for(const store::BlockRef& ref, const store::Piece& piece) const override;
    base::Result<> fetch_piece(const store::BlockRef& ref, const store::Piece& piece,
                               const MutableArrayView& destination) override;
    base::Result<> fetch_rows(const StoredRows& rows, const store::Piece& piece, const MutableArrayView& destination);
    base::Result<> read(const store::BlockRef& ref, std::int64_t first, std::span<std::byte> destination) override;

    const std::shared_ptr<const format::RecordingReader> recording_;
    const std::vector<format::StoredPart> parts_;
    const std::vector<StoredRows> rows_;
};

}  // namespace staithe::stream::recorded
