// The lattices that interpolation goes through, from coarse to fine: docs/formats/dq.md, "Interpolation".
//
// `L` is the kind of lanes: so the files that are compiled for different processors share no function.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "transform/dq/coding.hpp"

namespace staithe::transform::dq {

/// Values that a lattice has room for: for whole vectors around the tile's, and for one row.
[[nodiscard]] inline std::size_t lattice_values(const TileRows& tile) {
    return tile.values() + tile.count[3] + 4 * group;
}

/// Lattices are numbered by the logarithm of the stride between their values. This one's values are coded first.
inline constexpr unsigned widest_level = 5;

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
    /// How many places are multiples of that level's stride: 0 is one.
    [[nodiscard]] std::size_t multiples(unsigned level) const { return ((length - 1) >> level) + 1; }
    /// How many values stand at odd multiples of that level's stride.
    [[nodiscard]] std::size_t odd_multiples(unsigned level) const {
        return multiples(level) - multiples(level + 1) - (level == 0 && length != count ? 1 : 0);
    }
};

/// What the values -3, -1, 1 and 3 strides away count in a prediction; nothing if they are not there.
template <class L, class T>
struct Weights {
    std::array<T, 4> of{T{-0.0625}, T{0.5625}, T{0.5625}, T{-0.0625}};

    [[nodiscard]] bool complete() const { return of[0] != 0 && of[3] != 0; }
};

