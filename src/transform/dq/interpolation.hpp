// Prediction by interpolation between values that are known already, on finer and finer lattices (as SZ3 does: Zhao et
// al., ICDE 2021). docs/formats/dq.md, "Interpolation".
//
// It predicts from what the decoder will have, not from the values themselves. So smooth fields leave few residuals,
// where differences of quantised values would leave the noise of quantising them.
//
// Rows are kept so that each step works on neighbouring memory: first all values whose x is a multiple of some stride,
// then those between them for each smaller stride. When a stride is done, its values are put in order.
//
// The arithmetic is written for vectors of 16 values, which compilers cut to the size of the registers.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "transform/dq/coding.hpp"

namespace staithe::transform::dq {

/// Between the values that are coded first, along each dimension.
inline constexpr std::size_t widest_stride = 32;

/// Values that the work on a tile takes, with room around for whole vectors.
[[nodiscard]] inline std::size_t interpolation_values(const TileRows& tile) {
    return tile.values() + tile.count[3] + 4 * group;
}

/// `L` is the kind of lanes: so the files that are compiled for different processors share no function.
template <class L, class T>
struct Vectors {
    using Signed = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    typedef T Values __attribute__((vector_size(group * sizeof(T))));       // NOLINT(modernize-use-using)
    typedef Signed Masks __attribute__((vector_size(group * sizeof(T))));   // NOLINT(modernize-use-using)
    typedef std::int32_t Integers __attribute__((vector_size(group * 4)));  // NOLINT(modernize-use-using)

    template <class Vector>
    [[gnu::always_inline]] static Vector load(const void* from) {
        Vector vector;
        std::memcpy(&vector, from, sizeof(vector));
        return vector;
    }
    template <class Vector>
    [[gnu::always_inline]] static void store(void* to, const Vector& vector) {
        std::memcpy(to, &vector, sizeof(vector));
    }
    [[gnu::always_inline]] static Masks numbers() {
        Masks lanes;
        for (std::size_t i = 0; i < group; ++i) {
            lanes[i] = static_cast<Signed>(i);
        }
        return lanes;
    }
    [[gnu::always_inline]] static Values magnitude(const Values& values) { return values < T{0} ? -values : values; }

    // Of the values at -3, -1, 1 and 3 strides. The order of the operations is the format's.
    [[gnu::always_inline]] static Values cubic(const Values& a, const Values& b, const Values& c, const Values& d) {
        return (b + c) * T{0.5625} - (a + d) * T{0.0625};
    }
    [[gnu::always_inline]] static Values quadratic(const Values& nearest, const Values& next, const Values& third) {
        return (nearest * T{0.375} + next * T{0.75}) - third * T{0.125};
    }
    [[gnu::always_inline]] static Values between(const Values& b, const Values& c) { return (b + c) * T{0.5}; }
    [[gnu::always_inline]] static Values beyond(const Values& a, const Values& b) { return b + (b - a) * T{0.5}; }
};

/// Which of the four neighbours of a value there are; the one at -1 always is.
struct Neighbourhood {
    bool third_before = false;
    bool next = false;
    bool third = false;

    /// Of the value at `place` of so many, `stride` apart from those known next to it.
    Neighbourhood(std::size_t place, std::size_t stride, std::size_t count)
        : third_before(place >= 3 * stride), next(place + stride < count), third(place + 3 * stride < count) {}
};

template <class L, class T>
class Interpolation {
  public:
    using V = Vectors<L, T>;
    using Values = typename V::Values;

    Interpolation(const TileRows& tile, void* memory) : tile_(tile), values_(static_cast<T*>(memory) + 2 * group) {}

    [[nodiscard]] T* row(std::size_t number) const { return values_ + number * tile_.count[3]; }
    [[nodiscard]] T* buffer() const { return row(tile_.rows()); }
    [[nodiscard]] std::size_t number(std::size_t w, std::size_t z, std::size_t y) const {
        return (w * tile_.count[1] + z) * tile_.count[2] + y;
    }
    [[nodiscard]] static std::size_t multiples(std::size_t count, std::size_t stride) {
        return (count + stride - 1) / stride;
    }

