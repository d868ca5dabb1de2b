// The entropy coding of residuals: what all kernels share. docs/formats/dq.md, "Coding by entropy".
//
// Range variant of asymmetric numeral systems (Duda, arXiv:1311.2540), 16 states side by side as Giesen does it
// (arXiv:1402.3392): states of 31 bits, words of 16 bits, frequencies of which all symbols have 1024 together.
//
// A group's form chooses its table. Most groups are dense: their form is their width, and of a residual only the
// highest six of so many bits are a symbol. What is below them is close to random and kept as bit planes. A group with
// many zeros is sparse: zero is a symbol then, and only what is not zero has lower bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "transform/dq/coding.hpp"

namespace staithe::transform::dq {

inline constexpr unsigned frequency_bits = 10;
inline constexpr std::uint32_t all_frequencies = 1U << frequency_bits;
/// A state has 31 bits; below this it takes in a word.
inline constexpr unsigned lowest_state_bits = 15;
inline constexpr std::uint32_t lowest_state = 1U << lowest_state_bits;
inline constexpr unsigned state_bits = 31;

/// Bits of a residual that are a symbol, in dense groups.
inline constexpr unsigned symbol_bits = 6;
/// At most.
inline constexpr std::size_t symbols = 1U << symbol_bits;

/// Forms of groups: 0 to 32 are the widths of dense ones; from 33 on those of sparse ones follow, 7 to 31.
inline constexpr unsigned widest_dense = 32;
inline constexpr unsigned narrowest_sparse = 7;
inline constexpr unsigned widest_sparse = 31;
inline constexpr std::size_t group_forms = widest_dense + 1 + widest_sparse - narrowest_sparse + 1;
[[nodiscard]] constexpr unsigned sparse_form(unsigned width) { return width - narrowest_sparse + widest_dense + 1; }
[[nodiscard]] constexpr bool is_sparse(unsigned form) { return form > widest_dense; }
/// Symbols of a sparse group: none for zero, and five bits of residual - 1.
inline constexpr unsigned sparse_symbol_bits = 5;
inline constexpr std::size_t sparse_symbols = 1 + (1U << sparse_symbol_bits);
/// Groups take turns: two chains of states keep a processor busy.
inline constexpr std::size_t chains = 2;
/// Words of 16 bits that hold a register of states.
inline constexpr std::size_t words_of_states = 2 * group;

/// Bits of a residual below its symbol: of a dense group all residuals have these, of a sparse one those but zero.
[[nodiscard]] constexpr unsigned low_bits(unsigned form) {
    return is_sparse(form) ? form - sparse_form(sparse_symbol_bits) : form > symbol_bits ? form - symbol_bits : 0;
}
/// What is added to residuals before the bits below their symbols are shifted out: so zero alone gets symbol 0.
[[nodiscard]] constexpr std::uint32_t symbol_offset(unsigned form) {
    return is_sparse(form) ? (1U << low_bits(form)) - 1 : 0;
}
/// Words of 16 bits that the lower bits of a sparse group take, with so many residuals that are not zero.
[[nodiscard]] constexpr unsigned sparse_words(unsigned residuals, unsigned low) { return (residuals * low + 15) / 16; }

/// The same for each form, to be looked up.
struct FormTables {
    std::array<std::uint8_t, group_forms> low_bits{};
    std::array<std::uint8_t, group_forms> plane_bits{};  // those that are bit planes: none of sparse groups
    std::array<std::uint32_t, group_forms> symbol_offset{};
    // With fewer residuals that are not zero, a dense group should rather be sparse: that saves two words at least,
    // since more forms take more tables.
    std::array<std::uint8_t, group_forms> enough_if_dense{};
};
inline constexpr FormTables form_tables = [] {
    FormTables tables;
    for (unsigned form = 0; form < group_forms; ++form) {
        tables.low_bits[form] = static_cast<std::uint8_t>(low_bits(form));
        tables.plane_bits[form] = is_sparse(form) ? 0 : tables.low_bits[form];
        tables.symbol_offset[form] = symbol_offset(form);
        const bool may_be_sparse = form >= narrowest_sparse && form <= widest_sparse;
        const auto saves = [&](unsigned residuals) {
            return sparse_words(residuals, low_bits(sparse_form(form))) + 2 <= low_bits(form);
        };
        while (may_be_sparse && tables.enough_if_dense[form] < group && saves(tables.enough_if_dense[form])) {
            ++tables.enough_if_dense[form];
        }
    }
    return tables;
}();

/// Tables of one family: `tables` of them, each with so many symbols.
template <std::size_t tables, std::size_t symbols_of_table>
struct EncodingTables {
    static constexpr std::size_t stride = symbols_of_table;
    // x / f is the upper half of x times the reciprocal, shifted.
    alignas(64) std::array<std::uint32_t, tables * symbols_of_table> reciprocal;
    // 12 bits: what is added; 4 bits: the shift; 16 bits: the frequency.
    alignas(64) std::array<std::uint32_t, tables * symbols_of_table> rest;
};

/// For each of the 1024 residues of a state. 8 bits: the symbol; 12 bits: its frequency; 12 bits: the residue, counted
/// from the symbol's first.
template <std::size_t tables>
struct DecodingTables {
    static constexpr std::size_t stride = all_frequencies;
    alignas(64) std::array<std::uint32_t, tables * all_frequencies> residue;
};

/// Symbols of residuals, a table for each form.
using SymbolEncoding = EncodingTables<group_forms, symbols>;
using SymbolDecoding = DecodingTables<group_forms>;
/// Forms of groups, a table for each form of the group before.
inline constexpr unsigned form_shift = 6;
using FormEncoding = EncodingTables<group_forms, 1U << form_shift>;
using FormDecoding = DecodingTables<group_forms>;

/// The groups of a tile, of which each of 16 lanes has as many, one after the other, to tell their forms.
struct FormRuns {
    std::size_t groups = 0;  // a multiple of 8

