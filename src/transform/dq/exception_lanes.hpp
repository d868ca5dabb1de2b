// Exceptions of a piece of a row, counted while its values are in the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transform/dq/coding.hpp"

namespace staithe::transform::dq {

/// Counts those of a piece, whose words are the encoder's next ones of `all_words`, and takes out which hold what the
/// first one of all does: in most tiles each of them.
/// `L` is the kind of lanes, so that files that are compiled for different processors share no function.
template <class L, class Element>
void count_exceptions(EncodeJob& job, const std::uint16_t* all_words, const Element* values, std::size_t count) {
    using Bits = typename Quantiser<Element>::Bits;
    constexpr std::size_t word_bytes = group * sizeof(Bits);
    const auto* const at = reinterpret_cast<const std::byte*>(values);
    std::uint16_t* const found = job.exception_words;
    const std::size_t words = (count + group - 1) / group;
    std::size_t exceptions = 0;
    for (std::size_t i = 0; i < words; ++i) {
        exceptions += static_cast<std::size_t>(__builtin_popcount(found[i]));
    }
    job.exceptions += exceptions;
    if (job.common.words == nullptr) {
        return;
    }
    if (job.common.count == 0) {
        std::size_t i = 0;
        while (found[i] == 0) {
            ++i;
        }
        Bits first{};
        const auto lane = static_cast<std::size_t>(__builtin_ctz(found[i]));
        std::memcpy(&first, at + i * word_bytes + lane * sizeof(first), sizeof(first));
        job.common.value = first;
        std::memset(job.common.words, 0, job.tile.exception_words() * sizeof(*found));
    }
    const auto common = static_cast<Bits>(job.common.value);
    std::uint16_t* const to = job.common.words + (found - all_words);
    std::size_t taken = 0;
    const auto take = [&](std::size_t i, const std::byte* from) {
        const std::uint32_t equal = L::equal(from, common) & found[i];
        taken += static_cast<std::size_t>(__builtin_popcount(equal));
        to[i] = static_cast<std::uint16_t>(equal);
        found[i] ^= static_cast<std::uint16_t>(equal);
    };
    const std::size_t whole = count / group;
    for (std::size_t i = 0; i < whole; ++i) {
        take(i, at + i * word_bytes);
    }
    if (whole < words) {
        std::byte rest[word_bytes] = {};
        std::memcpy(rest, at + whole * word_bytes, (count - whole * group) * sizeof(Bits));
        take(whole, rest);
    }
    job.common.count += taken;
}

}  // namespace staithe::transform::dq
