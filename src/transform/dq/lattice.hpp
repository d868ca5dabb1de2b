// The lattices that interpolation goes through, from coarse to fine: docs/formats/dq.md, "Interpolation".
//
// `L` is the kind of lanes: so the files that are compiled for different processors share no function.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "transform/dq/coding.hpp"

namespace staithe::transform::dq {

/// Values that a lattice has room for: for whole vectors around the tile's, and for one row.
[[nodiscard]] inline std::size_t lattice_values(const TileRows& tile) {
    return tile.values() + tile.count[3] + 4 * group;
}

/// Between the values that are coded first, along each dimension.
inline constexpr std::size_t widest_stride = 32;

/// Where the values of one dimension stand. With an even number of them the last one stands a place further, where
/// coarser lattices end: else all that lies behind their last place would have to be extrapolated.
template <class L>
struct Axis {
    std::size_t count;
    std::size_t length;

    explicit Axis(std::size_t values) : count(values), length(values % 2 == 0 ? values + 1 : values) {}

    [[nodiscard]] bool is_gap(std::size_t place) const { return length != count && place == count - 1; }
    [[nodiscard]] std::size_t value_at(std::size_t place) const { return place < count ? place : count - 1; }
    [[nodiscard]] std::size_t place_of(std::size_t value) const { return is_gap(value) ? count : value; }
    /// How many places are multiples of the stride: 0 is one.
    [[nodiscard]] std::size_t multiples(std::size_t stride) const { return (length + stride - 1) / stride; }
    /// How many values stand at odd multiples of the stride.
    [[nodiscard]] std::size_t odd_multiples(std::size_t stride) const {
        return multiples(stride) - multiples(2 * stride) - (stride == 1 && length != count ? 1 : 0);
    }
};

/// What the values -3, -1, 1 and 3 strides away count in a prediction; nothing if they are not there.
template <class L, class T>
struct Weights {
    std::array<T, 4> of{T{-0.0625}, T{0.5625}, T{0.5625}, T{-0.0625}};
};

/// The weights of all values at odd multiples of a stride: but for the first and the last two they are all alike.
template <class L, class T>
class AxisWeights {
  public:
    AxisWeights(const Axis<L>& axis, std::size_t stride) : values_(axis.odd_multiples(stride)) {
        for (std::size_t i = 0; i < special_.size(); ++i) {
            const std::size_t number = i == 0 ? 0 : values_ + i - special_.size();
            if (number < values_) {
                special_[i] = weights_at(axis, (2 * number + 1) * stride, stride);
            }
        }
    }

    [[nodiscard]] std::size_t values() const { return values_; }
    [[nodiscard]] const Weights<L, T>& of(std::size_t number) const {
        return number == 0 ? special_[0] : number + 2 < values_ ? others_ : special_[number + 3 - values_];
    }

  private:
    /// Of the polynomial through those that are there (Lagrange), where the value stands.
    static Weights<L, T> weights_at(const Axis<L>& axis, std::size_t place, std::size_t stride) {
        struct Node {
            std::size_t number;
            std::int64_t distance;
        };
        std::array<Node, 4> nodes{};
        std::size_t there = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t before = i < 2 ? (3 - 2 * i) * stride : 0;
            const std::size_t at = place - before + (i < 2 ? 0 : (2 * i - 3) * stride);
            if (before <= place && at < axis.length) {
                nodes[there++] = {
                    i, static_cast<std::int64_t>(axis.value_at(at)) - static_cast<std::int64_t>(axis.value_at(place))};
            }
        }
        Weights<L, T> weights;
        weights.of = {};
        for (std::size_t i = 0; i < there; ++i) {
            std::int64_t above = 1;
            std::int64_t below = 1;
            for (std::size_t j = 0; j < there; ++j) {
                above *= i == j ? 1 : nodes[j].distance;
                below *= i == j ? 1 : nodes[j].distance - nodes[i].distance;
            }
            weights.of[nodes[i].number] = static_cast<T>(static_cast<double>(above) / static_cast<double>(below));
        }
        return weights;
    }

    std::size_t values_;
    std::array<Weights<L, T>, 3> special_{};
    Weights<L, T> others_;
};

/// The rows of a tile while it is coded by interpolation. Each is kept so that every step works on neighbouring memory:
/// first the values at multiples of some stride, in order, then for each smaller stride those at its odd multiples.
template <class L, class T>
class Lattice {
  public:
    Lattice(const TileRows& tile, void* memory)
        : axes_{Axis<L>(tile.count[0]), Axis<L>(tile.count[1]), Axis<L>(tile.count[2]), Axis<L>(tile.count[3])},
          values_(static_cast<T*>(memory) + 2 * group) {}

    [[nodiscard]] const Axis<L>& axis(std::size_t number) const { return axes_[number]; }
    [[nodiscard]] std::size_t row_number(std::size_t w, std::size_t z, std::size_t y) const {
        return (axes_[0].value_at(w) * axes_[1].count + axes_[1].value_at(z)) * axes_[2].count + axes_[2].value_at(y);
    }
    [[nodiscard]] T* row(std::size_t w, std::size_t z, std::size_t y) const {
        return values_ + row_number(w, z, y) * axes_[3].count;
    }
    [[nodiscard]] T* buffer() const {
        return values_ + axes_[0].count * axes_[1].count * axes_[2].count * axes_[3].count;
    }

