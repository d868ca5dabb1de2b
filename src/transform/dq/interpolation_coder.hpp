// The coding of one tile by interpolation, for any kind of lanes.
#pragma once

#include <bit>
#include <cmath>
#include <limits>

#include "transform/dq/interpolation.hpp"
#include "transform/dq/rows_ahead.hpp"

namespace staithe::transform::dq {

template <class L, class T>
class InterpolationEncoder {
  public:
    explicit InterpolationEncoder(EncodeJob& job)
        : job_(job),
          by_(*static_cast<const Quantiser<T>*>(job.quantiser)),
          fill_(by_.has_fill ? by_.fill : std::numeric_limits<T>::quiet_NaN()),
          lattice_(job.tile, job.workspace),
          residuals_(job.residuals) {}

    void run() {
        std::memset(job_.exception_words, 0, job_.tile.exception_words() * sizeof(*job_.exception_words));
        RowsAhead<L> ahead(job_.tile, job_.values, sizeof(T));
        for_each_row(job_.tile, [this, &ahead](std::size_t w, std::size_t z, std::size_t y, std::ptrdiff_t at) {
            ahead.fetch_next();
            take_row(w, z, y, reinterpret_cast<const T*>(job_.values + at));
        });
        lattice_.template walk<RowPredictor<L, T>>(
            [this](std::size_t w, std::size_t z, std::size_t y) { encode_anchors(w, z, y); },
            [this](std::size_t w, std::size_t z, std::size_t y, std::size_t stride, const auto& rows,
                   const Weights<L, T>& weights) { encode_across(w, z, y, stride, rows, weights); },
            [this](std::size_t w, std::size_t z, std::size_t y, std::size_t stride,
                   const RowPredictor<L, T>& predictor) { encode_along(w, z, y, stride, predictor); });
        const std::size_t words = job_.tile.exception_words();
        for (std::size_t i = 0; i < words; ++i) {
            job_.exceptions += static_cast<std::size_t>(std::popcount(job_.exception_words[i]));
        }
        std::memset(residuals_, 0, (job_.tile.blocks() * block - job_.tile.values()) * sizeof(*residuals_));
    }

  private:
    using V = Vectors<L, T>;
    using Values = typename V::Values;
    using Masks = typename V::Masks;

    // Beyond these the rounding below is none. 1.5 × 2^(bits of the fraction) has no bits left below 1.
    static constexpr T most = sizeof(T) == 4 ? T{0x1p22} : T{0x1p30};
    static constexpr T rounding = sizeof(T) == 4 ? T{0x1.8p23} : T{0x1.8p52};

    /// With NaN for what must come back bit by bit.
    void take_row(std::size_t w, std::size_t z, std::size_t y, const T* from) {
        const std::size_t length = job_.tile.count[3];
        w = lattice_.axis(0).place_of(w);
        z = lattice_.axis(1).place_of(z);
        y = lattice_.axis(2).place_of(y);
        if (has_exact_values(from, length)) {
            const std::size_t number = lattice_.row_number(w, z, y);
            T* const marked = lattice_.buffer();
            for (std::size_t x = 0; x < length; ++x) {
                const bool exact = comes_back_exactly(from[x], fill_);
                marked[x] = exact ? std::numeric_limits<T>::quiet_NaN() : from[x];
                exception_word(number, x) |= static_cast<std::uint16_t>(unsigned{exact} << x % group);
            }
            from = marked;
        }
        lattice_.take_row(w, z, y, from);
    }

    [[nodiscard]] bool has_exact_values(const T* values, std::size_t length) const {
        const T fill = fill_;
        int any = 0;
        for (std::size_t x = 0; x < length; ++x) {
            any |= static_cast<int>(comes_back_exactly(values[x], fill));
        }
        return any != 0;
    }

