// The exceptions of a tile, in layers: what dq/exceptions.cpp makes of them.
#pragma once

#include "transform/cuda/tile_view.cuh"
#include "transform/dq/tile_format.hpp"

namespace staithe::transform::cuda {

template <class T>
class ExceptionLayers {
  public:
    using Bits = typename TileView<T>::Bits;

    __device__ ExceptionLayers(const TileView<T>& tile, const dq::Quantiser<T>& by) : tile_(tile), by_(by) {}

    /// Of so many exceptions, of which the first one is told. False if a finer step may help.
    __device__ bool choose(uint32_t exceptions, uint32_t first) {
        value_ = tile_.bits_of_value(first);
        uint32_t common = find_common(value_);
        if (exceptions - common > (tile_.number - common) / dq::many_misses) {
            const uint32_t misses = estimate_misses(exceptions);
            if (misses > (tile_.number - (exceptions - misses)) / dq::many_misses) {
                return false;
            }
        }
        if (common < 2 || 2 * common < exceptions) {
            value_ = vote();
            common = find_common(value_);
            common = common == 1 ? 0 : common;
        }
        if (common > 0) {
            for (uint32_t i = threadIdx.x; i < tile_.words; i += blockDim.x) {
                tile_.job.exceptions[i] ^= tile_.job.common[i];
            }
            __syncthreads();
            common_ = measure_layer(tile_.job.common, true);
        }
        if (exceptions > common) {
            others_ = measure_layer(tile_.job.exceptions, false);
        }
        return true;
    }

    __device__ uint32_t bytes() const { return common_.bytes + others_.bytes; }
    __device__ uint32_t present() const {
        return (common_.bytes > 0 ? dq::has_common : 0U) | (others_.bytes > 0 ? dq::has_others : 0U);
    }

    /// From there on. The residuals' memory is used again.
    __device__ void write(uint32_t at) {
        if (common_.bytes > 0) {
            write_layer(common_, tile_.job.common, at);
        }
        if (others_.bytes > 0) {
            __syncthreads();
            write_layer(others_, tile_.job.exceptions, at + common_.bytes);
        }
    }

  private:
    static constexpr uint32_t all_lanes = 0xFFFF;

    /// Of exceptions; of this thread's part of the words, and of all.
    struct Layer {
        Sum marked{};  // words that have any
        Sum mixed{};   // those of them that are not all of it
        Sum values{};
        bool is_common = false;
        uint32_t bytes = 0;  // 0: there is none
    };

    /// Marks those that hold the value, and counts them.
    __device__ uint32_t find_common(Bits value) {
        uint32_t found = 0;
        for (uint32_t i = threadIdx.x; i < tile_.words; i += blockDim.x) {
            uint32_t equal = 0;
            const uint32_t first = tile_.first_value_of(i);
            for (uint32_t lanes = tile_.job.exceptions[i]; lanes != 0; lanes &= lanes - 1) {
                const uint32_t lane = lowest_of(lanes);
                equal |= (tile_.bits_of_value(first + lane) == value ? 1U : 0U) << lane;
            }
            tile_.job.common[i] = equal;
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
            for (uint32_t begin = 0; begin < tile_.words; begin += chunk) {
                uint32_t i = begin;
                while (i < tile_.words && i < begin + chunk && tile_.job.exceptions[i] == 0) {
                    ++i;
                }
                if (i == tile_.words || i == begin + chunk) {
                    continue;
                }
                const uint32_t lanes = tile_.job.exceptions[i];
                const uint32_t lane = lowest_of(lanes);
                const Bits value = tile_.bits_of_value(tile_.first_value_of(i) + lane);
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
    __device__ uint32_t estimate_misses(uint32_t exceptions) const {
        const uint32_t sampled = tile_.words / 256 | 1U;
        const dq::Helpable<T> counts(by_);
        uint32_t misses = 0;
        for (uint32_t i = threadIdx.x * sampled; i < tile_.words; i += blockDim.x * sampled) {
            for (uint32_t lanes = tile_.job.exceptions[i] ^ tile_.job.common[i]; lanes != 0; lanes &= lanes - 1) {
                misses += counts(tile_.values[tile_.first_value_of(i) + lowest_of(lanes)]) ? 1 : 0;
            }
        }
        return smaller(sum_of_threads(misses).all * sampled, exceptions);
    }

    /// A word of a layer; the last one of a row is like any other if all its values are meant.
    __device__ uint32_t in_layer(const uint32_t* words, uint32_t i) const {
        const uint32_t in_last = tile_.length % group;
        const bool is_whole =
            in_last != 0 && i % tile_.words_of_row == tile_.words_of_row - 1 && words[i] == (1U << in_last) - 1;
        return is_whole ? all_lanes : words[i];
    }

    __device__ Layer measure_layer(const uint32_t* words, bool is_common) const {
        const Part part = part_of_thread(tile_.words, 8);
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
        layer.bytes = divided_up(tile_.words, 8) + divided_up(layer.marked.all, 8) +
                      layer.mixed.all * static_cast<uint32_t>(sizeof(uint16_t)) +
                      (is_common ? 1 : layer.values.all) * static_cast<uint32_t>(sizeof(T));
        return layer;
    }

    __device__ void write_layer(const Layer& layer, const uint32_t* words, uint32_t at) {
        const Part part = part_of_thread(tile_.words, 8);  // whose first bits are a byte's
        const uint32_t all_at = at + divided_up(tile_.words, 8);
        const uint32_t mixed_at = all_at + divided_up(layer.marked.all, 8);
        const uint32_t values_at = mixed_at + layer.mixed.all * static_cast<uint32_t>(sizeof(uint16_t));
        uint32_t* const is_all = tile_.job.residuals;  // no longer needed as such: for each marked word
        uint32_t marked = layer.marked.before;
        uint32_t mixed = layer.mixed.before;
        uint32_t value = layer.values.before;
        uint32_t bits = 0;
        for (uint32_t i = part.begin; i < part.end; ++i) {
            const uint32_t word = in_layer(words, i);
            bits |= (word != 0 ? 1U : 0U) << (i % 8);
            if (i % 8 == 7 || i + 1 == part.end) {
                tile_.put(at + i / 8, bits);
                bits = 0;
            }
            if (word == 0) {
                continue;
            }
            is_all[marked++] = word == all_lanes ? 1 : 0;
            if (word != all_lanes) {
                tile_.put_word(mixed_at + mixed++ * static_cast<uint32_t>(sizeof(uint16_t)), word);
            }
            for (uint32_t lanes = layer.is_common ? 0 : words[i]; lanes != 0; lanes &= lanes - 1) {
                const uint32_t lane = lowest_of(lanes);
                tile_.put_value(values_at + value++ * static_cast<uint32_t>(sizeof(T)),
                                tile_.bits_of_value(tile_.first_value_of(i) + lane));
            }
        }
        if (layer.is_common && threadIdx.x == 0) {
            tile_.put_value(values_at, value_);
        }
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < divided_up(layer.marked.all, 8); i += blockDim.x) {
            uint32_t eight = 0;
            for (uint32_t bit = 0; bit < 8 && 8 * i + bit < layer.marked.all; ++bit) {
                eight |= is_all[8 * i + bit] << bit;
            }
            tile_.put(all_at + i, eight);
        }
    }

    const TileView<T>& tile_;
    const dq::Quantiser<T>& by_;
    Bits value_ = 0;  // the common one
    Layer common_;
    Layer others_;
};

}  // namespace staithe::transform::cuda
