// Around a compressor that works on a GPU: tiles are shuffled as shuffled/shuffles.cpp does it, and what became of their
// pieces is put together. A tile to a block of threads.
#include "transform/cuda/shuffle_job.hpp"
#include "transform/cuda/threads.cuh"
#include "transform/cuda/tile_job.hpp"

namespace staithe::transform::cuda {

/// The bytes of one weight together.
__device__ inline void shuffle(const ShuffleJob& job) {
    for (uint32_t i = threadIdx.x; i < job.elements; i += blockDim.x) {
        for (uint32_t plane = 0; plane < job.item; ++plane) {
            job.shuffled[static_cast<size_t>(plane) * job.elements + i] =
                job.values[static_cast<size_t>(i) * job.item + plane];
        }
    }
}

/// Bytes that were made; as many as the tile has where it had better stay as it is; 0: it is left to the CPU, since a
/// piece of it was not made, or is said to be larger than its room.
__device__ inline uint32_t join(const ShuffleJob& job) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < job.pieces; ++i) {
        if (job.statuses[i] != 0 || job.made_bytes[i] == 0 || job.made_bytes[i] > job.room) {
            return 0;
        }
        bytes += job.made_bytes[i];
    }
    if (bytes > job.worthwhile) {
        return job.elements * job.item;
    }
    size_t at = 0;
    for (uint32_t i = 0; i < job.pieces; ++i) {
        for (size_t byte = threadIdx.x; byte < job.made_bytes[i]; byte += blockDim.x) {
            job.coded[at + byte] = job.made[i * job.room + byte];
        }
        at += job.made_bytes[i];
    }
    return static_cast<uint32_t>(bytes);
}

}  // namespace staithe::transform::cuda

extern "C" __global__ void __launch_bounds__(staithe::transform::cuda::threads_of_tile)
    shuffle_tiles(const staithe::transform::cuda::ShuffleJob* jobs) {
    staithe::transform::cuda::shuffle(jobs[blockIdx.x]);
}

extern "C" __global__ void __launch_bounds__(staithe::transform::cuda::threads_of_tile)
    join_tiles(const staithe::transform::cuda::ShuffleJob* jobs, unsigned* bytes) {
    const unsigned made = staithe::transform::cuda::join(jobs[blockIdx.x]);
    if (threadIdx.x == 0) {
        bytes[blockIdx.x] = made;
    }
}