    // Anchors may be far apart: one after the other, they have twice the range of vectors.
    void encode_anchors(std::size_t w, std::size_t z, std::size_t y) {
        T* const row = lattice_.row(w, z, y);
        const std::size_t count = lattice_.axis(3).multiples(widest_stride);
        for (std::size_t i = 0; i < count; ++i) {
            const T scaled = std::nearbyint((row[i] - anchor_) * by_.inverse_step);
            const bool fits = std::abs(scaled) < T{0x1p31};
            const T residual = fits ? scaled : T{0};
            anchor_ += residual * by_.step;
            row[i] = anchor_;
            const auto number = static_cast<std::int32_t>(residual);
            *residuals_++ = static_cast<std::uint32_t>(number) << 1U ^ static_cast<std::uint32_t>(number >> 31);
        }
        mark_exceptions(w, z, y, row, count, 0, widest_stride);
    }

    void encode_across(std::size_t w, std::size_t z, std::size_t y, std::size_t stride,
                       const std::array<const T*, 4>& rows, const Weights<L, T>& weights) {
        T* const row = lattice_.row(w, z, y);
        const std::size_t count = lattice_.axis(3).multiples(2 * stride);
        Masks missed{};
        for (std::size_t i = 0; i < count; i += V::lanes) {
            encode_vector(predict_across<L>(rows, weights, i), row + i, count - i, missed);
        }
        if (any(missed)) {
            mark_exceptions(w, z, y, row, count, 0, 2 * stride);
        }
    }

    void encode_along(std::size_t w, std::size_t z, std::size_t y, std::size_t stride,
                      const RowPredictor<L, T>& predictor) {
        T* const row = lattice_.row(w, z, y);
        const std::size_t count = lattice_.axis(3).odd_multiples(stride);
        T* const odd = row + lattice_.axis(3).multiples(2 * stride);
        Masks missed{};
        for (std::size_t i = 0; i < count; i += V::lanes) {
            encode_vector(predictor.predict(row, i), odd + i, count - i, missed);
        }
        if (any(missed)) {
            mark_exceptions(w, z, y, odd, count, stride, 2 * stride);
        }
        if (stride > 1) {
            lattice_.put_in_order(row, stride);
        }
    }

    /// As many of the values as there are lanes, which become what the decoder will have.
    [[gnu::always_inline]] void encode_vector(const Values& predicted, T* at, std::size_t count, Masks& missed) {
        const Quantiser<T> by = by_;
        const T fill = fill_;
        const auto values = V::template load<Values>(at);
        const Values scaled = (values - predicted) * by.inverse_step;
        Masks good = V::magnitude(scaled) <= most;
        Values residual = good ? (scaled + rounding) - rounding : Values{};
        Values restored = predicted + residual * by.step;
        good &= (V::magnitude(values - restored) <= by.bound) & (restored != fill);
        residual = good ? residual : Values{};
        restored = good ? restored : predicted;
        const Masks valid = V::numbers() < static_cast<typename V::Signed>(count);
        missed |= ~good & (V::magnitude(values) <= std::numeric_limits<T>::max()) & valid;
        V::store(at, valid ? restored : values);
        const auto numbers = __builtin_convertvector(residual, typename V::Integers);
        V::store(residuals_, (numbers << 1) ^ (numbers >> 31));
        residuals_ += std::min(count, V::lanes);
    }

    [[nodiscard]] static bool any(const Masks& masks) {
        typename V::Signed all = 0;
        for (std::size_t i = 0; i < V::lanes; ++i) {
            all |= masks[i];
        }
        return all != 0;
    }

    /// Those of a run whose bound was missed. Value i of it stands at first + i × apart.
    void mark_exceptions(std::size_t w, std::size_t z, std::size_t y, const T* restored, std::size_t count,
                         std::size_t first, std::size_t apart) {
        const std::array<std::size_t, 3> place{w, z, y};
        const std::byte* row = job_.values;
        for (std::size_t i = 0; i < 3; ++i) {
            row += static_cast<std::ptrdiff_t>(lattice_.axis(i).value_at(place[i])) * job_.tile.stride[i];
        }
        const auto* const values = reinterpret_cast<const T*>(row);
        const std::size_t number = lattice_.row_number(w, z, y);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t x = lattice_.axis(3).value_at(first + i * apart);
            if (!(std::abs(values[x] - restored[i]) <= by_.bound) || restored[i] == fill_) {
                exception_word(number, x) |= static_cast<std::uint16_t>(1U << x % group);
            }
        }
    }

