// Shards: files of many chunks, at the end of which an index says where each of them lies (the codec
// "sharding_indexed", https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed/index.html).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "format/recording.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::format::zarr {

/// In a file.
struct Place {
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
};

/// Of a shard that is written, chunk by chunk, in the order in which they come.
class ShardIndex {
  public:
    /// Behind those before, as large writes want it.
    std::int64_t append(std::int64_t bytes);
    /// Of all chunks so far.
    [[nodiscard]] std::int64_t end() const;
    [[nodiscard]] std::vector<std::byte> encode() const;

  private:
    std::vector<Place> places_;
};

/// Where a chunk lies, by the index of the file, which is untrusted: `protocol` if it is damaged, or has no such chunk.
[[nodiscard]] base::Result<Place> find_in_shard(const os::FileDescriptor& file, const InShard& chunk);

}  // namespace staithe::format::zarr
