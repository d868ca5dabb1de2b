// Prediction by interpolation between values that are known already, on finer and finer lattices (as SZ3 does: Zhao et
// al., ICDE 2021). docs/formats/dq.md, "Interpolation".
//
// It predicts from what the decoder will have, not from the values themselves. So smooth fields leave few residuals,
// where differences of quantised values would leave the noise of quantising them.
//
// The arithmetic is written for the vectors of compilers, as long as a register: they cut longer ones to single values.
#pragma once

#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "transform/dq/lattice.hpp"

namespace staithe::transform::dq {

/// `L` is the kind of lanes: it has the size of the registers, and the files that are compiled for different processors
/// share no function.
template <class L, class T>
struct Vectors {
    static constexpr std::size_t lanes = L::register_bytes / sizeof(T);
    using Signed = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    typedef T Values __attribute__((vector_size(L::register_bytes)));       // NOLINT(modernize-use-using)
    typedef Signed Masks __attribute__((vector_size(L::register_bytes)));   // NOLINT(modernize-use-using)
    typedef std::int32_t Integers __attribute__((vector_size(lanes * 4)));  // NOLINT(modernize-use-using)

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
        Masks counted;
        for (std::size_t i = 0; i < lanes; ++i) {
            counted[i] = static_cast<Signed>(i);
        }
        return counted;
    }
    [[gnu::always_inline]] static bool any(const Masks& masks) { return L::any_bit(&masks); }
    [[gnu::always_inline]] static Values magnitude(const Values& values) {
        return std::bit_cast<Values>(std::bit_cast<Masks>(values) & std::numeric_limits<Signed>::max());
    }
};

/// What the rows around one predict, from there on.
template <class L, bool complete, class T>
[[gnu::always_inline]] inline typename Vectors<L, T>::Values predict_across(const RowsAround<L, T>& around,
                                                                            const T* at) {
    using Values = typename Vectors<L, T>::Values;
    const auto term = [&](std::size_t i) {
        return complete || around.weights.of[i] != 0
                   ? Vectors<L, T>::template load<Values>(at + around.apart[i]) * around.weights.of[i]
                   : Values{};
    };
    return (term(1) + term(2)) + (term(0) + term(3));
}

/// What the values on a row at multiples of twice a stride predict between and behind them.
template <class L, class T>
class RowPredictor {
  public:
    using V = Vectors<L, T>;
    using Values = typename V::Values;

    explicit RowPredictor(const AxisWeights<L, T>& weights) : vectors_((weights.values() + V::lanes - 1) / V::lanes) {
        for (std::size_t i = 0; i < edges_.size(); ++i) {
            const std::size_t number = i == 0 ? 0 : vectors_ + i - edges_.size();
            if (number < vectors_) {
                edges_[i] = edge(weights, number * V::lanes);
            }
        }
    }

    /// Those from that number on, a multiple of the lanes.
    [[gnu::always_inline]] Values predict(const T* known, std::size_t first) const {
        const T* const at = known + first;
        const auto a = V::template load<Values>(at - 1);
        const auto b = V::template load<Values>(at);
        const auto c = V::template load<Values>(at + 1);
        const auto d = V::template load<Values>(at + 2);
        const std::size_t number = first / V::lanes;
        if (number != 0 && number + 2 < vectors_) {
            const Weights<L, T> inner;
            return (b * inner.of[1] + c * inner.of[2]) + (a * inner.of[0] + d * inner.of[3]);
        }
        const auto& of = edges_[number == 0 ? 0 : number + edges_.size() - vectors_];
        // What is not there may be anything in memory, and no number.
        const auto term = [](const Values& value, const Values& weight) {
            return weight != T{0} ? value * weight : Values{};
        };
        return (b * of[1] + term(c, of[2])) + (term(a, of[0]) + term(d, of[3]));
    }

  private:
    using Edge = std::array<Values, 4>;

    static Edge edge(const AxisWeights<L, T>& weights, std::size_t first) {
        Edge made{};
        for (std::size_t i = 0; i < V::lanes && first + i < weights.values(); ++i) {
            for (std::size_t j = 0; j < 4; ++j) {
                made[j][i] = weights.of(first + i).of[j];
            }
        }
        return made;
    }

    std::size_t vectors_;
    std::array<Edge, 3> edges_{};
};

}  // namespace staithe::transform::dq
