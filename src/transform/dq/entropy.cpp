#include "transform/dq/entropy.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace staithe::transform::dq {
namespace {

// Of long tiles each seventh group is counted: rows of most tiles are no multiple of seven groups long, so these lie
// everywhere.
constexpr std::size_t groups_between = 7;
constexpr std::size_t groups_to_count_all = 2048;

// A bit for each form that groups have.
constexpr std::size_t bytes_of_forms = 8;
static_assert(group_forms <= 8 * bytes_of_forms);

/// The symbols that residuals of a group of that form can be.
std::size_t symbols_of(std::size_t form) {
    return is_sparse(static_cast<unsigned>(form)) ? sparse_symbols
                                                  : std::size_t{1} << std::min<std::size_t>(form, symbol_bits);
}

/// Frequencies in proportion to the counts, 1024 together, at least 1 where something was counted.
template <std::size_t kinds>
std::array<std::uint32_t, kinds> normalised(const std::array<std::uint32_t, kinds>& counts) {
    const std::uint64_t total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    std::array<std::uint32_t, kinds> frequencies{};
    std::uint32_t given = 0;
    for (std::size_t i = 0; i < kinds; ++i) {
        if (counts[i] > 0) {
            frequencies[i] = std::max<std::uint32_t>(
                1, static_cast<std::uint32_t>((counts[i] * std::uint64_t{all_frequencies} + total / 2) / total));
        }
        given += frequencies[i];
    }
    // What rounding left over or took too much goes to the largest ones, which feel it least.
    while (given != all_frequencies) {
        const auto largest = std::max_element(frequencies.begin(), frequencies.end());
        if (given < all_frequencies) {
            *largest += all_frequencies - given;
            given = all_frequencies;
        } else {
            const std::uint32_t less = std::min(given - all_frequencies, (*largest + 1) / 2);
            *largest -= less;
            given -= less;
        }
    }
    return frequencies;
}

template <class Tables>
void set_encoding(Tables& tables, std::size_t table, std::span<const std::uint32_t> frequencies) {
    std::uint32_t before = 0;
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        const std::uint32_t frequency = frequencies[i];
        std::uint32_t reciprocal = 0xFFFFFFFF;  // frequency 1: x × that is x - 1 in the upper half
        std::uint32_t shift = 0;
        std::uint32_t added = before + all_frequencies - 1;
        if (frequency > 1) {
            // Exact for states of 31 bits (Granlund and Montgomery, 1994).
            shift = static_cast<std::uint32_t>(std::bit_width(frequency - 1)) - 1;
            reciprocal = static_cast<std::uint32_t>(((std::uint64_t{1} << (shift + 32)) + frequency - 1) / frequency);
            added = before;
        }
        tables.reciprocal[table * Tables::stride + i] = reciprocal;
        tables.rest[table * Tables::stride + i] = added | shift << 12U | frequency << 16U;
        before += frequency;
    }
}

template <class Tables>
bool set_decoding(Tables& tables, std::size_t table, std::span<const std::uint32_t> frequencies) {
    std::uint32_t* to = tables.residue.data() + table * Tables::stride;
    const std::uint32_t* const end = to + Tables::stride;
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        if (frequencies[i] > static_cast<std::size_t>(end - to)) {
            return false;
        }
        for (std::uint32_t j = 0; j < frequencies[i]; ++j) {
            *to++ = static_cast<std::uint32_t>(i) | frequencies[i] << 8U | j << 20U;
        }
    }
    return to == end;
}

// A frequency takes one byte, or two if it is 128 or more: the lower seven bits, then the others.
void append_frequency(std::vector<std::uint8_t>& out, std::uint32_t frequency) {
    if (frequency < 128) {
        out.push_back(static_cast<std::uint8_t>(frequency));
    } else {
        out.push_back(static_cast<std::uint8_t>(frequency | 128U));
        out.push_back(static_cast<std::uint8_t>(frequency >> 7U));
    }
}

/// Larger than all frequencies together if there is none.
std::uint32_t take_frequency(std::span<const std::byte>& in) {
    constexpr std::uint32_t none = all_frequencies + 1;
    const auto take = [&in] {
        const auto byte = in.empty() ? none : std::to_integer<std::uint32_t>(in.front());
        in = in.subspan(in.empty() ? 0 : 1);
        return byte;
    };
    const std::uint32_t first = take();
    if (first < 128 || first == none) {
        return first;
    }
    const std::uint32_t second = take();
    return second < 128 ? std::min(first - 128 + (second << 7U), none) : none;
}

/// All but the last one, which is what is left.
void append_frequencies(std::vector<std::uint8_t>& out, std::span<const std::uint32_t> frequencies) {
    for (const std::uint32_t frequency : frequencies.first(frequencies.size() - 1)) {
        append_frequency(out, frequency);
    }
}

/// Into those of `kinds`; the last one gets what is left. False if more are given than there can be.
bool take_frequencies(std::span<const std::byte>& in, std::span<const std::size_t> kinds,
                      std::span<std::uint32_t> frequencies) {
    std::uint32_t left = all_frequencies;
    for (const std::size_t kind : kinds.first(kinds.size() - 1)) {
        frequencies[kind] = take_frequency(in);
        if (frequencies[kind] > left) {
            return false;
        }
        left -= frequencies[kind];
    }
    frequencies[kinds.back()] = left;
    return true;
}

