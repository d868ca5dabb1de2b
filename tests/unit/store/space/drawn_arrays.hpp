// Arrays of any dtype, strides and address, of numbers that are drawn, which are known beside them as they are
// compared.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <staithe/array_view.hpp>

#include "store/space/condition.hpp"

namespace staithe::store::space {

class DrawnArray {
  public:
    struct Element {
        Number real = 0;
        Number imaginary = 0;
        [[nodiscard]] bool is_nan() const { return std::isnan(real) || std::isnan(imaginary); }
    };

    /// Of few small numbers, the limits of the dtype, infinities and NaN.
    DrawnArray(std::mt19937& random, Dtype dtype, const Extents& shape) : view_{nullptr, dtype, shape, {}} {
        const auto count = static_cast<std::size_t>(*volume(shape));
        // The order of dimensions in memory, some of them backwards, and gaps.
        std::vector<std::size_t> order(shape.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            order[i] = i;
        }
        if (random() % 2 == 0) {
            std::shuffle(order.begin(), order.end(), random);
        }
        std::int64_t stride = size_of(dtype) * (random() % 4 == 0 ? 2 : 1);
        std::int64_t first = random() % 4 == 0 ? 1 : 0;  // unaligned
        view_.strides = Extents::filled(shape.size(), 0);
        for (auto i = order.rbegin(); i != order.rend(); ++i) {
            const bool is_backward = random() % 4 == 0;
            view_.strides[*i] = is_backward ? -stride : stride;
            first += is_backward ? (shape[*i] - 1) * stride : 0;
            stride *= shape[*i];
        }
        memory_.resize(static_cast<std::size_t>(stride) + 32);
        view_.data = memory_.data() + first;
        const double nan_share = random() % 2 == 0 ? 0.0 : 0.1;
        const bool is_wide = random() % 2 == 0;
        Extents index = Extents::filled(shape.size(), 0);
        for (std::size_t i = 0; i < count; ++i) {
            std::int64_t offset = first;
            for (std::size_t k = 0; k < shape.size(); ++k) {
                offset += index[k] * view_.strides[k];
            }
            elements_.push_back(put(random, memory_.data() + offset, nan_share, is_wide));
            for (std::size_t k = shape.size(); k-- > 0 && ++index[k] == shape[k];) {
                index[k] = 0;
            }
        }
    }
    DrawnArray(const DrawnArray&) = delete;
    DrawnArray& operator=(const DrawnArray&) = delete;
    DrawnArray(DrawnArray&&) = default;  // the memory stays where it is
    DrawnArray& operator=(DrawnArray&&) = delete;
    ~DrawnArray() = default;

    [[nodiscard]] const ArrayView& view() const { return view_; }
    /// In C order.
    [[nodiscard]] const std::vector<Element>& elements() const { return elements_; }

  private:
    Element put(std::mt19937& random, std::byte* to, double nan_share, bool is_wide) {
        switch (view_.dtype) {
            case Dtype::boolean: {
                const auto byte = static_cast<std::uint8_t>(random() % 3);  // any but 0 is true
                std::memcpy(to, &byte, 1);
                return {static_cast<Number>(byte != 0 ? 1 : 0)};
            }
            case Dtype::i8: return put_integer<std::int8_t>(random, to, is_wide);
            case Dtype::i16: return put_integer<std::int16_t>(random, to, is_wide);
            case Dtype::i32: return put_integer<std::int32_t>(random, to, is_wide);
            case Dtype::i64: return put_integer<std::int64_t>(random, to, is_wide);
            case Dtype::u8: return put_integer<std::uint8_t>(random, to, is_wide);
            case Dtype::u16: return put_integer<std::uint16_t>(random, to, is_wide);
            case Dtype::u32: return put_integer<std::uint32_t>(random, to, is_wide);
            case Dtype::u64: return put_integer<std::uint64_t>(random, to, is_wide);
            case Dtype::f16: {
                static constexpr std::array<std::pair<std::uint16_t, double>, 7> halves{
                    {{0x0000, 0.0},
                     {0x3c00, 1.0},
                     {0xc000, -2.0},
                     {0x2e66, 0.0999755859375},
                     {0x7bff, 65504.0},
                     {0x7c00, std::numeric_limits<double>::infinity()},
                     {0x7e00, std::numeric_limits<double>::quiet_NaN()}}};
                const auto& [bits, value] = halves[random() % (nan_share > 0 ? 7 : 5)];
                std::memcpy(to, &bits, 2);
                return {value};
            }
            case Dtype::f32: return {put_real<float>(random, to, nan_share)};
            case Dtype::f64: return {put_real<double>(random, to, nan_share)};
            case Dtype::f128: return {put_real<long double>(random, to, nan_share)};
            case Dtype::c64: return put_complex<float>(random, to, nan_share);
            case Dtype::c128: return put_complex<double>(random, to, nan_share);
            case Dtype::c256: break;
        }
        return put_complex<long double>(random, to, nan_share);
    }

    template <class T>
    static Element put_integer(std::mt19937& random, std::byte* to, bool is_wide) {
        const auto number = static_cast<T>(random() % 5);
        const T limit = random() % 2 == 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
        const T value = is_wide && random() % 2 == 0 ? limit : number;
        std::memcpy(to, &value, sizeof(T));
        return {static_cast<Number>(value)};
    }

    template <class T>
    static Number put_real(std::mt19937& random, std::byte* to, double nan_share) {
        const double drawn = std::uniform_real_distribution<double>()(random);
        T value = static_cast<T>(static_cast<int>(random() % 7) - 2) / 2;
        if (random() % 8 == 0) {
            value = static_cast<T>(0.1);
        }
        if (drawn < nan_share) {
            value = random() % 2 == 0 ? std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::infinity();
        }
        std::memcpy(to, &value, sizeof(T));
        return value;
    }

    template <class T>
    static Element put_complex(std::mt19937& random, std::byte* to, double nan_share) {
        const Number real = put_real<T>(random, to, nan_share);
        if (random() % 2 == 0) {
            const T zero = 0;
            std::memcpy(to + sizeof(T), &zero, sizeof(T));
            return {real};
        }
        return {real, put_real<T>(random, to + sizeof(T), nan_share)};
    }

    std::vector<std::byte> memory_;
    ArrayView view_;
    std::vector<Element> elements_;
};

/// Of no, one and more dimensions; now and then more elements than are looked at in turn.
inline Extents drawn_shape(std::mt19937& random) {
    Extents shape;
    const auto dimensions = random() % 5;
    for (std::size_t i = 0; i < dimensions; ++i) {
        shape.push_back(static_cast<std::int64_t>(1 + random() % 7));
    }
    if (dimensions > 0 && random() % 8 == 0) {
        shape[random() % dimensions] = dimensions < 3 ? 40000 : 1000;
    }
    return shape;
}

}  // namespace staithe::store::space
