// The coding of one tile by interpolation, for any kind of lanes.
#pragma once

#include <bit>

#include "transform/dq/interpolation.hpp"

namespace staithe::transform::dq {

[[gnu::always_inline]] inline std::uint32_t fold_sign(std::int32_t residual) {
    return static_cast<std::uint32_t>(residual) << 1U ^ static_cast<std::uint32_t>(residual >> 31);
}

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
        for_each_row(job_.tile, [this](std::size_t w, std::size_t z, std::size_t y, std::ptrdiff_t at) {
            take_row(w, z, y, reinterpret_cast<const T*>(job_.values + at));
        });
        lattice_.walk(
            [this](std::size_t w, std::size_t z, std::size_t y) { encode_anchors(w, z, y); },
            [this](std::size_t w, std::size_t z, std::size_t y, std::size_t stride, std::ptrdiff_t apart,
                   const Neighbourhood& near) { encode_across(w, z, y, stride, apart, near); },
            [this](std::size_t w, std::size_t z, std::size_t y, std::size_t stride) { encode_along(w, z, y, stride); });
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
    using Lattice = Interpolation<L, T>;

    // Beyond these the rounding below is none. 1.5 × 2^(bits of the fraction) has no bits left below 1.
    static constexpr T most = sizeof(T) == 4 ? T{0x1p22} : T{0x1p30};
    static constexpr T rounding = sizeof(T) == 4 ? T{0x1.8p23} : T{0x1.8p52};

    /// Brings a row into the order of the lattice, with NaN for what must come back bit by bit.
    void take_row(std::size_t w, std::size_t z, std::size_t y, const T* from) {
        const std::size_t length = job_.tile.count[3];
        const std::size_t number = lattice_.number(w, z, y);
        T* const row = lattice_.row(number);
        if (has_odd_values(from, length)) {
            T* const marked = lattice_.buffer();
            for (std::size_t x = 0; x < length; ++x) {
                const bool odd = is_odd(from[x]);
                marked[x] = odd ? std::numeric_limits<T>::quiet_NaN() : from[x];
                exception_word(number, x) |= static_cast<std::uint16_t>(unsigned{odd} << x % group);
            }
            from = marked;
        }
        // A row is first predicted at the largest stride that all its places are multiples of.
        const std::size_t stride = (w | z | y | widest_stride) & -(w | z | y | widest_stride);
        for (std::size_t s = 1; s <= std::min(stride, widest_stride / 2); s *= 2) {
            const std::size_t count = Lattice::multiples(length, s);
            T* const to = s == 1 ? row : lattice_.buffer();
            Lattice::part(from, count, to, to + Lattice::multiples(count, 2));
            if (s > 1) {
                std::memcpy(row, to, count * sizeof(T));
            }
            from = row;
        }
    }

    [[nodiscard]] static bool is_odd(T value, T fill) {
        using Bits = typename Quantiser<T>::Bits;
        constexpr Bits sign = Bits{1} << (8 * sizeof(T) - 1);
        constexpr Bits smallest_normal = std::bit_cast<Bits>(std::numeric_limits<T>::min());
        constexpr Bits infinite = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
        const auto bits = std::bit_cast<Bits>(value);
        const Bits size = bits & ~sign;
        return static_cast<bool>(static_cast<int>(size - 1 < smallest_normal - 1) | static_cast<int>(bits == sign) |
                                 static_cast<int>(size >= infinite) | static_cast<int>(value == fill));
    }
    [[nodiscard]] bool is_odd(T value) const { return is_odd(value, fill_); }
    [[nodiscard]] bool has_odd_values(const T* values, std::size_t length) const {
        const T fill = fill_;
        int any = 0;
        for (std::size_t x = 0; x < length; ++x) {
            any |= static_cast<int>(is_odd(values[x], fill));
        }
        return any != 0;
    }

    void encode_anchors(std::size_t w, std::size_t z, std::size_t y) {
        T* const row = lattice_.row(lattice_.number(w, z, y));
        const std::size_t count = Lattice::multiples(job_.tile.count[3], widest_stride);
        for (std::size_t i = 0; i < count; ++i) {
            encode_one(anchor_, row + i);
            anchor_ = row[i];
        }
        mark_exceptions(w, z, y, row, count, 0, widest_stride);
    }

    // Twice the range of vectors: an anchor may be far from the one before it.
    void encode_one(T predicted, T* at) {
        const T scaled = std::nearbyint((*at - predicted) * by_.inverse_step);
        const bool fits = std::abs(scaled) < T{0x1p31};
        const T residual = fits ? scaled : T{0};
        *at = predicted + residual * by_.step;
        *residuals_++ = fold_sign(static_cast<std::int32_t>(residual));
    }

    void encode_across(std::size_t w, std::size_t z, std::size_t y, std::size_t stride, std::ptrdiff_t apart,
                       const Neighbourhood& near) {
        T* const row = lattice_.row(lattice_.number(w, z, y));
        const std::size_t count = Lattice::multiples(job_.tile.count[3], 2 * stride);
        Masks missed{};
        for (std::size_t i = 0; i < count; i += group) {
            encode_group(Lattice::predict_across(row + i, apart, near), row + i, count - i, missed);
        }
        if (any(missed)) {
            mark_exceptions(w, z, y, row, count, 0, 2 * stride);
        }
    }

