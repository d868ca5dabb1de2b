// The ways that this processor has to copy bytes that lie together. Which is fastest differs from make to make, by up
// to two times, and with the size; `Race` finds out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace staithe::array {

inline constexpr std::size_t cache_line = 64;

struct CopyKernel {
    const char* name = nullptr;
    /// What lies `ahead` bytes after the source is fetched meanwhile, by kernels that fetch.
    void (*copy)(std::byte* to, const std::byte* from, std::size_t size, std::int64_t ahead) = nullptr;
    std::int64_t fetch_distance = 0;  // to what the kernel itself will need; 0: it does not fetch
    bool streams = false;             // past the cache; other threads may see the bytes only after `finish_streaming`
};

/// Those that leave the destination in the cache come first.
const std::vector<CopyKernel>& copy_kernels();

/// Makes streamed bytes visible in program order, as ordinary stores are.
void finish_streaming() noexcept;

// One file for each width of registers.
using LineKernels = std::array<CopyKernel, 3>;
extern const LineKernels sse2_kernels;
extern const LineKernels avx2_kernels;
extern const LineKernels avx512_kernels;

}  // namespace staithe::array
