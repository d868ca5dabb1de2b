// dq's fast way of coding tiles, by a block of threads each: the bytes are those of dq/tile_writer.cpp. What takes more
// than one attempt there (a finer step, exact coding), and what becomes no smaller, is left to it.
//
// Compiled by NVRTC for the GPU that is there (compiling.cpp); by tests for the CPU, where fibers stand for threads.
#include "transform/cuda/exception_layers.cuh"
#include "transform/cuda/tile_view.cuh"
#include "transform/dq/grouping.hpp"
#include "transform/dq/tile_format.hpp"

namespace staithe::transform::cuda {

using dq::block;
using dq::groups_of_block;

template <class T>
class TileEncoder {
  public:
    __device__ TileEncoder(const TileJob& job, const dq::Quantiser<T>& by)
        : tile_(job), by_(by), blocks_(divided_up(tile_.number, block)) {}

    /// Bytes that were made; 0: this tile is left to the CPU.
    __device__ uint32_t run() {
        quantise();
        if (exceptions_ > 0) {
            replace_exceptions();
        }
        take_differences();
        const Sections sections = measure_blocks();
        ExceptionLayers<T> layers(tile_, by_);
        if (exceptions_ > 0 && !layers.choose(exceptions_, first_exception_)) {
            return 0;
        }
        const uint32_t bytes = sections.end + layers.bytes();
        if (bytes >= tile_.number * sizeof(T) ||
            (exceptions_ > tile_.number / dq::most_exceptions && bytes > tile_.number * sizeof(T) / 2)) {
            return 0;
        }
        if (sections.planes == 0 && exceptions_ == 0) {
            if (threadIdx.x == 0) {
                write_header({});
            }
            return sizeof(dq::TileHeader);
        }
        write_widths(sections);
        write_planes(sections);
        __syncthreads();  // the residuals' memory is used again
        layers.write(sections.end);
        if (threadIdx.x == 0) {
            dq::TileHeader header;
            header.kind = dq::Kind::quantised;
            header.layers = static_cast<uint8_t>(layers.present());
            header.width_bytes = sections.width_bytes.all;
            header.planes = sections.planes;
            header.exception_bytes = layers.bytes();
            header.step = static_cast<double>(by_.step);
            write_header(header);
        }
        return bytes;
    }

  private:
    /// Where the sections of the tile are.
    struct Sections {
        Sum width_bytes;
        uint32_t planes;  // of 16 bits
        uint32_t widths_at;
        uint32_t planes_at;
        uint32_t end;
    };

    __device__ void quantise() {
        __shared__ uint32_t first;
        for (uint32_t i = threadIdx.x; i < tile_.words; i += blockDim.x) {
            tile_.job.exceptions[i] = 0;
        }
        if (threadIdx.x == 0) {
            first = tile_.number;
        }
        __syncthreads();
        uint32_t found = 0;
        for (uint32_t i = threadIdx.x; i < tile_.number; i += blockDim.x) {
            const dq::Quantised made = dq::quantise(tile_.values[i], by_);
            tile_.job.quantised[i] = static_cast<uint32_t>(made.value);
            if (made.exception) {
                atomicOr(&tile_.job.exceptions[tile_.word_of(i)], 1U << (i % tile_.length % group));
                atomicMin(&first, i);
                ++found;
            }
        }
        exceptions_ = sum_of_threads(found).all;
        first_exception_ = first;
    }

    /// By the number in the row before, and if there are no rows, by the one in the group before.
    __device__ void replace_exceptions() {
        const bool is_row = tile_.job.depth == 0;
        const uint32_t apart = is_row ? group : tile_.length;
        const uint32_t columns = is_row ? group : tile_.number / tile_.job.count[2];
        const uint32_t behind = is_row ? tile_.length : tile_.length * tile_.job.count[2];
        for (uint32_t column = threadIdx.x; column < columns; column += blockDim.x) {
            const uint32_t begin = is_row ? 0 : column / tile_.length * behind;
            uint32_t last = 0;
            for (uint32_t i = begin + column % apart; i < begin + behind; i += apart) {
                if (tile_.is_exception(i)) {
                    tile_.job.quantised[i] = last;
                } else {
                    last = tile_.job.quantised[i];
                }
            }
        }
        __syncthreads();
    }