    /// Calls for the anchors of each row that has any, then for each run of values on one row: those that are predicted
    /// across rows, and those along their own.
    template <class Anchors, class Across, class Along>
    void walk(const Anchors& anchors, const Across& across, const Along& along) const {
        const auto& count = tile_.count;
        for_rows({widest_stride, widest_stride, widest_stride}, {0, 0, 0}, anchors);
        const std::array<std::size_t, 3> rows_apart{count[1] * count[2], count[2], 1};
        for (std::size_t stride = widest_stride / 2; stride > 0; stride /= 2) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                std::array<std::size_t, 3> steps{2 * stride, 2 * stride, 2 * stride};
                std::fill_n(steps.begin(), axis, stride);
                std::array<std::size_t, 3> first{};
                first[axis] = stride;
                for_rows(steps, first, [&](std::size_t w, std::size_t z, std::size_t y) {
                    const std::size_t place = axis == 0 ? w : axis == 1 ? z : y;
                    across(w, z, y, stride, static_cast<std::ptrdiff_t>(stride * rows_apart[axis] * count[3]),
                           Neighbourhood(place, stride, count[axis]));
                });
            }
            if (count[3] > stride) {
                for_rows({stride, stride, stride}, {0, 0, 0},
                         [&](std::size_t w, std::size_t z, std::size_t y) { along(w, z, y, stride); });
            }
        }
    }

    /// What lies across rows, where all vectors have the same neighbours.
    [[gnu::always_inline]] static Values predict_across(const T* at, std::ptrdiff_t apart, const Neighbourhood& near) {
        const auto load = [&](std::ptrdiff_t times) { return V::template load<Values>(at + times * apart); };
        if (!near.next) {
            return near.third_before ? V::beyond(load(-3), load(-1)) : load(-1);
        }
        if (near.third_before && near.third) {
            return V::cubic(load(-3), load(-1), load(1), load(3));
        }
        if (near.third_before) {
            return V::quadratic(load(1), load(-1), load(-3));
        }
        return near.third ? V::quadratic(load(-1), load(1), load(3)) : V::between(load(-1), load(1));
    }

    /// The 16 values from the odd one of that number on: between `known` ones, the even ones of a row, at least 3.
    [[gnu::always_inline]] static Values predict_along(const T* even, std::size_t first, std::size_t known) {
        const T* const at = even + first;
        const auto before = V::template load<Values>(at - 1);
        const auto last = V::template load<Values>(at);
        const auto next = V::template load<Values>(at + 1);
        const auto third = V::template load<Values>(at + 2);
        Values made = V::cubic(before, last, next, third);
        const auto number = V::numbers() + static_cast<typename V::Signed>(first);
        const auto of_known = static_cast<typename V::Signed>(known);
        if (first == 0) {
            made = number == 0 ? V::quadratic(last, next, third) : made;
        }
        if (first + group + 2 > known) {
            made = number == of_known - 2 ? V::quadratic(next, last, before) : made;
            made = number == of_known - 1 ? V::beyond(before, last) : made;
        }
        return made;
    }

    /// The same where fewer than 3 are known.
    static T predict_one_along(const T* even, std::size_t odd, std::size_t known) {
        return odd + 1 < known ? (even[odd] + even[odd + 1]) * T{0.5}
               : odd > 0       ? even[odd] + (even[odd] - even[odd - 1]) * T{0.5}
                               : even[odd];
    }

    /// Values in order into even ones and odd ones.
    static void part(const T* from, std::size_t count, T* even, T* odd) {
        std::size_t i = 0;
        for (; 2 * i + 1 < count; ++i) {
            even[i] = from[2 * i];
            odd[i] = from[2 * i + 1];
        }
        if (2 * i < count) {
            even[i] = from[2 * i];
        }
    }
    /// The inverse.
    static void join(const T* even, const T* odd, std::size_t count, T* to) {
        std::size_t i = 0;
        for (; 2 * i + 1 < count; ++i) {
            to[2 * i] = even[i];
            to[2 * i + 1] = odd[i];
        }
        if (2 * i < count) {
            to[2 * i] = even[i];
        }
    }

    /// Puts the values of a row that are `stride` apart in order.
    void put_in_order(T* row, std::size_t stride) const {
        const std::size_t length = multiples(tile_.count[3], stride);
        T* const ordered = buffer();
        join(row, row + multiples(tile_.count[3], 2 * stride), length, ordered);
        std::memcpy(row, ordered, length * sizeof(T));
    }

    const TileRows tile_;

  private:
    template <class Call>
    void for_rows(const std::array<std::size_t, 3>& steps, const std::array<std::size_t, 3>& first,
                  const Call& call) const {
        for (std::size_t w = first[0]; w < tile_.count[0]; w += steps[0]) {
            for (std::size_t z = first[1]; z < tile_.count[1]; z += steps[1]) {
                for (std::size_t y = first[2]; y < tile_.count[2]; y += steps[2]) {
                    call(w, z, y);
                }
            }
        }
    }

    T* const values_;
};

}  // namespace staithe::transform::dq