std::vector<std::size_t> forms_in(std::uint64_t set) {
    std::vector<std::size_t> forms;
    for (; set != 0; set &= set - 1) {
        forms.push_back(static_cast<std::size_t>(std::countr_zero(set)));
    }
    return forms;
}

using FormCounts = std::array<std::array<std::uint32_t, group_forms>, group_forms>;
using SymbolCounts = std::array<std::array<std::uint32_t, symbols>, group_forms>;

// What is counted next is often the same, and a count that was just stored is slow to load. So each is kept several
// times.

FormCounts count_forms(const EntropyEncodeJob& job) {
    // Several runs at a time, each by itself.
    constexpr std::size_t at_a_time = 4;
    std::array<FormCounts, at_a_time> counts{};
    const FormRuns runs{job.blocks * groups_of_block};
    for (std::size_t lane = 0; lane < group; lane += at_a_time) {
        const std::uint8_t* const run = job.forms + lane * runs.length();
        std::array<std::size_t, at_a_time> before{};
        for (std::size_t i = 0; i < runs.length(); ++i) {
#pragma GCC unroll 4
            for (std::size_t j = 0; j < at_a_time; ++j) {
                const std::uint8_t form = run[j * runs.length() + i];
                ++counts[j][before[j]][form];
                before[j] = form;
            }
        }
    }
    for (std::size_t j = 1; j < at_a_time; ++j) {
        for (std::size_t before = 0; before < group_forms; ++before) {
            for (std::size_t form = 0; form < group_forms; ++form) {
                counts[0][before][form] += counts[j][before][form];
            }
        }
    }
    return counts[0];
}

SymbolCounts count_symbols(const EntropyEncodeJob& job, const std::vector<std::size_t>& forms) {
    std::array<SymbolCounts, 2> counts{};
    for (const std::size_t form : forms) {
        // Each symbol must have a frequency, if it was counted or not.
        std::fill_n(counts[0][form].begin(), symbols_of(form), 1);
    }
    const std::size_t groups = job.blocks * groups_of_block;
    for (std::size_t g = 0; g<groups; g += groups> groups_to_count_all ? groups_between : 1) {
        if (const std::size_t form = job.forms[g]; form > 0) {
            const unsigned shift = low_bits(static_cast<unsigned>(form));
            const std::uint32_t offset = symbol_offset(static_cast<unsigned>(form));
            const std::uint32_t* const residuals = job.residuals + g * group;
#pragma GCC unroll 8
            for (std::size_t i = 0; i < group; i += 2) {
                ++counts[0][form][(residuals[i] + offset) >> shift];
                ++counts[1][form][(residuals[i + 1] + offset) >> shift];
            }
        }
    }
    for (const std::size_t form : forms) {
        for (std::size_t symbol = 0; symbol < symbols; ++symbol) {
            counts[0][form][symbol] += counts[1][form][symbol];
        }
    }
    return counts[0];
}

}  // namespace

void make_tables(EntropyEncodeJob& job) {
    const FormCounts form_counts = count_forms(job);
    std::uint64_t present = 1;
    for (const auto& counts : form_counts) {
        for (std::size_t form = 0; form < group_forms; ++form) {
            present |= std::uint64_t{counts[form] > 0} << form;
        }
    }
    for (unsigned byte = 0; byte < bytes_of_forms; ++byte) {
        job.tables.push_back(static_cast<std::uint8_t>(present >> 8U * byte));
    }
    const std::vector<std::size_t> forms = forms_in(present);
    for (const std::size_t before : forms) {
        auto counts = form_counts[before];
        counts[forms.front()] += counts == decltype(counts){} ? 1 : 0;  // no group comes after one of that form
        const auto frequencies = normalised(counts);
        set_encoding(job.memory->forms, before, frequencies);
        std::vector<std::uint32_t> told;
        for (const std::size_t form : forms) {
            told.push_back(frequencies[form]);
        }
        append_frequencies(job.tables, told);
    }
    const SymbolCounts symbol_counts = count_symbols(job, forms);
    for (const std::size_t form : forms) {
        const auto frequencies = normalised(symbol_counts[form]);
        set_encoding(job.memory->symbols, form, frequencies);
        append_frequencies(job.tables, std::span(frequencies).first(symbols_of(form)));
    }
}

bool read_tables(std::span<const std::byte>& in, DecodingMemory& memory) {
    if (in.size() < bytes_of_forms) {
        return false;
    }
    std::uint64_t present = 0;
    for (unsigned byte = 0; byte < bytes_of_forms; ++byte) {
        present |= std::to_integer<std::uint64_t>(in[byte]) << 8U * byte;
    }
    in = in.subspan(bytes_of_forms);
    if ((present & 1U) == 0 || present >> group_forms != 0) {
        return false;
    }
    const std::vector<std::size_t> forms = forms_in(present);
    for (const std::size_t before : forms) {
        std::array<std::uint32_t, group_forms> frequencies{};
        if (!take_frequencies(in, forms, frequencies) || !set_decoding(memory.forms, before, frequencies)) {
            return false;
        }
    }
    std::array<std::size_t, symbols> all{};
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (const std::size_t form : forms) {
        std::array<std::uint32_t, symbols> frequencies{};
        if (!take_frequencies(in, std::span(all).first(symbols_of(form)), frequencies) ||
            !set_decoding(memory.symbols, form, frequencies)) {
            return false;
        }
    }
    return true;
}

}  // namespace staithe::transform::dq