    /// Lorenzo's, of which the numbers at the corners of a box are added and subtracted.
    __device__ uint32_t difference(uint32_t i) const {
        const uint32_t apart[4] = {1, tile_.length, tile_.length * tile_.job.count[2],
                                   tile_.length * tile_.job.count[2] * tile_.job.count[1]};
        uint32_t has_before = 0;  // a bit for each dimension along which there is a neighbour
        uint32_t rest = i;
        for (uint32_t dimension = 0; dimension < 4; ++dimension) {
            has_before |= (rest % tile_.job.count[3 - dimension] > 0 ? 1U : 0U) << dimension;
            rest /= tile_.job.count[3 - dimension];
        }
        uint32_t sum = tile_.job.quantised[i];
        for (uint32_t corner = 1; corner < 16; ++corner) {
            if ((corner & has_before) == corner) {
                uint32_t at = i;
                for (uint32_t dimension = 0; dimension < 4; ++dimension) {
                    at -= (corner >> dimension & 1U) * apart[dimension];
                }
                sum += ones_of(corner) % 2 == 0 ? tile_.job.quantised[at] : 0 - tile_.job.quantised[at];
            }
        }
        return sum;
    }

    /// The residuals, and how wide their groups are: two groups to a warp.
    __device__ void take_differences() {
        for (uint32_t i = threadIdx.x; i < blocks_ * block; i += blockDim.x) {
            const uint32_t number = i < tile_.number ? difference(i) : 0;
            const uint32_t folded = number << 1U ^ (0 - (number >> 31U));
            tile_.job.residuals[i] = folded;
            uint32_t all = folded;
            for (uint32_t distance = group / 2; distance > 0; distance /= 2) {
                all |= __shfl_xor_sync(all_threads, all, distance);
            }
            if (i % group == 0) {
                tile_.job.widths[i / group] = static_cast<uint8_t>(bits_of(all));
            }
        }
        __syncthreads();
    }

    __device__ uint32_t width(uint32_t number, uint32_t in_block) const {
        return tile_.job.widths[number * groups_of_block + in_block];
    }
    /// Bits that a width of the block takes.
    __device__ uint32_t bits_of_widths(uint32_t number) const {
        uint32_t any = 0;
        for (uint32_t i = 0; i < groups_of_block; ++i) {
            any |= width(number, i);
        }
        return bits_of(any);
    }

    /// Finds where everything is to lie.
    __device__ Sections measure_blocks() {
        const Part part = part_of_thread(blocks_, 2);
        uint32_t width_bytes = 0;
        uint32_t planes = 0;
        for (uint32_t number = part.begin; number < part.end; ++number) {
            width_bytes += bits_of_widths(number);
            for (uint32_t i = 0; i < groups_of_block; ++i) {
                planes += width(number, i);
            }
        }
        Sections sections;
        sections.width_bytes = sum_of_threads(width_bytes);
        const Sum of_planes = sum_of_threads(planes);
        uint32_t at = of_planes.before;
        for (uint32_t number = part.begin; number < part.end; ++number) {
            tile_.job.planes_at[number] = at;
            for (uint32_t i = 0; i < groups_of_block; ++i) {
                at += width(number, i);
            }
        }
        sections.planes = of_planes.all;
        sections.widths_at = static_cast<uint32_t>(sizeof(dq::TileHeader)) + divided_up(blocks_, 2);
        sections.planes_at = sections.widths_at + sections.width_bytes.all;
        sections.end = sections.planes_at + sections.planes * sizeof(uint16_t);
        if (sections.planes == 0 && exceptions_ == 0) {
            sections.end = sizeof(dq::TileHeader);
        }
        __syncthreads();
        return sections;
    }

