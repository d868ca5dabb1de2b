// Entropy coding for any kind of lanes: see entropy.hpp.
#pragma once

#include <cstring>

#include "transform/dq/entropy.hpp"
#include "transform/dq/tile_coder.hpp"

namespace staithe::transform::dq {

/// Sixteen states, each of which takes in a symbol, by what the tables say of it. Words that they give off are written
/// behind `words`.
template <class L>
[[gnu::always_inline]] inline typename L::Lanes encode_step(typename L::Lanes states, typename L::Lanes reciprocal,
                                                            typename L::Lanes rest, std::uint16_t*& words) {
    const auto frequency = L::template shift_right<16>(rest);
    // A state must stay within its bits: it gives off 16 of them if it would not.
    const std::uint32_t full = L::at_least(L::template shift_right<state_bits - frequency_bits>(states), frequency);
    words = L::pack_words(words, states, full);
    states = L::replace(states, full, L::template shift_right<16>(states));
    const auto shift = L::mask(L::template shift_right<12>(rest), 15);
    const auto quotient = L::shift_right(L::multiply_high(states, reciprocal), shift);
    const auto others = L::subtract(L::splat(all_frequencies), frequency);
    return L::add(L::add(states, L::mask(rest, 0xFFF)), L::multiply(quotient, others));
}

/// The inverse: takes words from before `words`, and returns the symbols. `table` is each lane's first residue.
template <class L, class Tables>
[[gnu::always_inline]] inline typename L::Lanes decode_step(typename L::Lanes& states, typename L::Lanes table,
                                                            const Tables& tables, const std::uint16_t*& words) {
    const auto residue = L::gather(tables.residue.data(), L::add(table, L::mask(states, all_frequencies - 1)));
    const auto frequency = L::mask(L::template shift_right<8>(residue), 0xFFF);
    states = L::add(L::multiply(frequency, L::template shift_right<frequency_bits>(states)),
                    L::template shift_right<20>(residue));
    const std::uint32_t low = L::at_least(L::splat(lowest_state - 1), states);
    words -= __builtin_popcount(low);
    const auto filled = L::add(L::template shift_left<16>(states), L::unpack_words(words, low));
    states = L::replace(states, low, filled);
    return L::mask(residue, 0xFF);
}

template <class L>
std::uint16_t* write_states(std::uint16_t* words, typename L::Lanes states) {
    std::uint32_t numbers[group];
    L::store(numbers, states);
    std::memcpy(words, numbers, sizeof(numbers));
    return words + words_of_states;
}

template <class L>
typename L::Lanes read_states(const std::uint16_t*& words) {
    words -= words_of_states;
    std::uint32_t numbers[group];
    std::memcpy(numbers, words, sizeof(numbers));
    return L::load(numbers);
}

/// Finds each group's width, and writes the bits below the symbols.
template <class L>
void find_widths(EntropyEncodeJob& job) {
    for (std::size_t b = 0; b < job.blocks; ++b) {
        typename L::Lanes lanes[groups_of_block];
        for (std::size_t g = 0; g < groups_of_block; ++g) {
            lanes[g] = L::load(job.residuals + b * block + g * group);
        }
        typename L::Word all[groups_of_block];
        L::combine(lanes, all);
        std::uint8_t* const widths = job.widths + b * groups_of_block;
        std::uint8_t low[groups_of_block];
        unsigned most = 0;
        for (std::size_t g = 0; g < groups_of_block; ++g) {
            widths[g] = static_cast<std::uint8_t>(bit_width(all[g]));
            low[g] = static_cast<std::uint8_t>(low_bits(widths[g]));
            most = low[g] > most ? low[g] : most;
        }
        job.planes = L::write_planes(job.planes, lanes, low, most);
    }
    const WidthRuns runs{job.blocks * groups_of_block};
    std::memset(job.widths + runs.groups, 0, runs.padded() - runs.groups);
}

[[gnu::always_inline]] inline bool all_are_zero(const std::uint8_t* widths) {
    std::uint64_t all = 0;
    std::memcpy(&all, widths, groups_of_block);
    return all == 0;
}

template <class L>
void encode_symbols(EntropyEncodeJob& job) {
    const SymbolEncoding& tables = job.memory->symbols;
    std::uint16_t* words = job.symbol_words;
    typename L::Lanes states[chains] = {L::splat(lowest_state), L::splat(lowest_state)};
    for (std::size_t b = job.blocks; b-- > 0;) {
        const std::uint8_t* const widths = job.widths + b * groups_of_block;
        if (all_are_zero(widths)) {
            continue;
        }
#pragma GCC unroll 8
        for (std::size_t turn = 0; turn < groups_of_block; ++turn) {
            const std::size_t g = groups_of_block - 1 - turn;
            const auto residuals = L::load(job.residuals + b * block + g * group);
            const auto symbol = L::shift_right(residuals, L::splat(low_bits(widths[g])));
            const auto reciprocal = L::look_up(tables.reciprocal.data() + widths[g] * symbols, symbol);
            const auto rest = L::look_up(tables.rest.data() + widths[g] * symbols, symbol);
            states[g % chains] = encode_step<L>(states[g % chains], reciprocal, rest, words);
        }
    }
    for (std::size_t chain = chains; chain-- > 0;) {
        words = write_states<L>(words, states[chain]);
    }
    job.symbol_words = words;
}

template <class L>
void encode_widths(EntropyEncodeJob& job) {
    const WidthRuns runs{job.blocks * groups_of_block};
    static_assert(WidthEncoding::stride == symbols);
    const WidthEncoding& tables = job.memory->widths;
    const auto widths_at = [&](std::size_t i) {
        std::uint32_t widths[group];
        for (std::size_t lane = 0; lane < group; ++lane) {
            widths[lane] = job.widths[lane * runs.length() + i];
        }
        return L::load(widths);
    };
    auto states = L::splat(lowest_state);
    auto widths = widths_at(runs.length() - 1);
    for (std::size_t i = runs.length(); i-- > 0;) {
        const auto before = i > 0 ? widths_at(i - 1) : L::zero();
        const auto index = L::add(L::template shift_left<symbol_bits>(before), widths);
        states = encode_step<L>(states, L::gather(tables.reciprocal.data(), index),
                                L::gather(tables.rest.data(), index), job.width_words);
        widths = before;
    }
    job.width_words = write_states<L>(job.width_words, states);
}

template <class L>
void encode_residuals(EntropyEncodeJob& job) {
    find_widths<L>(job);
    make_tables(job);
    encode_symbols<L>(job);
    encode_widths<L>(job);
}

template <class L>
void decode_widths(EntropyDecodeJob& job) {
    const WidthRuns runs{job.blocks * groups_of_block};
    const std::uint16_t* words = job.width_words.data() + job.width_words.size();
    auto states = read_states<L>(words);
    auto before = L::zero();
    for (std::size_t i = 0; i < runs.length(); ++i) {
        if (words < job.width_words.data()) {
            job.broken = true;
            return;
        }
        before = decode_step<L>(states, L::template shift_left<frequency_bits>(before), job.memory->widths, words);
        std::uint32_t widths[group];
        L::store(widths, before);
        for (std::size_t lane = 0; lane < group; ++lane) {
            job.widths[lane * runs.length() + i] = static_cast<std::uint8_t>(widths[lane]);
        }
    }
    std::uint8_t beyond = 0;
    for (std::size_t g = runs.groups; g < runs.padded(); ++g) {
        beyond |= job.widths[g];
    }
    job.broken = words != job.width_words.data() || beyond != 0;
}

template <class L>
void decode_symbols(EntropyDecodeJob& job) {
    const std::uint16_t* words = job.symbol_words.data() + job.symbol_words.size();
    typename L::Lanes states[chains];
    for (auto& chain : states) {
        chain = read_states<L>(words);
    }
    const std::uint16_t* planes = job.planes.data();
    const std::uint16_t* const planes_end = planes + job.planes.size();
    for (std::size_t b = 0; b < job.blocks; ++b) {
        const std::uint8_t* const widths = job.widths + b * groups_of_block;
        std::uint32_t* const out = job.residuals + b * block;
        if (all_are_zero(widths)) {
            std::memset(out, 0, block * sizeof(*out));
            continue;
        }
        std::uint8_t low[groups_of_block];
        unsigned most = 0;
        std::ptrdiff_t sum = 0;
        for (std::size_t g = 0; g < groups_of_block; ++g) {
            low[g] = static_cast<std::uint8_t>(low_bits(widths[g]));
            most = low[g] > most ? low[g] : most;
            sum += low[g];
        }
        if (planes_end - planes < sum || words < job.symbol_words.data()) {
            job.broken = true;
            return;
        }
        typename L::Lanes lanes[groups_of_block];
        planes = L::read_planes(planes, lanes, low, most);
#pragma GCC unroll 8
        for (std::size_t g = 0; g < groups_of_block; ++g) {
            const auto table = L::splat(widths[g] * all_frequencies);
            const auto symbol = decode_step<L>(states[g % chains], table, job.memory->symbols, words);
            const auto residuals = L::add(L::shift_left(symbol, L::splat(low[g])), lanes[g]);
            L::store(out + g * group, L::unfold_signs(residuals));
        }
    }
    job.broken = planes != planes_end || words != job.symbol_words.data();
}

template <class L>
void decode_residuals(EntropyDecodeJob& job) {
    decode_widths<L>(job);
    if (!job.broken) {
        decode_symbols<L>(job);
    }
}

}  // namespace staithe::transform::dq
