// Another process's pool, mapped into this one.
//
// Follows the pool's growth: what was mapped stays where it is, so that views stay valid; what is new is mapped once.
// Pools grow by whole extents, so a piece mapped up to the file's end never cuts a block. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "os/shared_memory.hpp"

namespace staithe::transport {

class MappedPool {
  public:
    /// Whether bytes stay mapped while this object lives, or until the next call alone: then there is one mapping,
    /// however often the owner lets its pool grow.
    enum class Stay { always, until_next_call };

    /// `protocol` if the file, which a peer passed, is no memory that stays: see os::check_shared_memory.
    static base::Result<std::unique_ptr<MappedPool>> open(os::FileDescriptor file,
                                                          os::Access access = os::Access::read_only,
                                                          os::Populate populate = os::Populate::yes,
                                                          Stay stay = Stay::always);

    /// A file of which this process knows where it comes from.
    explicit MappedPool(os::FileDescriptor file, os::Access access = os::Access::read_only,
                        os::Populate populate = os::Populate::yes, Stay stay = Stay::always)
        : file_(std::move(file)), access_(access), populate_(populate), stay_(stay) {}

    /// The bytes at [offset, offset + length) of the pool. `protocol` if they lie outside of the file: offsets come
    /// from another process.
    base::Result<std::span<std::byte>> bytes(std::int64_t offset, std::int64_t length);

    /// A copy of them, which their owner cannot change while it is looked at.
    base::Result<std::vector<std::byte>> copy_of(std::int64_t offset, std::int64_t length);

    /// Maps what the pool has grown by, if those bytes are there and not mapped yet.
    void follow(std::int64_t offset, std::int64_t length);

    [[nodiscard]] const os::FileDescriptor& file() const { return file_; }

  private:
    const os::FileDescriptor file_;
    const os::Access access_;
    const os::Populate populate_;
    const Stay stay_;
    std::mutex mutex_;
    using Pieces = std::map<std::int64_t, os::Mapping>;
    static bool holds(const Pieces::value_type& piece, std::int64_t offset, std::int64_t length);
    static std::span<std::byte> bytes_in(const Pieces::value_type& piece, std::int64_t offset, std::int64_t length);

    Pieces pieces_;                                              // by offset, without gaps; none ever goes
    std::atomic<const Pieces::value_type*> last_used_{nullptr};  // for those who ask without the lock
    std::atomic<std::int64_t> mapped_{0};
};

}  // namespace staithe::transport