    [[nodiscard]] std::size_t length() const { return (groups + group - 1) / group; }
    [[nodiscard]] std::size_t padded() const { return length() * group; }
};

struct EncodingMemory {
    SymbolEncoding symbols;
    FormEncoding forms;
};
struct DecodingMemory {
    SymbolDecoding symbols;
    FormDecoding forms;
};

/// Room behind what the kernels write, and before what they read, in words of 16 bits.
inline constexpr std::size_t word_slack = groups_of_block * group;

/// A tile's residuals, in a multiple of `block`, to be coded.
struct EntropyEncodeJob {
    const std::uint32_t* residuals = nullptr;
    std::size_t blocks = 0;
    EncodingMemory* memory = nullptr;
    std::uint8_t* forms = nullptr;  // room for FormRuns::padded
    std::vector<std::uint8_t> tables{};
    std::uint16_t* planes = nullptr;  // moved to the end of what was made; `plane_slack` bytes of room behind it
    // Moved to the end of what was made, `word_slack` words of room behind it.
    std::uint16_t* form_words = nullptr;
    std::uint16_t* symbol_words = nullptr;
    std::uint16_t* sparse_words = nullptr;
};

struct EntropyDecodeJob {
    std::uint32_t* residuals = nullptr;
    std::size_t blocks = 0;
    DecodingMemory* memory = nullptr;
    std::uint8_t* forms = nullptr;
    std::span<const std::uint16_t> planes{};  // and `plane_slack` bytes behind
    // Read from the end to the front; `word_slack` words before may be read.
    std::span<const std::uint16_t> form_words{};
    std::span<const std::uint16_t> symbol_words{};
    std::span<const std::uint16_t> sparse_words{};  // and 8 bytes behind
    bool broken = false;
};

/// Chooses the frequencies for these residuals and forms, and writes them to `job.tables`.
void make_tables(EntropyEncodeJob& job);

/// The inverse: reads tables from the front of `in` and moves it behind them. False if they are none.
[[nodiscard]] bool read_tables(std::span<const std::byte>& in, DecodingMemory& memory);

}  // namespace staithe::transform::dq
