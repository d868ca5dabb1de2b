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

/// Writes the lower bits of a sparse group: of each residual that is not zero, less 1, one after the other.
template <class L>
std::uint16_t* write_sparse(std::uint16_t* words, typename L::Lanes lanes, std::uint32_t not_zero, unsigned low) {
    std::uint32_t residuals[group];
    L::store(residuals, lanes);
    std::uint64_t bits[group * widest_sparse / 64 + 1] = {};
    unsigned at = 0;
    for (; not_zero != 0; not_zero &= not_zero - 1, at += low) {
        const std::uint64_t value = (residuals[__builtin_ctz(not_zero)] - 1) & ((1U << low) - 1);
        bits[at / 64] |= value << at % 64;
        bits[at / 64 + 1] |= value >> 1U >> (63 - at % 64);
    }
    std::memcpy(words, bits, sizeof(bits));
    return words + (at + 15) / 16;
}

/// Makes those of eight dense groups sparse that should be.
template <class L>
[[gnu::noinline]] void make_sparse(const typename L::Lanes* lanes, std::uint8_t* forms, std::uint8_t* plane_bits,
                                   std::uint16_t*& words) {
    for (std::size_t g = 0; g < groups_of_block; ++g) {
        const std::uint32_t not_zero = L::at_least(lanes[g], L::splat(1));
        if (__builtin_popcount(not_zero) < form_tables.enough_if_dense[forms[g]]) {
            forms[g] = static_cast<std::uint8_t>(sparse_form(forms[g]));
            words = write_sparse<L>(words, lanes[g], not_zero, low_bits(forms[g]));
            plane_bits[g] = 0;
        }
    }
}

/// Whether any of eight groups may have two zeros: less than that never makes it sparse.
template <class L>
[[gnu::always_inline]] inline bool has_zeros(const typename L::Lanes* lanes) {
    auto least = lanes[0];
    for (std::size_t g = 1; g < groups_of_block; ++g) {
        least = L::minimum(least, lanes[g]);
    }
    return __builtin_popcount(L::at_least(least, L::splat(1))) <= static_cast<int>(group) - 2;
}

/// Finds each group's form, and writes the bits below the symbols.
template <class L>
void find_forms(EntropyEncodeJob& job) {
    for (std::size_t b = 0; b < job.blocks; ++b) {
        typename L::Lanes lanes[groups_of_block];
        for (std::size_t g = 0; g < groups_of_block; ++g) {
            lanes[g] = L::load(job.residuals + b * block + g * group);
        }
        typename L::Word all[groups_of_block];
        L::combine(lanes, all);
        std::uint8_t* const forms = job.forms + b * groups_of_block;
        std::uint8_t low[groups_of_block];
        unsigned most = 0;
        for (std::size_t g = 0; g < groups_of_block; ++g) {
            forms[g] = static_cast<std::uint8_t>(bit_width(all[g]));
            low[g] = form_tables.plane_bits[forms[g]];
            most = low[g] > most ? low[g] : most;
        }
        if (most > 0 && has_zeros<L>(lanes)) {
            make_sparse<L>(lanes, forms, low, job.sparse_words);
        }
        job.planes = L::write_planes(job.planes, lanes, low, most);
    }
    const FormRuns runs{job.blocks * groups_of_block};
    std::memset(job.forms + runs.groups, 0, runs.padded() - runs.groups);
}

/// The inverse for the sparse groups of a block, which has their symbols in place of their residuals. False if there
/// are too few words; 8 bytes behind them may be read.
template <class L>
[[gnu::noinline]] bool read_sparse(const std::uint8_t* forms, std::uint32_t* out, const std::uint16_t*& words,
                                   const std::uint16_t* end) {
    for (std::size_t g = 0; g < groups_of_block; ++g, out += group) {
        if (!is_sparse(forms[g])) {
            continue;
        }
        const auto symbols = L::fold_signs(L::load(out));
        const unsigned low = low_bits(forms[g]);
        std::uint32_t not_zero = L::at_least(symbols, L::splat(1));
        const std::ptrdiff_t taken = sparse_words(static_cast<unsigned>(__builtin_popcount(not_zero)), low);
        if (end - words < taken) {
            return false;
        }
        std::uint32_t residuals[group];
        L::store(residuals, symbols);
        for (unsigned at = 0; not_zero != 0; not_zero &= not_zero - 1, at += low) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, reinterpret_cast<const char*>(words) + at / 8, sizeof(bits));
            std::uint32_t& residual = residuals[__builtin_ctz(not_zero)];
            residual = ((residual - 1) << low | static_cast<std::uint32_t>(bits >> at % 8 & ((1U << low) - 1))) + 1;
        }
        L::store(out, L::unfold_signs(L::load(residuals)));
        words += taken;
    }
    return true;
}

[[gnu::always_inline]] inline bool has_sparse(const std::uint8_t* forms) {
    constexpr std::uint64_t ones = 0x0101010101010101U;
    std::uint64_t all = 0;
    std::memcpy(&all, forms, groups_of_block);
    return ((all + (127 - widest_dense) * ones) & 128 * ones) != 0;
}

[[gnu::always_inline]] inline bool all_are_zero(const std::uint8_t* forms) {
    std::uint64_t all = 0;
    std::memcpy(&all, forms, groups_of_block);
    return all == 0;
}