    /// Calls for the anchors of each row that has any, then for each run of values on one row: those that are predicted
    /// across rows, with the rows that do and their weights, and those along their own, with a `Predictor` made of its
    /// axis' weights. All by places.
    template <class Predictor, class Anchors, class Across, class Along>
    void walk(const Anchors& anchors, const Across& across, const Along& along) const {
        for_rows({widest_stride, widest_stride, widest_stride}, {0, 0, 0}, anchors);
        for (std::size_t stride = widest_stride / 2; stride > 0; stride /= 2) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                std::array<std::size_t, 3> steps{2 * stride, 2 * stride, 2 * stride};
                std::fill_n(steps.begin(), axis, stride);
                std::array<std::size_t, 3> first{};
                first[axis] = stride;
                const AxisWeights<L, T> weights(axes_[axis], stride);
                for_rows(steps, first, [&](std::size_t w, std::size_t z, std::size_t y) {
                    const std::array<std::size_t, 3> place{w, z, y};
                    const Weights<L, T>& own = weights.of(place[axis] / (2 * stride));
                    std::array<const T*, 4> rows{};
                    for (std::size_t i = 0; i < 4; ++i) {
                        if (own.of[i] != 0) {
                            std::array<std::size_t, 3> other = place;
                            other[axis] = place[axis] + (2 * i + 1) * stride - 4 * stride;
                            rows[i] = row(other[0], other[1], other[2]);
                        }
                    }
                    across(w, z, y, stride, rows, own);
                });
            }
            const Predictor predictor{AxisWeights<L, T>(axes_[3], stride)};
            if (axes_[3].multiples(stride) > 1) {
                for_rows({stride, stride, stride}, {0, 0, 0},
                         [&](std::size_t w, std::size_t z, std::size_t y) { along(w, z, y, stride, predictor); });
            }
        }
    }

    /// Brings a row in order into the lattice's order. A row is first predicted at the largest stride that all its
    /// places are multiples of; until then it needs no order below that.
    void take_row(std::size_t w, std::size_t z, std::size_t y, const T* from) const {
        const Axis<L>& x = axes_[3];
        T* const to = row(w, z, y);
        const std::size_t evens = x.multiples(2);
        part(from, x.count, x.odd_multiples(1), to, to + evens);
        if (x.length != x.count) {
            to[evens - 1] = from[x.count - 1];
        }
        const std::size_t places = w | z | y | widest_stride;
        const std::size_t largest = std::min(places & (~places + 1), widest_stride / 2);
        for (std::size_t stride = 2; stride <= largest; stride *= 2) {
            const std::size_t count = x.multiples(stride);
            T* const ordered = buffer();
            part(to, count, x.odd_multiples(stride), ordered, ordered + x.multiples(2 * stride));
            std::copy_n(ordered, count, to);
        }
    }

    /// The inverse when all is done.
    void give_row(std::size_t w, std::size_t z, std::size_t y, T* to) const {
        const Axis<L>& x = axes_[3];
        const T* const from = row(w, z, y);
        const std::size_t evens = x.multiples(2);
        join(from, from + evens, x.count, x.odd_multiples(1), to);
        if (x.length != x.count) {
            to[x.count - 1] = from[evens - 1];
        }
    }

    /// Puts the values of a row that are multiples of the stride, 2 or more, in order.
    void put_in_order(T* row, std::size_t stride) const {
        const Axis<L>& x = axes_[3];
        T* const ordered = buffer();
        join(row, row + x.multiples(2 * stride), x.multiples(stride), x.odd_multiples(stride), ordered);
        std::copy_n(ordered, x.multiples(stride), row);
    }

  private:
    template <class Call>
    void for_rows(const std::array<std::size_t, 3>& steps, const std::array<std::size_t, 3>& first,
                  const Call& call) const {
        for (std::size_t w = first[0]; w < axes_[0].length; w += steps[0]) {
            for (std::size_t z = first[1]; z < axes_[1].length; z += steps[1]) {
                for (std::size_t y = first[2]; y < axes_[2].length; y += steps[2]) {
                    if (!axes_[0].is_gap(w) && !axes_[1].is_gap(z) && !axes_[2].is_gap(y)) {
                        call(w, z, y);
                    }
                }
            }
        }
    }

    /// Of a count of values, those at even places and `odds` of those at odd ones.
    static void part(const T* __restrict from, std::size_t count, std::size_t odds, T* __restrict even,
                     T* __restrict odd) {
        for (std::size_t i = 0; i < odds; ++i) {
            even[i] = from[2 * i];
            odd[i] = from[2 * i + 1];
        }
        for (std::size_t i = odds; 2 * i < count; ++i) {
            even[i] = from[2 * i];
        }
    }
    static void join(const T* __restrict even, const T* __restrict odd, std::size_t count, std::size_t odds,
                     T* __restrict to) {
        for (std::size_t i = 0; i < odds; ++i) {
            to[2 * i] = even[i];
            to[2 * i + 1] = odd[i];
        }
        for (std::size_t i = odds; 2 * i < count; ++i) {
            to[2 * i] = even[i];
        }
    }

    const std::array<Axis<L>, 4> axes_;
    T* const values_;
};

}  // namespace staithe::transform::dq
