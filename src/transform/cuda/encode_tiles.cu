// dq's fast way of coding tiles, by a block of threads each: the bytes are those of dq/tile_writer.cpp. What takes more
// than one attempt there (a finer step, exact coding), and what becomes no smaller, is left to it.
//
// Compiled by NVRTC for the GPU that is there (compiler.cpp); by tests for the CPU, where fibers stand for threads.
#include <cstddef>
#include <cstdint>

#include "transform/cuda/tile_job.hpp"
#include "transform/dq/grouping.hpp"
#include "transform/dq/quantisation.hpp"
#include "transform/dq/tile_format.hpp"

namespace staithe::transform::cuda {

using dq::block;
using dq::group;
using dq::groups_of_block;
using std::size_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

constexpr uint32_t warp = 32;
constexpr uint32_t all_threads = 0xFFFFFFFF;
constexpr uint32_t all_lanes = 0xFFFF;

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

template <class T>
class TileEncoder {
  public:
    using Bits = typename dq::Quantiser<T>::Bits;

    __device__ TileEncoder(const TileJob& job, const dq::Quantiser<T>& by)
        : job_(job),
          by_(by),
          values_(static_cast<const T*>(job.values)),
          length_(job.count[3]),
          number_(job.count[0] * job.count[1] * job.count[2] * job.count[3]),
          blocks_(divided_up(number_, block)),
          words_of_row_(divided_up(length_, group)),
          words_(job.count[0] * job.count[1] * job.count[2] * words_of_row_) {}