    std::uint16_t& exception_word(std::size_t row, std::size_t x) {
        return job_.exception_words[row * job_.tile.words_of_row() + x / group];
    }

    EncodeJob& job_;
    const Quantiser<T> by_;
    const T fill_;  // NaN, which equals nothing, if there is none
    const Lattice<L, T> lattice_;
    std::uint32_t* residuals_;
    T anchor_ = 0;  // the last one
};

template <class L, class T>
class InterpolationDecoder {
  public:
    explicit InterpolationDecoder(DecodeJob& job)
        : job_(job),
          step_(static_cast<T>(job.step)),
          lattice_(job.tile, job.workspace),
          residuals_(reinterpret_cast<const std::int32_t*>(job.residuals)) {}

    void run() {
        lattice_.template walk<RowPredictor<L, T>>(
            [this](std::size_t w, std::size_t z, std::size_t y) { decode_anchors(w, z, y); },
            [this](std::size_t w, std::size_t z, std::size_t y, std::size_t stride, const auto& rows,
                   const Weights<L, T>& weights) { decode_across(w, z, y, stride, rows, weights); },
            [this](std::size_t w, std::size_t z, std::size_t y, std::size_t stride,
                   const RowPredictor<L, T>& predictor) { decode_along(w, z, y, stride, predictor); });
        RowsAhead<L> ahead(job_.tile, job_.values, sizeof(T));
        for_each_row(job_.tile, [this, &ahead](std::size_t w, std::size_t z, std::size_t y, std::ptrdiff_t at) {
            ahead.fetch_next();
            lattice_.give_row(lattice_.axis(0).place_of(w), lattice_.axis(1).place_of(z), lattice_.axis(2).place_of(y),
                              reinterpret_cast<T*>(job_.values + at));
        });
    }

  private:
    using V = Vectors<L, T>;
    using Values = typename V::Values;

    void decode_anchors(std::size_t w, std::size_t z, std::size_t y) {
        T* const row = lattice_.row(w, z, y);
        const std::size_t count = lattice_.axis(3).multiples(widest_stride);
        for (std::size_t i = 0; i < count; ++i) {
            anchor_ += static_cast<T>(*residuals_++) * step_;
            row[i] = anchor_;
        }
    }

    void decode_across(std::size_t w, std::size_t z, std::size_t y, std::size_t stride,
                       const std::array<const T*, 4>& rows, const Weights<L, T>& weights) {
        T* const row = lattice_.row(w, z, y);
        const std::size_t count = lattice_.axis(3).multiples(2 * stride);
        for (std::size_t i = 0; i < count; i += V::lanes) {
            decode_vector(predict_across<L>(rows, weights, i), row + i, count - i);
        }
    }

    void decode_along(std::size_t w, std::size_t z, std::size_t y, std::size_t stride,
                      const RowPredictor<L, T>& predictor) {
        T* const row = lattice_.row(w, z, y);
        const std::size_t count = lattice_.axis(3).odd_multiples(stride);
        T* const odd = row + lattice_.axis(3).multiples(2 * stride);
        for (std::size_t i = 0; i < count; i += V::lanes) {
            decode_vector(predictor.predict(row, i), odd + i, count - i);
        }
        if (stride > 1) {
            lattice_.put_in_order(row, stride);
        }
    }

    [[gnu::always_inline]] void decode_vector(const Values& predicted, T* at, std::size_t count) {
        const auto residual = __builtin_convertvector(V::template load<typename V::Integers>(residuals_), Values);
        // What lies behind belongs to another row, which may be known already.
        const auto valid = V::numbers() < static_cast<typename V::Signed>(count);
        V::store(at, valid ? predicted + residual * step_ : V::template load<Values>(at));
        residuals_ += std::min(count, V::lanes);
    }

    DecodeJob& job_;
    const T step_;
    const Lattice<L, T> lattice_;
    const std::int32_t* residuals_;
    T anchor_ = 0;
};

}  // namespace staithe::transform::dq
