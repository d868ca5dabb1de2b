// A tile as its kernel sees it: values in rows, words of exceptions, and the bytes that it becomes.
#pragma once

#include "transform/cuda/threads.cuh"
#include "transform/cuda/tile_job.hpp"
#include "transform/dq/grouping.hpp"
#include "transform/dq/quantisation.hpp"

namespace staithe::transform::cuda {

using dq::group;

template <class T>
struct TileView {
    using Bits = typename dq::Quantiser<T>::Bits;

    __device__ explicit TileView(const TileJob& of)
        : job(of),
          values(static_cast<const T*>(of.values)),
          length(of.count[3]),
          number(of.count[0] * of.count[1] * of.count[2] * of.count[3]),
          words_of_row(divided_up(length, group)),
          words(of.count[0] * of.count[1] * of.count[2] * words_of_row) {}

    __device__ uint32_t word_of(uint32_t value) const { return value / length * words_of_row + value % length / group; }
    __device__ bool is_exception(uint32_t value) const {
        return (job.exceptions[word_of(value)] >> (value % length % group) & 1U) != 0;
    }
    __device__ uint32_t first_value_of(uint32_t word) const {
        return word / words_of_row * length + word % words_of_row * group;
    }

    __device__ Bits bits_of_value(uint32_t value) const { return std::bit_cast<Bits>(values[value]); }

    __device__ void put(uint32_t at, uint32_t byte) const { job.coded[at] = static_cast<std::byte>(byte); }
    __device__ void put_word(uint32_t at, uint32_t word) const {
        put(at, word & 0xFFU);
        put(at + 1, word >> 8U & 0xFFU);
    }

    __device__ void put_value(uint32_t at, Bits bits) const {
        for (uint32_t i = 0; i < sizeof(T); ++i) {
            put(at + i, static_cast<uint32_t>(bits >> (8 * i) & 0xFFU));
        }
    }

    const TileJob job;  // in registers
    const T* const values;
    const uint32_t length;  // of a row
    const uint32_t number;  // of values
    const uint32_t words_of_row;
    const uint32_t words;
};

}  // namespace staithe::transform::cuda
