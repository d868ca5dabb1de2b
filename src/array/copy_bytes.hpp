// Contiguous copies, as fast as the machine can make them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace staithe::array {

/// From this size on a copy outgrows the shared cache: its destination is written past the cache, which saves reading
/// it first. Below it, a reader on another core gets the bytes out of the cache faster than out of memory.
inline constexpr std::int64_t streaming_threshold = std::int64_t{24} << 20;

/// memcpy, faster where the copy is large. The two must not overlap.
void copy_bytes(void* destination, const void* source, std::size_t size) noexcept;

/// One piece of a copy that is larger than `streaming_threshold` as a whole. Other threads may see the bytes only after
/// `finish_streaming`. What lies `ahead` bytes after the source will be copied next and is fetched meanwhile.
void stream_bytes(void* destination, const void* source, std::size_t size, std::int64_t ahead) noexcept;

/// Makes streamed bytes visible in program order, as ordinary stores are.
void finish_streaming() noexcept;

}  // namespace staithe::array
