// The entropy coding of residuals: what all kernels share. docs/formats/dq.md, "Coding by entropy".
//
// Range variant of asymmetric numeral systems (Duda, arXiv:1311.2540), 16 states side by side as Giesen does it
// (arXiv:1402.3392): states of 31 bits, words of 16 bits, frequencies of which all symbols have 1024 together.
//
// A group's width chooses its table. Of a residual only the highest six of `width` bits are a symbol: what is below
// them is close to random and kept as bit planes.
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

/// Bits of a residual that are a symbol.
inline constexpr unsigned symbol_bits = 6;
inline constexpr std::size_t symbols = 1U << symbol_bits;
/// Widths that a group can have: 0 to 32.
inline constexpr std::size_t width_kinds = 33;
/// Groups take turns: two chains of states keep a processor busy.
inline constexpr std::size_t chains = 2;
/// Words of 16 bits that hold a register of states.
inline constexpr std::size_t words_of_states = 2 * group;

/// Bits of a residual below its symbol.
[[nodiscard]] constexpr unsigned low_bits(unsigned width) { return width > symbol_bits ? width - symbol_bits : 0; }

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

/// Symbols of residuals, a table for each width.
using SymbolEncoding = EncodingTables<width_kinds, symbols>;
using SymbolDecoding = DecodingTables<width_kinds>;
/// Widths of groups, a table for each width of the group before.
using WidthEncoding = EncodingTables<width_kinds, 64>;
using WidthDecoding = DecodingTables<width_kinds>;

/// The groups of a tile, of which each of 16 lanes has as many, one after the other, to tell their widths.
struct WidthRuns {
    std::size_t groups = 0;  // a multiple of 8

    [[nodiscard]] std::size_t length() const { return (groups + group - 1) / group; }
    [[nodiscard]] std::size_t padded() const { return length() * group; }
};

struct EncodingMemory {
    SymbolEncoding symbols;
    WidthEncoding widths;
};
struct DecodingMemory {
    SymbolDecoding symbols;
    WidthDecoding widths;
};

/// Room behind what the kernels read, in words of 16 bits, and before it.
inline constexpr std::size_t word_slack = groups_of_block * group;

/// A tile's residuals, in a multiple of `block`, to be coded.
struct EntropyEncodeJob {
    const std::uint32_t* residuals = nullptr;
    std::size_t blocks = 0;
    EncodingMemory* memory = nullptr;
    std::uint8_t* widths = nullptr;  // room for WidthRuns::padded
    std::vector<std::uint8_t> tables{};
    std::uint16_t* planes = nullptr;  // moved to the end of what was made; `plane_slack` bytes of room behind it
    // Moved to the end of what was made, `word_slack` words of room behind it.
    std::uint16_t* width_words = nullptr;
    std::uint16_t* symbol_words = nullptr;
};

struct EntropyDecodeJob {
    std::uint32_t* residuals = nullptr;
    std::size_t blocks = 0;
    DecodingMemory* memory = nullptr;
    std::uint8_t* widths = nullptr;
    std::span<const std::uint16_t> planes{};  // and `plane_slack` bytes behind
    // Read from the end to the front; `word_slack` words before and behind may be read.
    std::span<const std::uint16_t> width_words{};
    std::span<const std::uint16_t> symbol_words{};
    bool broken = false;
};

/// Chooses the frequencies for these residuals and widths, and writes them to `job.tables`.
void make_tables(EntropyEncodeJob& job);

/// The inverse: reads tables from the front of `in` and moves it behind them. False if they are none.
[[nodiscard]] bool read_tables(std::span<const std::byte>& in, DecodingMemory& memory);

}  // namespace staithe::transform::dq
