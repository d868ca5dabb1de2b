// Shards: files of many chunks, at the end of which an index says where each of them lies (the codec
// "sharding_indexed", https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed/index.html).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "format/recording.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::format::zarr {

/// In a file.
struct Place {
    std::int64_t offset = 0;
    std::int64_t bytes = 0;

    friend bool operator==(const Place&, const Place&) = default;
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

/// Where the chunks of a shard lie, by the index of its file, which is untrusted.
class ReadShard {
  public:
    /// `protocol` if the index is damaged.
    static base::Result<ReadShard> open(const os::FileDescriptor& file, std::int64_t chunks);
    /// Nothing if it was left out; `protocol` if it cannot lie there, or the shard has not so many chunks.
    [[nodiscard]] base::Result<std::optional<Place>> find(const InShard& chunk) const;

  private:
    std::vector<std::byte> index_;
    std::uint64_t end_ = 0;  // of what may be chunks
};

/// Those that were read last: the index of many chunks is not read and checked again for each of them. Thread-safe.
class ReadShards {
  public:
    base::Result<std::optional<Place>> find(const std::string& path, const os::FileDescriptor& file,
                                            const InShard& chunk);

  private:
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<const ReadShard>> by_path_;
};

}  // namespace staithe::format::zarr
