// Large writes past the kernel's cache of file pages (O_DIRECT), where the file system can: the disk takes them from
// where they lie, a copy less, and what is synchronised next is little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "base/result.hpp"
#include "base/rounding.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::os {

class DirectWrites {
  public:
    /// Fewer bytes go through the cache.
    static constexpr std::size_t least_bytes = std::size_t{256} << 10;
    /// Of the place in the file; others go through the cache, too.
    static constexpr std::int64_t alignment = 4096;

    /// Where so many bytes go best behind what ends there.
    [[nodiscard]] static constexpr std::uint64_t begin_behind(std::uint64_t end, std::size_t bytes) {
        return bytes < least_bytes ? end : base::round_up(end, static_cast<std::uint64_t>(alignment));
    }

    /// All of it, from there on. Others may write to the file at the same time.
    base::Result<> write_at(const FileDescriptor& file, std::int64_t offset, std::span<const std::byte> bytes);

  private:
    base::Result<std::size_t> write_aligned(const FileDescriptor& file, std::int64_t offset,
                                            std::span<const std::byte> bytes);

    struct Free {
        void operator()(std::byte* memory) const { std::free(memory); }
    };
    std::unique_ptr<std::byte, Free> aligned_;  // for what lies otherwise in memory
};

}  // namespace staithe::os