    __device__ void write_widths(const Sections& sections) {
        const Part part = part_of_thread(blocks_, 2);  // a byte has the counts of two
        uint32_t at = sections.widths_at + sections.width_bytes.before;
        uint32_t counts = 0;
        for (uint32_t number = part.begin; number < part.end; ++number) {
            dq::Widths widths;
            for (uint32_t i = 0; i < groups_of_block; ++i) {
                widths.bytes |= static_cast<uint64_t>(width(number, i)) << (8 * i);
            }
            const uint32_t bits = bits_of_widths(number);
            for (uint32_t bit = 0; bit < bits; ++bit) {
                tile_.put(at++, widths.plane(bit));
            }
            counts = number % 2 == 0 ? bits : counts | bits << 4U;
            tile_.put(static_cast<uint32_t>(sizeof(dq::TileHeader)) + number / 2, counts);
        }
    }

    /// A block of residuals to a warp, which votes for each plane.
    __device__ void write_planes(const Sections& sections) {
        const uint32_t lane = threadIdx.x % warp;
        for (uint32_t number = threadIdx.x / warp; number < blocks_; number += blockDim.x / warp) {
            uint32_t residuals[block / warp];
            for (uint32_t i = 0; i < block / warp; ++i) {
                residuals[i] = tile_.job.residuals[number * block + i * warp + lane];
            }
            const uint32_t own_width = lane < groups_of_block ? width(number, lane) : 0;
            uint32_t at = tile_.job.planes_at[number];
            for (uint32_t bit = 0;; ++bit) {
                const uint32_t wider = __ballot_sync(all_threads, own_width > bit);
                if (wider == 0) {
                    break;
                }
                uint32_t word = 0;  // of the group that this lane has the width of
                for (uint32_t i = 0; i < block / warp; ++i) {
                    const uint32_t plane = __ballot_sync(all_threads, residuals[i] >> bit & 1U);
                    if (lane / 2 == i) {
                        word = lane % 2 == 0 ? plane & 0xFFFFU : plane >> group;
                    }
                }
                if (own_width > bit) {
                    const uint32_t before = ones_of(wider & ((1U << lane) - 1));
                    tile_.put_word(sections.planes_at + (at + before) * static_cast<uint32_t>(sizeof(uint16_t)), word);
                }
                at += ones_of(wider);
            }
        }
    }

    __device__ void write_header(const dq::TileHeader& header) { memcpy(tile_.job.coded, &header, sizeof(header)); }

    const TileView<T> tile_;
    const dq::Quantiser<T>& by_;
    const uint32_t blocks_;
    uint32_t exceptions_ = 0;
    uint32_t first_exception_ = 0;
};

}  // namespace staithe::transform::cuda

extern "C" __global__ void __launch_bounds__(staithe::transform::cuda::threads_of_tile)
    encode_tiles_f32(const staithe::transform::cuda::TileJob* jobs, unsigned* bytes,
                     staithe::transform::dq::Quantiser<float> by) {
    const unsigned made = staithe::transform::cuda::TileEncoder<float>(jobs[blockIdx.x], by).run();
    if (threadIdx.x == 0) {
        bytes[blockIdx.x] = made;
    }
}

extern "C" __global__ void __launch_bounds__(staithe::transform::cuda::threads_of_tile)
    encode_tiles_f64(const staithe::transform::cuda::TileJob* jobs, unsigned* bytes,
                     staithe::transform::dq::Quantiser<double> by) {
    const unsigned made = staithe::transform::cuda::TileEncoder<double>(jobs[blockIdx.x], by).run();
    if (threadIdx.x == 0) {
        bytes[blockIdx.x] = made;
    }
}