    /// Bytes that were made; 0: this tile is left to the CPU.
    __device__ uint32_t run() {
        quantise();
        if (exceptions_ > 0) {
            replace_exceptions();
        }
        take_differences();
        const Sections sections = measure_blocks();
        Layers layers;
        if (exceptions_ > 0 && !choose_layers(layers)) {
            return 0;
        }
        const uint32_t bytes = sections.end + layers.bytes();
        if (bytes >= number_ * sizeof(T) ||
            (exceptions_ > number_ / dq::most_exceptions && bytes > number_ * sizeof(T) / 2)) {
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
        if (layers.common.bytes > 0) {
            write_layer(layers.common, job_.common, sections.end);
        }
        if (layers.others.bytes > 0) {
            __syncthreads();
            write_layer(layers.others, job_.exceptions, sections.end + layers.common.bytes);
        }
        if (threadIdx.x == 0) {
            dq::TileHeader header;
            header.kind = dq::Kind::quantised;
            header.layers = static_cast<uint8_t>((layers.common.bytes > 0 ? dq::has_common : 0) |
                                                 (layers.others.bytes > 0 ? dq::has_others : 0));
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
    /// Of exceptions; of this thread's part of the words, and of all.
    struct Layer {
        Sum marked;  // words that have any
        Sum mixed;   // those of them that are not all of it
        Sum values;
        bool is_common;
        uint32_t bytes = 0;  // 0: there is none
    };
    struct Layers {
        Layer common;
        Layer others;
        __device__ uint32_t bytes() const { return common.bytes + others.bytes; }
    };

    __device__ uint32_t word_of(uint32_t value) const {
        return value / length_ * words_of_row_ + value % length_ / group;
    }
    __device__ bool is_exception(uint32_t value) const {
        return (job_.exceptions[word_of(value)] >> (value % length_ % group) & 1U) != 0;
    }
    __device__ uint32_t first_value_of(uint32_t word) const {
        return word / words_of_row_ * length_ + word % words_of_row_ * group;
    }

    __device__ void quantise() {
        __shared__ uint32_t first;
        for (uint32_t i = threadIdx.x; i < words_; i += blockDim.x) {
            job_.exceptions[i] = 0;
        }
        if (threadIdx.x == 0) {
            first = number_;
        }
        __syncthreads();
        uint32_t found = 0;
        for (uint32_t i = threadIdx.x; i < number_; i += blockDim.x) {
            const dq::Quantised made = dq::quantise(values_[i], by_);
            job_.quantised[i] = static_cast<uint32_t>(made.value);
            if (made.exception) {
                atomicOr(&job_.exceptions[word_of(i)], 1U << (i % length_ % group));
                atomicMin(&first, i);
                ++found;
            }
        }
        exceptions_ = sum_of_threads(found).all;
        first_exception_ = first;
    }

    /// By the number in the row before, and if there are no rows, by the one in the group before.
    __device__ void replace_exceptions() {
        const bool is_row = job_.depth == 0;
        const uint32_t apart = is_row ? group : length_;
        const uint32_t columns = is_row ? group : number_ / job_.count[2];
        const uint32_t behind = is_row ? length_ : length_ * job_.count[2];
        for (uint32_t column = threadIdx.x; column < columns; column += blockDim.x) {
            const uint32_t begin = is_row ? 0 : column / length_ * behind;
            uint32_t last = 0;
            for (uint32_t i = begin + column % apart; i < begin + behind; i += apart) {
                if (is_exception(i)) {
                    job_.quantised[i] = last;
                } else {
                    last = job_.quantised[i];
                }
            }
        }
        __syncthreads();
    }

    /// Lorenzo's, of which the numbers at the corners of a box are added and subtracted.
    __device__ uint32_t difference(uint32_t i) const {
        const uint32_t apart[4] = {1, length_, length_ * job_.count[2], length_ * job_.count[2] * job_.count[1]};
        uint32_t has_before = 0;  // a bit for each dimension along which there is a neighbour
        uint32_t rest = i;
        for (uint32_t dimension = 0; dimension < 4; ++dimension) {
            has_before |= (rest % job_.count[3 - dimension] > 0 ? 1U : 0U) << dimension;
            rest /= job_.count[3 - dimension];
        }
        uint32_t sum = job_.quantised[i];
        for (uint32_t corner = 1; corner < 16; ++corner) {
            if ((corner & has_before) == corner) {
                uint32_t at = i;
                for (uint32_t dimension = 0; dimension < 4; ++dimension) {
                    at -= (corner >> dimension & 1U) * apart[dimension];
                }
                sum += ones_of(corner) % 2 == 0 ? job_.quantised[at] : 0 - job_.quantised[at];
            }
        }
        return sum;
    }

    /// The residuals, and how wide their groups are: two groups to a warp.
    __device__ void take_differences() {
        for (uint32_t i = threadIdx.x; i < blocks_ * block; i += blockDim.x) {
            const uint32_t number = i < number_ ? difference(i) : 0;
            const uint32_t folded = number << 1U ^ (0 - (number >> 31U));
            job_.residuals[i] = folded;
            uint32_t all = folded;
            for (uint32_t distance = group / 2; distance > 0; distance /= 2) {
                all |= __shfl_xor_sync(all_threads, all, distance);
            }
            if (i % group == 0) {
                job_.widths[i / group] = static_cast<uint8_t>(bits_of(all));
            }
        }
        __syncthreads();
    }

    __device__ uint32_t width(uint32_t number, uint32_t in_block) const {
        return job_.widths[number * groups_of_block + in_block];
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
            job_.planes_at[number] = at;
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

    __device__ void put(uint32_t at, uint32_t byte) { job_.coded[at] = static_cast<std::byte>(byte); }
    __device__ void put_word(uint32_t at, uint32_t word) {
        put(at, word & 0xFFU);
        put(at + 1, word >> 8U & 0xFFU);
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
                put(at++, widths.plane(bit));
            }
            counts = number % 2 == 0 ? bits : counts | bits << 4U;
            put(static_cast<uint32_t>(sizeof(dq::TileHeader)) + number / 2, counts);
        }
    }

    /// A block of residuals to a warp, which votes for each plane.
    __device__ void write_planes(const Sections& sections) {
        const uint32_t lane = threadIdx.x % warp;
        for (uint32_t number = threadIdx.x / warp; number < blocks_; number += blockDim.x / warp) {
            uint32_t residuals[block / warp];
            for (uint32_t i = 0; i < block / warp; ++i) {
                residuals[i] = job_.residuals[number * block + i * warp + lane];
            }
            const uint32_t own_width = lane < groups_of_block ? width(number, lane) : 0;
            uint32_t at = job_.planes_at[number];
            for (uint32_t bit = 0;; ++bit) {
                const uint32_t wider = __ballot_sync(all_threads, own_width > bit);
                if (wider == 0) {
                    break;
                }
                uint32_t word = 0;  // of the group that this lane has the width of
                for (uint32_t i = 0; i < block / warp; ++i) {
                    const uint32_t plane = __ballot_sync(all_threads, residuals[i] >> bit & 1U);
                    if (lane / 2 == i) {
                        word = lane % 2 == 0 ? plane & all_lanes : plane >> group;
                    }
                }
                if (own_width > bit) {
                    const uint32_t before = ones_of(wider & ((1U << lane) - 1));
                    put_word(sections.planes_at + (at + before) * static_cast<uint32_t>(sizeof(uint16_t)), word);
                }
                at += ones_of(wider);
            }
        }
    }

    /// Marks those that hold the value, and counts them.
    __device__ uint32_t find_common(Bits value) {
        uint32_t found = 0;
        for (uint32_t i = threadIdx.x; i < words_; i += blockDim.x) {
            uint32_t equal = 0;
            const T* const values = values_ + first_value_of(i);
            for (uint32_t lanes = job_.exceptions[i]; lanes != 0; lanes &= lanes - 1) {
                const uint32_t lane = lowest_of(lanes);
                equal |= (std::bit_cast<Bits>(values[lane]) == value ? 1U : 0U) << lane;
            }
            job_.common[i] = equal;
            found += ones_of(equal);
        }
        return sum_of_threads(found).all;
    }

    /// What `most_common` of dq/exceptions.cpp finds, which asks one word of each 64.
    __device__ Bits vote() const {
        constexpr uint32_t chunk = 64;
        __shared__ Bits elected;
        __syncthreads();
        if (threadIdx.x == 0) {
            Bits common = 0;
            uint32_t lead = 0;
            for (uint32_t begin = 0; begin < words_; begin += chunk) {
                uint32_t i = begin;
                while (i < words_ && i < begin + chunk && job_.exceptions[i] == 0) {
                    ++i;
                }
                if (i == words_ || i == begin + chunk) {
                    continue;
                }
                const uint32_t lanes = job_.exceptions[i];
                const uint32_t lane = lowest_of(lanes);
                const Bits value = std::bit_cast<Bits>(values_[first_value_of(i) + lane]);
                common = lead == 0 ? value : common;
                lead = value == common ? lead + 1 : lead - 1;
            }
            elected = common;
        }
        __syncthreads();
        return elected;
    }

    /// How many of the exceptions, but for the common ones, a finer step may help, about: `estimate_misses` of
    /// dq/tile_writer.cpp.
    __device__ uint32_t estimate_misses() const {
        const uint32_t sampled = words_ / 256 | 1U;
        const dq::Helpable<T> counts(by_);
        uint32_t misses = 0;
        for (uint32_t i = threadIdx.x * sampled; i < words_; i += blockDim.x * sampled) {
            for (uint32_t lanes = job_.exceptions[i] ^ job_.common[i]; lanes != 0; lanes &= lanes - 1) {
                misses += counts(values_[first_value_of(i) + lowest_of(lanes)]) ? 1 : 0;
            }
        }
        return smaller(sum_of_threads(misses).all * sampled, exceptions_);
    }

    /// False if a finer step may help.
    __device__ bool choose_layers(Layers& layers) {
        common_ = std::bit_cast<Bits>(values_[first_exception_]);
        uint32_t common = find_common(common_);
        if (exceptions_ - common > (number_ - common) / dq::many_misses) {
            const uint32_t misses = estimate_misses();
            if (misses > (number_ - (exceptions_ - misses)) / dq::many_misses) {
                return false;
            }
        }
        if (common < 2 || 2 * common < exceptions_) {
            common_ = vote();
            common = find_common(common_);
            common = common == 1 ? 0 : common;
        }
        if (common > 0) {
            for (uint32_t i = threadIdx.x; i < words_; i += blockDim.x) {
                job_.exceptions[i] ^= job_.common[i];
            }
            __syncthreads();
            layers.common = measure_layer(job_.common, true);
        }
        if (exceptions_ > common) {
            layers.others = measure_layer(job_.exceptions, false);
        }
        return true;
    }

    /// A word of a layer; the last one of a row is like any other if all its values are meant.
    __device__ uint32_t in_layer(const uint32_t* words, uint32_t i) const {
        const uint32_t in_last = length_ % group;
        const bool is_whole = in_last != 0 && i % words_of_row_ == words_of_row_ - 1 && words[i] == (1U << in_last) - 1;
        return is_whole ? all_lanes : words[i];
    }

    __device__ Layer measure_layer(const uint32_t* words, bool is_common) const {
        const Part part = part_of_thread(words_, 8);
        uint32_t marked = 0;
        uint32_t mixed = 0;
        uint32_t values = 0;
        for (uint32_t i = part.begin; i < part.end; ++i) {
            const uint32_t word = in_layer(words, i);
            marked += word != 0 ? 1 : 0;
            mixed += word != 0 && word != all_lanes ? 1 : 0;
            values += ones_of(words[i]);
        }
        Layer layer;
        layer.marked = sum_of_threads(marked);
        layer.mixed = sum_of_threads(mixed);
        layer.values = sum_of_threads(values);
        layer.is_common = is_common;
        layer.bytes = divided_up(words_, 8) + divided_up(layer.marked.all, 8) +
                      layer.mixed.all * static_cast<uint32_t>(sizeof(uint16_t)) +
                      (is_common ? 1 : layer.values.all) * static_cast<uint32_t>(sizeof(T));
        return layer;
    }

    __device__ void put_value(uint32_t at, Bits bits) {
        for (uint32_t i = 0; i < sizeof(T); ++i) {
            put(at + i, static_cast<uint32_t>(bits >> (8 * i) & 0xFFU));
        }
    }

    __device__ void write_layer(const Layer& layer, const uint32_t* words, uint32_t at) {
        const Part part = part_of_thread(words_, 8);  // whose first bits are a byte's
        const uint32_t all_at = at + divided_up(words_, 8);
        const uint32_t mixed_at = all_at + divided_up(layer.marked.all, 8);
        const uint32_t values_at = mixed_at + layer.mixed.all * static_cast<uint32_t>(sizeof(uint16_t));
        uint32_t* const is_all = job_.residuals;  // no longer needed as such: for each marked word
        uint32_t marked = layer.marked.before;
        uint32_t mixed = layer.mixed.before;
        uint32_t value = layer.values.before;
        uint32_t bits = 0;
        for (uint32_t i = part.begin; i < part.end; ++i) {
            const uint32_t word = in_layer(words, i);
            bits |= (word != 0 ? 1U : 0U) << (i % 8);
            if (i % 8 == 7 || i + 1 == part.end) {
                put(at + i / 8, bits);
                bits = 0;
            }
            if (word == 0) {
                continue;
            }
            is_all[marked++] = word == all_lanes ? 1 : 0;
            if (word != all_lanes) {
                put_word(mixed_at + mixed++ * static_cast<uint32_t>(sizeof(uint16_t)), word);
            }
            for (uint32_t lanes = layer.is_common ? 0 : words[i]; lanes != 0; lanes &= lanes - 1) {
                const uint32_t lane = lowest_of(lanes);
                put_value(values_at + value++ * static_cast<uint32_t>(sizeof(T)),
                          std::bit_cast<Bits>(values_[first_value_of(i) + lane]));
            }
        }
        if (layer.is_common && threadIdx.x == 0) {
            put_value(values_at, common_);
        }
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < divided_up(layer.marked.all, 8); i += blockDim.x) {
            uint32_t eight = 0;
            for (uint32_t bit = 0; bit < 8 && 8 * i + bit < layer.marked.all; ++bit) {
                eight |= is_all[8 * i + bit] << bit;
            }
            put(all_at + i, eight);
        }
    }

    __device__ void write_header(const dq::TileHeader& header) { memcpy(job_.coded, &header, sizeof(header)); }

    const TileJob& job_;
    const dq::Quantiser<T>& by_;
    const T* const values_;
    const uint32_t length_;  // of a row
    const uint32_t number_;  // of values
    const uint32_t blocks_;
    const uint32_t words_of_row_;
    const uint32_t words_;
    uint32_t exceptions_ = 0;
    uint32_t first_exception_ = 0;
    Bits common_ = 0;
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
