// Which values of a block a lossy library must not see, and which it did not bring back within the bound.
//
// Both are sets of values: a bit each, in words of 16, as dq's exceptions have them for a tile of one row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace staithe::transform::verified {

/// How values are judged. Complex numbers were taken apart before.
struct Judgement {
    double bound = 0.0;
    std::optional<double> fill{};
};

/// What became of a block.
struct Verdict {
    std::size_t violations = 0;  // values that are off by more than the bound, or became fill
    double largest = 0.0;        // error of all values, violations and masked ones among them
};

[[nodiscard]] constexpr std::size_t words_for(std::size_t values) { return (values + 15) / 16; }

/// Marks what must come back bit by bit: NaN, infinities, -0.0, denormal numbers, fill. Writes all words; returns how
/// many values are marked.
template <class T>
std::size_t find_masked(const T* values, std::size_t count, const Judgement& by, std::uint16_t* words);

/// Puts the value before it (at the beginning: the first one that is not masked; 0 if all are) in each marked place.
template <class T>
void replace_masked(T* values, std::size_t count, const std::uint16_t* words);

/// Compares what a library was given with what it brought back, and marks violations. What is marked already counts for
/// nothing. No rounding hides a violation.
template <class T>
Verdict find_violations(const T* given, const T* decoded, std::size_t count, const Judgement& by, std::uint16_t* words);

}  // namespace staithe::transform::verified
