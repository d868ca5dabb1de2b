// What a thread of a block knows of the others: sums over all of them, and which part of the work is its own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace staithe::transform::cuda {

using std::size_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

constexpr uint32_t warp = 32;
constexpr uint32_t all_threads = 0xFFFFFFFF;

__device__ inline uint32_t divided_up(uint32_t number, uint32_t by) { return (number + by - 1) / by; }
__device__ inline uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }
__device__ inline uint32_t bits_of(uint32_t number) {
    return warp - static_cast<uint32_t>(__clz(static_cast<int>(number)));
}
__device__ inline uint32_t ones_of(uint32_t bits) { return static_cast<uint32_t>(__popc(bits)); }

__device__ inline uint32_t lowest_of(uint32_t bits) { return ones_of((bits & (0 - bits)) - 1); }

/// What the threads before this one have together, and what all have. All threads of the block call it.
struct Sum {
    uint32_t before;
    uint32_t all;
};
__device__ inline Sum sum_of_threads(uint32_t mine) {
    __shared__ uint32_t of_warps[warp];
    const uint32_t lane = threadIdx.x % warp;
    const uint32_t number = threadIdx.x / warp;
    uint32_t up_to_here = mine;
    for (uint32_t distance = 1; distance < warp; distance *= 2) {
        const uint32_t other = __shfl_up_sync(all_threads, up_to_here, distance);
        up_to_here += lane >= distance ? other : 0;
    }
    __syncthreads();  // somebody may be reading those of the call before
    if (lane == warp - 1) {
        of_warps[number] = up_to_here;
    }
    __syncthreads();
    Sum sum{up_to_here - mine, 0};
    for (uint32_t i = 0; i < blockDim.x / warp; ++i) {
        sum.before += i < number ? of_warps[i] : 0;
        sum.all += of_warps[i];
    }
    return sum;
}

/// A part of a sequence that one thread goes through, a multiple of so many things long.
struct Part {
    uint32_t begin;
    uint32_t end;
};
__device__ inline Part part_of_thread(uint32_t count, uint32_t multiple) {
    const uint32_t length = divided_up(divided_up(count, blockDim.x), multiple) * multiple;
    const uint32_t begin = smaller(threadIdx.x * length, count);
    return {begin, smaller(begin + length, count)};
}

}  // namespace staithe::transform::cuda