/// The weights of all values at odd multiples of a level's stride: but for the first and the last two they are all
/// alike.
template <class L, class T>
class AxisWeights {
  public:
    AxisWeights(const Axis<L>& axis, unsigned level) : values_(axis.odd_multiples(level)) {
        for (std::size_t i = 0; i < special_.size(); ++i) {
            const std::size_t number = i == 0 ? 0 : values_ + i - special_.size();
            if (number < values_) {
                special_[i] = weights_at(axis, (2 * number + 1) << level, std::size_t{1} << level);
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

/// Where a row lies along the first three dimensions.
using RowPlace = std::array<std::size_t, 3>;

/// The rows that predict one across them: how far away they lie, in values, and what they count.
template <class L, class T>
struct RowsAround {
    std::array<std::ptrdiff_t, 4> apart{};
    Weights<L, T> weights;
};

/// The rows of a tile while it is coded by interpolation. Each is kept so that every step works on neighbouring memory:
/// first the values at multiples of some stride, in order, then for each smaller stride those at its odd multiples.
template <class L, class T>
class Lattice {
  public:
    Lattice(const TileRows& tile, void* memory)
        : axes_{Axis<L>(tile.count[0]), Axis<L>(tile.count[1]), Axis<L>(tile.count[2]), Axis<L>(tile.count[3])},
          row_values_{axes_[1].count * axes_[2].count * axes_[3].count, axes_[2].count * axes_[3].count,
                      axes_[3].count},
          values_(static_cast<T*>(memory) + 2 * group) {}

    [[nodiscard]] const Axis<L>& axis(std::size_t number) const { return axes_[number]; }
    [[nodiscard]] RowPlace place_of(std::size_t w, std::size_t z, std::size_t y) const {
        return {axes_[0].place_of(w), axes_[1].place_of(z), axes_[2].place_of(y)};
    }
    /// The rows counted through.
    [[nodiscard]] std::size_t row_number(const RowPlace& place) const {
        return (axes_[0].value_at(place[0]) * axes_[1].count + axes_[1].value_at(place[1])) * axes_[2].count +
               axes_[2].value_at(place[2]);
    }
    [[nodiscard]] T* row(const RowPlace& place) const { return values_ + row_number(place) * axes_[3].count; }
    /// Room for a row and a group.
    [[nodiscard]] T* buffer() const { return values_ + axes_[0].count * row_values_[0]; }

    /// Calls for the anchors of each row that has any, then for each run of values on one row: those that are predicted
    /// across rows, with what does, and those along their own, with a `Predictor` made of its axis' weights.
    template <class Predictor, class Anchors, class Across, class Along>
    void walk(const Anchors& anchors, const Across& across, const Along& along) const {
        constexpr std::size_t widest = std::size_t{1} << widest_level;
        for_rows({widest, widest, widest}, {0, 0, 0}, anchors);
        for (unsigned level = widest_level; level-- > 0;) {
            const std::size_t stride = std::size_t{1} << level;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                RowPlace steps{2 * stride, 2 * stride, 2 * stride};
                std::fill_n(steps.begin(), axis, stride);
                RowPlace first{};
                first[axis] = stride;
                const AxisWeights<L, T> weights(axes_[axis], level);
                std::size_t last = 0;
                RowsAround<L, T> around;
                for_rows(steps, first, [&](const RowPlace& place) {
                    if (place[axis] != last) {
                        last = place[axis];
                        around = rows_around(axis, level, last, weights.of(last >> (level + 1)));
                    }
                    across(place, level, around);
                });
            }
            const Predictor predictor{AxisWeights<L, T>(axes_[3], level)};
            if (axes_[3].multiples(level) > 1) {
                for_rows({stride, stride, stride}, {0, 0, 0},
                         [&](const RowPlace& place) { along(place, level, predictor); });
            }
        }
    }

    /// Brings a row in order into the lattice's order. A row is first predicted at the largest stride that all its
    /// places are multiples of; until then it needs no order below that.
    void take_row(const RowPlace& place, const T* from) const {
        const Axis<L>& x = axes_[3];
        T* const to = row(place);
        const std::size_t evens = x.multiples(1);
        part(from, x.count, x.odd_multiples(0), to, to + evens);
        if (x.length != x.count) {
            to[evens - 1] = from[x.count - 1];
        }
        const auto largest = static_cast<unsigned>(std::countr_zero(place[0] | place[1] | place[2]));
        for (unsigned level = 1; level <= largest && level < widest_level; ++level) {
            const std::size_t count = x.multiples(level);
            T* const ordered = buffer();
            part(to, count, x.odd_multiples(level), ordered, ordered + x.multiples(level + 1));
            std::copy_n(ordered, count, to);
        }
    }

    /// The inverse when all is done.
    void give_row(const RowPlace& place, T* to) const {
        const Axis<L>& x = axes_[3];
        const T* const from = row(place);
        const std::size_t evens = x.multiples(1);
        join(from, from + evens, x.count, x.odd_multiples(0), to);
        if (x.length != x.count) {
            to[x.count - 1] = from[evens - 1];
        }
    }

    /// Puts the values of a row that are multiples of the stride of a level, 1 or more, in order.
    void put_in_order(T* row, unsigned level) const {
        const Axis<L>& x = axes_[3];
        T* const ordered = buffer();
        join(row, row + x.multiples(level + 1), x.multiples(level), x.odd_multiples(level), ordered);
        std::copy_n(ordered, x.multiples(level), row);
    }

  private:
    template <class Call>
    void for_rows(const RowPlace& steps, const RowPlace& first, const Call& call) const {
        for (std::size_t w = first[0]; w < axes_[0].length; w += steps[0]) {
            for (std::size_t z = first[1]; z < axes_[1].length; z += steps[1]) {
                for (std::size_t y = first[2]; y < axes_[2].length; y += steps[2]) {
                    if (!axes_[0].is_gap(w) && !axes_[1].is_gap(z) && !axes_[2].is_gap(y)) {
                        call(RowPlace{w, z, y});
                    }
                }
            }
        }
    }

    [[nodiscard]] RowsAround<L, T> rows_around(std::size_t axis, unsigned level, std::size_t place,
                                               const Weights<L, T>& weights) const {
        RowsAround<L, T> around{{}, weights};
        const auto values = static_cast<std::ptrdiff_t>(row_values_[axis]);
        const auto own = static_cast<std::ptrdiff_t>(axes_[axis].value_at(place));
        for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t other = place + ((2 * i + 1) << level) - (std::size_t{4} << level);
            around.apart[i] = (static_cast<std::ptrdiff_t>(axes_[axis].value_at(other)) - own) * values;
        }
        return around;
    }

    // Whole vectors first, which may take one odd value more than there is: it goes to where the next row will be, or
    // comes from there and is overwritten.
    static std::size_t pairs_in_vectors(std::size_t count) { return count / 2 / group * group; }

    /// Of a count of values, those at even places and `odds` of those at odd ones.
    static void part(const T* __restrict from, std::size_t count, std::size_t odds, T* __restrict even,
                     T* __restrict odd) {
        const std::size_t vectors = pairs_in_vectors(count);
        for (std::size_t i = 0; i < vectors; ++i) {
            even[i] = from[2 * i];
            odd[i] = from[2 * i + 1];
        }
        for (std::size_t i = vectors; i < odds; ++i) {
            odd[i] = from[2 * i + 1];
        }
        for (std::size_t i = vectors; 2 * i < count; ++i) {
            even[i] = from[2 * i];
        }
    }
    static void join(const T* __restrict even, const T* __restrict odd, std::size_t count, std::size_t odds,
                     T* __restrict to) {
        const std::size_t vectors = pairs_in_vectors(count);
        for (std::size_t i = 0; i < vectors; ++i) {
            to[2 * i] = even[i];
            to[2 * i + 1] = odd[i];
        }
        for (std::size_t i = vectors; i < odds; ++i) {
            to[2 * i + 1] = odd[i];
        }
        for (std::size_t i = vectors; 2 * i < count; ++i) {
            to[2 * i] = even[i];
        }
    }

    const std::array<Axis<L>, 4> axes_;
    const std::array<std::size_t, 3> row_values_;  // between rows that are neighbours along each dimension
    T* const values_;
};

}  // namespace staithe::transform::dq