template <class L>
void encode_symbols(EntropyEncodeJob& job) {
    const SymbolEncoding& tables = job.memory->symbols;
    std::uint16_t* words = job.symbol_words;
    typename L::Lanes states[chains] = {L::splat(lowest_state), L::splat(lowest_state)};
    for (std::size_t b = job.blocks; b-- > 0;) {
        const std::uint8_t* const forms = job.forms + b * groups_of_block;
        if (all_are_zero(forms)) {
            continue;
        }
#pragma GCC unroll 8
        for (std::size_t turn = 0; turn < groups_of_block; ++turn) {
            const std::size_t g = groups_of_block - 1 - turn;
            const auto residuals = L::load(job.residuals + b * block + g * group);
            const auto from_one = L::add(residuals, L::splat(form_tables.symbol_offset[forms[g]]));
            const auto symbol = L::shift_right(from_one, L::splat(form_tables.low_bits[forms[g]]));
            const auto reciprocal = L::look_up(tables.reciprocal.data() + forms[g] * symbols, symbol);
            const auto rest = L::look_up(tables.rest.data() + forms[g] * symbols, symbol);
            states[g % chains] = encode_step<L>(states[g % chains], reciprocal, rest, words);
        }
    }
    for (std::size_t chain = chains; chain-- > 0;) {
        words = write_states<L>(words, states[chain]);
    }
    job.symbol_words = words;
}

template <class L>
void encode_forms(EntropyEncodeJob& job) {
    const FormRuns runs{job.blocks * groups_of_block};
    static_assert(FormEncoding::stride == 1U << form_shift);
    const FormEncoding& tables = job.memory->forms;
    const auto forms_at = [&](std::size_t i) {
        std::uint32_t forms[group];
        for (std::size_t lane = 0; lane < group; ++lane) {
            forms[lane] = job.forms[lane * runs.length() + i];
        }
        return L::load(forms);
    };
    auto states = L::splat(lowest_state);
    auto forms = forms_at(runs.length() - 1);
    for (std::size_t i = runs.length(); i-- > 0;) {
        const auto before = i > 0 ? forms_at(i - 1) : L::zero();
        const auto index = L::add(L::template shift_left<form_shift>(before), forms);
        states = encode_step<L>(states, L::gather(tables.reciprocal.data(), index),
                                L::gather(tables.rest.data(), index), job.form_words);
        forms = before;
    }
    job.form_words = write_states<L>(job.form_words, states);
}

template <class L>
void encode_residuals(EntropyEncodeJob& job) {
    find_forms<L>(job);
    make_tables(job);
    encode_symbols<L>(job);
    encode_forms<L>(job);
}

template <class L>
void decode_forms(EntropyDecodeJob& job) {
    const FormRuns runs{job.blocks * groups_of_block};
    const std::uint16_t* words = job.form_words.data() + job.form_words.size();
    auto states = read_states<L>(words);
    auto before = L::zero();
    for (std::size_t i = 0; i < runs.length(); ++i) {
        if (words < job.form_words.data()) {
            job.broken = true;
            return;
        }
        before = decode_step<L>(states, L::template shift_left<frequency_bits>(before), job.memory->forms, words);
        std::uint32_t forms[group];
        L::store(forms, before);
        for (std::size_t lane = 0; lane < group; ++lane) {
            job.forms[lane * runs.length() + i] = static_cast<std::uint8_t>(forms[lane]);
        }
    }
    std::uint8_t beyond = 0;
    for (std::size_t g = runs.groups; g < runs.padded(); ++g) {
        beyond |= job.forms[g];
    }
    job.broken = words != job.form_words.data() || beyond != 0;
}

template <class L>
void decode_symbols(EntropyDecodeJob& job) {
    const std::uint16_t* words = job.symbol_words.data() + job.symbol_words.size();
    typename L::Lanes states[chains];
    for (auto& chain : states) {
        chain = read_states<L>(words);
    }
    const SymbolDecoding& tables = job.memory->symbols;
    const std::uint16_t* planes = job.planes.data();
    const std::uint16_t* const planes_end = planes + job.planes.size();
    const std::uint16_t* sparse = job.sparse_words.data();
    const std::uint16_t* const sparse_end = sparse + job.sparse_words.size();
    for (std::size_t b = 0; b < job.blocks; ++b) {
        const std::uint8_t* const forms = job.forms + b * groups_of_block;
        std::uint32_t* const out = job.residuals + b * block;
        if (all_are_zero(forms)) {
            std::memset(out, 0, block * sizeof(*out));
            continue;
        }
        std::uint8_t low[groups_of_block];
        unsigned most = 0;
        std::ptrdiff_t sum = 0;
        for (std::size_t g = 0; g < groups_of_block; ++g) {
            low[g] = form_tables.plane_bits[forms[g]];
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
            const auto table = L::splat(forms[g] * all_frequencies);
            const auto symbol = decode_step<L>(states[g % chains], table, tables, words);
            const auto residuals = L::add(L::shift_left(symbol, L::splat(low[g])), lanes[g]);
            L::store(out + g * group, L::unfold_signs(residuals));
        }
        if (has_sparse(forms) && !read_sparse<L>(forms, out, sparse, sparse_end)) {
            job.broken = true;
            return;
        }
    }
    job.broken = planes != planes_end || sparse != sparse_end || words != job.symbol_words.data();
}

template <class L>
void decode_residuals(EntropyDecodeJob& job) {
    decode_forms<L>(job);
    if (!job.broken) {
        decode_symbols<L>(job);
    }
}

}  // namespace staithe::transform::dq
