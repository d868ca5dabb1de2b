#include "transform/verified/verification.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "transform/dq/quantisation.hpp"

namespace staithe::transform::verified {
namespace {

constexpr std::size_t group = 16;

/// No value equals NaN, so it stands for "no fill".
template <class T>
T fill_of(const Judgement& by) {
    return by.fill ? static_cast<T>(*by.fill) : std::numeric_limits<T>::quiet_NaN();
}

}  // namespace

template <class T>
std::size_t find_masked(const T* values, std::size_t count, const Judgement& by, std::uint16_t* words) {
    const T fill = fill_of<T>(by);
    std::size_t found = 0;
    for (std::size_t begin = 0; begin < count; begin += group) {
        const std::size_t length = std::min(group, count - begin);
        unsigned word = 0;
        for (std::size_t i = 0; i < length; ++i) {
            word |= static_cast<unsigned>(dq::comes_back_exactly(values[begin + i], fill)) << i;
        }
        words[begin / group] = static_cast<std::uint16_t>(word);
        found += static_cast<std::size_t>(std::popcount(word));
    }
    return found;
}

template <class T>
void replace_masked(T* values, std::size_t count, const std::uint16_t* words) {
    const auto masked = [&](std::size_t i) { return (words[i / group] >> i % group & 1U) != 0; };
    std::size_t first = 0;
    while (first < count && masked(first)) {
        ++first;
    }
    T last = first < count ? values[first] : T{0};
    for (std::size_t begin = 0; begin < count; begin += group) {
        const std::size_t end = std::min(count, begin + group);
        for (std::size_t i = begin; i < end && words[begin / group] != 0; ++i) {
            if (masked(i)) {
                values[i] = last;
            }
            last = values[i];
        }
        last = values[end - 1];
    }
}

template <class T>
Verdict find_violations(const T* given, const T* decoded, std::size_t count, const Judgement& by,
                        std::uint16_t* words) {
    const T fill = fill_of<T>(by);
    Verdict verdict;
    for (std::size_t begin = 0; begin < count; begin += group) {
        const std::size_t length = std::min(group, count - begin);
        unsigned suspicious = 0;
        for (std::size_t i = begin; i < begin + length; ++i) {
            const double off = std::abs(static_cast<double>(given[i]) - static_cast<double>(decoded[i]));
            // Below the bound even rounded, it is so exactly.
            const bool good = off < by.bound && decoded[i] != fill;
            suspicious |= static_cast<unsigned>(!good);
            verdict.largest = off > verdict.largest ? off : verdict.largest;
        }
        if (suspicious == 0) {
            continue;
        }
        unsigned word = 0;
        for (std::size_t i = 0; i < length; ++i) {
            const T value = decoded[begin + i];
            const bool good = value != fill && dq::is_within(static_cast<double>(given[begin + i]),
                                                             static_cast<double>(value), by.bound);
            word |= static_cast<unsigned>(!good) << i;
        }
        word &= ~unsigned{words[begin / group]};
        words[begin / group] |= static_cast<std::uint16_t>(word);
        verdict.violations += static_cast<std::size_t>(std::popcount(word));
    }
    return verdict;
}

template std::size_t find_masked(const float*, std::size_t, const Judgement&, std::uint16_t*);
template std::size_t find_masked(const double*, std::size_t, const Judgement&, std::uint16_t*);
template void replace_masked(float*, std::size_t, const std::uint16_t*);
template void replace_masked(double*, std::size_t, const std::uint16_t*);
template Verdict find_violations(const float*, const float*, std::size_t, const Judgement&, std::uint16_t*);
template Verdict find_violations(const double*, const double*, std::size_t, const Judgement&, std::uint16_t*);

}  // namespace staithe::transform::verified
