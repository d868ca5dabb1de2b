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
        RowsAhead<L> ahead(job_.tile, job_.values, sizeof(T));
        for_each_row(job_.tile, [this, &ahead](std::size_t w, std::size_t z, std::size_t y, std::ptrdiff_t at) {
            ahead.fetch_next();
            take_row(lattice_.place_of(w, z, y), reinterpret_cast<const T*>(job_.values + at));
        });
        lattice_.template walk<RowPredictor<L, T>>(
            [this](const RowPlace& place) { encode_anchors(place); },
            [this](const RowPlace& place, unsigned level, const RowsAround<L, T>& around) {
                encode_across(place, level, around);
            },
            [this](const RowPlace& place, unsigned level, const RowPredictor<L, T>& predictor) {
                encode_along(place, level, predictor);
            });
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
    void take_row(const RowPlace& place, const T* from) {
        const std::size_t length = job_.tile.count[3];
        if (find_exact_values(from, length, exception_words_of(lattice_.row_number(place)))) {
            T* const marked = lattice_.buffer() + group;  // behind the end of the last row, which is written to
            const T fill = fill_;                         // in a register: what is stored might be this
            for (std::size_t x = 0; x < length; ++x) {
                marked[x] = comes_back_exactly(from[x], fill) ? std::numeric_limits<T>::quiet_NaN() : from[x];
            }
            from = marked;
        }
        lattice_.take_row(place, from);
    }

    /// Writes which values of a row must come back bit by bit. Returns whether any must.
    [[nodiscard]] bool find_exact_values(const T* values, std::size_t length, std::uint16_t* words) const {
        std::uint32_t any = 0;
        const auto write = [&](std::uint32_t found) {
            *words++ = static_cast<std::uint16_t>(found);
            any |= found;
        };
        std::size_t x = 0;
        for (; x + group <= length; x += group) {
            write(L::exact_values(values + x, fill_));
        }
        if (x < length && length > group) {
            write(L::exact_values(values + length - group, fill_) >> (x + group - length));
        } else if (x < length) {
            T rest[group] = {};
            std::memcpy(rest, values, length * sizeof(T));
            write(L::exact_values(rest, fill_) & ((1U << length) - 1));
        }
        return any != 0;
    }

    // Anchors may be far apart: one after the other, they have twice the range of vectors.
    void encode_anchors(const RowPlace& place) {
        T* const row = lattice_.row(place);
        const std::size_t count = lattice_.axis(3).multiples(widest_level);
        for (std::size_t i = 0; i < count; ++i) {
            const T scaled = std::nearbyint((row[i] - anchor_) * by_.inverse_step);
            const bool fits = std::abs(scaled) < T{0x1p31};
            const T residual = fits ? scaled : T{0};
            anchor_ += residual * by_.step;
            row[i] = anchor_;
            const auto number = static_cast<std::int32_t>(residual);
            *residuals_++ = static_cast<std::uint32_t>(number) << 1U ^ static_cast<std::uint32_t>(number >> 31);
        }
        mark_exceptions(place, row, count, 0, widest_level);
    }

    void encode_across(const RowPlace& place, unsigned level, const RowsAround<L, T>& around) {
        T* const row = lattice_.row(place);
        const std::size_t count = lattice_.axis(3).multiples(level + 1);
        const bool missed =
            around.weights.complete()
                ? encode_run(row, count, [&](std::size_t i) { return predict_across<L, true>(around, row + i); })
                : encode_run(row, count, [&](std::size_t i) { return predict_across<L, false>(around, row + i); });
        if (missed) {
            mark_exceptions(place, row, count, 0, level + 1);
        }
    }

    void encode_along(const RowPlace& place, unsigned level, const RowPredictor<L, T>& predictor) {
        T* const row = lattice_.row(place);
        const std::size_t count = lattice_.axis(3).odd_multiples(level);
        T* const odd = row + lattice_.axis(3).multiples(level + 1);
        if (encode_run(odd, count, [&](std::size_t i) { return predictor.predict(row, i); })) {
            mark_exceptions(place, odd, count, std::size_t{1} << level, level + 1);
        }
        if (level > 0) {
            lattice_.put_in_order(row, level);
        }
    }

    /// Values become what the decoder will have. Returns whether one of them missed the bound, or is so near to it that
    /// the difference may have been rounded.
    /// From the last one on: what predicts them lies before them, and a vector of it may reach into what they become.
    template <class Predict>
    [[gnu::always_inline]] [[nodiscard]] bool encode_run(T* at, std::size_t count, const Predict& predict) {
        const Quantiser<T> by = by_;  // kept in registers: what is stored might be these
        const T fill = fill_;
        std::uint32_t* const residuals = residuals_;
        Masks missed{};
        std::size_t i = count - count % V::lanes;
        if (i < count) {
            const auto values = V::template load<Values>(at + i);
            const Coded coded = encode_vector(predict(i), values, by, fill);
            const Masks valid = V::numbers() < static_cast<typename V::Signed>(count - i);
            V::store(at + i, valid ? coded.restored : values);
            V::store(residuals + i, coded.residuals);
            missed |= coded.missed & valid;
        }
        while (i > 0) {
            i -= V::lanes;
            const Coded coded = encode_vector(predict(i), V::template load<Values>(at + i), by, fill);
            V::store(at + i, coded.restored);
            V::store(residuals + i, coded.residuals);
            missed |= coded.missed;
        }
        residuals_ += count;
        return V::any(missed);
    }

    struct Coded {
        Values restored;
        typename V::Integers residuals;
        Masks missed;
    };
    [[gnu::always_inline]] static Coded encode_vector(const Values& predicted, const Values& values,
                                                      const Quantiser<T>& by, T fill) {
        const Values scaled = (values - predicted) * by.inverse_step;
        Masks good = V::magnitude(scaled) <= most;
        Values residual = good ? (scaled + rounding) - rounding : Values{};
        const Values restored = predicted + residual * by.step;
        const Values off = V::magnitude(values - restored);
        good &= (off <= by.bound) & (restored != fill);
        residual = good ? residual : Values{};
        const auto numbers = __builtin_convertvector(residual, typename V::Integers);
        return {good ? restored : predicted, (numbers << 1) ^ (numbers >> 31),
                ~(good & (off < by.bound)) & (values <= std::numeric_limits<T>::infinity())};
    }

    /// Those of a run that miss the bound. Value i of it stands i strides of that level behind `first`.
    void mark_exceptions(const RowPlace& place, const T* restored, std::size_t count, std::size_t first,
                         unsigned level) {
        const std::byte* row = job_.values;
        for (std::size_t i = 0; i < 3; ++i) {
            row += static_cast<std::ptrdiff_t>(lattice_.axis(i).value_at(place[i])) * job_.tile.stride[i];
        }
        const auto* const values = reinterpret_cast<const T*>(row);
        std::uint16_t* const words = exception_words_of(lattice_.row_number(place));
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t x = lattice_.axis(3).value_at(first + (i << level));
            if (!is_within(values[x], restored[i], by_.bound) || restored[i] == fill_) {
                words[x / group] |= static_cast<std::uint16_t>(1U << x % group);
            }
        }
    }

    [[nodiscard]] std::uint16_t* exception_words_of(std::size_t row) const {
        return job_.exception_words + row * job_.tile.words_of_row();
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
            [this](const RowPlace& place) { decode_anchors(place); },
            [this](const RowPlace& place, unsigned level, const RowsAround<L, T>& around) {
                decode_across(place, level, around);
            },
            [this](const RowPlace& place, unsigned level, const RowPredictor<L, T>& predictor) {
                decode_along(place, level, predictor);
            });
        RowsAhead<L> ahead(job_.tile, job_.values, sizeof(T));
        for_each_row(job_.tile, [this, &ahead](std::size_t w, std::size_t z, std::size_t y, std::ptrdiff_t at) {
            ahead.fetch_next();
            lattice_.give_row(lattice_.place_of(w, z, y), reinterpret_cast<T*>(job_.values + at));
        });
    }

  private:
    using V = Vectors<L, T>;
    using Values = typename V::Values;
    using Masks = typename V::Masks;

    void decode_anchors(const RowPlace& place) {
        T* const row = lattice_.row(place);
        const std::size_t count = lattice_.axis(3).multiples(widest_level);
        for (std::size_t i = 0; i < count; ++i) {
            anchor_ += static_cast<T>(*residuals_++) * step_;
            row[i] = anchor_;
        }
    }

    void decode_across(const RowPlace& place, unsigned level, const RowsAround<L, T>& around) {
        T* const row = lattice_.row(place);
        const std::size_t count = lattice_.axis(3).multiples(level + 1);
        if (around.weights.complete()) {
            decode_run(row, count, [&](std::size_t i) { return predict_across<L, true>(around, row + i); });
        } else {
            decode_run(row, count, [&](std::size_t i) { return predict_across<L, false>(around, row + i); });
        }
    }

    void decode_along(const RowPlace& place, unsigned level, const RowPredictor<L, T>& predictor) {
        T* const row = lattice_.row(place);
        const std::size_t count = lattice_.axis(3).odd_multiples(level);
        T* const odd = row + lattice_.axis(3).multiples(level + 1);
        decode_run(odd, count, [&](std::size_t i) { return predictor.predict(row, i); });
        if (level > 0) {
            lattice_.put_in_order(row, level);
        }
    }

    template <class Predict>
    [[gnu::always_inline]] void decode_run(T* at, std::size_t count, const Predict& predict) {
        const T step = step_;
        const std::int32_t* const residuals = residuals_;
        const auto decoded = [&](std::size_t i) {
            const auto residual =
                __builtin_convertvector(V::template load<typename V::Integers>(residuals + i), Values);
            return predict(i) + residual * step;
        };
        std::size_t i = count - count % V::lanes;
        if (i < count) {
            // What lies behind belongs to another row, which may be known already.
            const Masks valid = V::numbers() < static_cast<typename V::Signed>(count - i);
            V::store(at + i, valid ? decoded(i) : V::template load<Values>(at + i));
        }
        while (i > 0) {
            i -= V::lanes;
            V::store(at + i, decoded(i));
        }
        residuals_ += count;
    }

    DecodeJob& job_;
    const T step_;
    const Lattice<L, T> lattice_;
    const std::int32_t* residuals_;
    T anchor_ = 0;
};

}  // namespace staithe::transform::dq
