// Chunks of a store, as they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "format/plan.hpp"
#include "format/recording.hpp"
#include "format/zarr/chunk_files.hpp"
#include "format/zarr/shards.hpp"

namespace staithe::format::zarr {

/// Where an array in that folder lies: of the step of that place, unless it does not lie along steps.
[[nodiscard]] StoredArray stored(const ArrayNode& array, const std::string& folder, std::optional<std::int64_t> place,
                                 const ChunkKeys& keys);

/// As a `RecordingReader` reads them. Thread-safe.
class StoredChunks {
  public:
    base::Result<> read(const StoredPart& part, std::int64_t first, std::span<std::byte> elements);
    [[nodiscard]] base::Result<std::optional<std::vector<std::byte>>> read_packed(const StoredPart& part);

  private:
    ReadShards shards_;
};

}  // namespace staithe::format::zarr