    void encode_along(std::size_t w, std::size_t z, std::size_t y, std::size_t stride) {
        T* const row = lattice_.row(lattice_.number(w, z, y));
        const std::size_t known = Lattice::multiples(job_.tile.count[3], 2 * stride);
        const std::size_t count = Lattice::multiples(job_.tile.count[3], stride) - known;
        T* const odd = row + known;
        Masks missed{};
        if (known < 3) {
            for (std::size_t i = 0; i < count; ++i) {
                encode_one(Lattice::predict_one_along(row, i, known), odd + i);
            }
            missed[0] = -1;
        } else {
            for (std::size_t i = 0; i < count; i += group) {
                encode_group(Lattice::predict_along(row, i, known), odd + i, count - i, missed);
            }
        }
        if (any(missed)) {
            mark_exceptions(w, z, y, odd, count, stride, 2 * stride);
        }
        if (stride > 1) {
            lattice_.put_in_order(row, stride);
        }
    }

    /// Up to 16 values, which become what the decoder will have.
    [[gnu::always_inline]] void encode_group(const Values& predicted, T* at, std::size_t count, Masks& missed) {
        const auto values = V::template load<Values>(at);
        const Values scaled = (values - predicted) * by_.inverse_step;
        Masks good = V::magnitude(scaled) <= most;
        Values residual = good ? (scaled + rounding) - rounding : Values{};
        Values restored = predicted + residual * by_.step;
        good &= (V::magnitude(values - restored) <= by_.bound) & (restored != fill_);
        residual = good ? residual : Values{};
        restored = good ? restored : predicted;
        const Masks valid = V::numbers() < static_cast<typename V::Signed>(count);
        missed |= ~good & (values == values) & valid;
        V::store(at, valid ? restored : values);
        const auto numbers = __builtin_convertvector(residual, typename V::Integers);
        V::store(residuals_, (numbers << 1) ^ (numbers >> 31));
        residuals_ += std::min(count, group);
    }

    [[nodiscard]] static bool any(const Masks& masks) {
        typename V::Signed all = 0;
        for (std::size_t i = 0; i < group; ++i) {
            all |= masks[i];
        }
        return all != 0;
    }

    /// Those of a run whose bound was missed. Value i of it has the place first + i × apart.
    void mark_exceptions(std::size_t w, std::size_t z, std::size_t y, const T* restored, std::size_t count,
                         std::size_t first, std::size_t apart) {
        const auto& stride = job_.tile.stride;
        const auto* const values = reinterpret_cast<const T*>(job_.values + static_cast<std::ptrdiff_t>(w) * stride[0] +
                                                              static_cast<std::ptrdiff_t>(z) * stride[1] +
                                                              static_cast<std::ptrdiff_t>(y) * stride[2]);
        const std::size_t number = lattice_.number(w, z, y);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t x = first + i * apart;
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
    const Lattice lattice_;
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
        lattice_.walk(
            [this](std::size_t w, std::size_t z, std::size_t y) { decode_anchors(w, z, y); },
            [this](std::size_t w, std::size_t z, std::size_t y, std::size_t stride, std::ptrdiff_t apart,
                   const Neighbourhood& near) { decode_across(w, z, y, stride, apart, near); },
            [this](std::size_t w, std::size_t z, std::size_t y, std::size_t stride) { decode_along(w, z, y, stride); });
        for_each_row(job_.tile, [this](std::size_t w, std::size_t z, std::size_t y, std::ptrdiff_t at) {
            const std::size_t length = job_.tile.count[3];
            const T* const row = lattice_.row(lattice_.number(w, z, y));
            Lattice::join(row, row + Lattice::multiples(length, 2), length, reinterpret_cast<T*>(job_.values + at));
        });
    }

  private:
    using V = Vectors<L, T>;
    using Values = typename V::Values;
    using Lattice = Interpolation<L, T>;

    void decode_anchors(std::size_t w, std::size_t z, std::size_t y) {
        T* const row = lattice_.row(lattice_.number(w, z, y));
        const std::size_t count = Lattice::multiples(job_.tile.count[3], widest_stride);
        for (std::size_t i = 0; i < count; ++i) {
            anchor_ = row[i] = decode_one(anchor_);
        }
    }

    T decode_one(T predicted) { return predicted + static_cast<T>(*residuals_++) * step_; }

    void decode_across(std::size_t w, std::size_t z, std::size_t y, std::size_t stride, std::ptrdiff_t apart,
                       const Neighbourhood& near) {
        T* const row = lattice_.row(lattice_.number(w, z, y));
        const std::size_t count = Lattice::multiples(job_.tile.count[3], 2 * stride);
        for (std::size_t i = 0; i < count; i += group) {
            decode_group(Lattice::predict_across(row + i, apart, near), row + i, count - i);
        }
    }

    void decode_along(std::size_t w, std::size_t z, std::size_t y, std::size_t stride) {
        T* const row = lattice_.row(lattice_.number(w, z, y));
        const std::size_t known = Lattice::multiples(job_.tile.count[3], 2 * stride);
        const std::size_t count = Lattice::multiples(job_.tile.count[3], stride) - known;
        T* const odd = row + known;
        if (known < 3) {
            for (std::size_t i = 0; i < count; ++i) {
                odd[i] = decode_one(Lattice::predict_one_along(row, i, known));
            }
        } else {
            for (std::size_t i = 0; i < count; i += group) {
                decode_group(Lattice::predict_along(row, i, known), odd + i, count - i);
            }
        }
        if (stride > 1) {
            lattice_.put_in_order(row, stride);
        }
    }

    [[gnu::always_inline]] void decode_group(const Values& predicted, T* at, std::size_t count) {
        const auto residual = __builtin_convertvector(V::template load<typename V::Integers>(residuals_), Values);
        // What lies behind belongs to another row, which may be known already.
        const auto valid = V::numbers() < static_cast<typename V::Signed>(count);
        V::store(at, valid ? predicted + residual * step_ : V::template load<Values>(at));
        residuals_ += std::min(count, group);
    }

    DecodeJob& job_;
    const T step_;
    const Lattice lattice_;
    const std::int32_t* residuals_;
    T anchor_ = 0;
};

}  // namespace staithe::transform::dq
