#include "transform/shuffled/shuffled.hpp"

#include <cstring>

#include "array/strided_copy.hpp"

namespace staithe::transform::shuffled {
namespace {

// A large tile is first tried on a sample of it: so many pieces of so many values, a sixteenth of a tile of the usual
// size. Of a tile that is not four times as large as its sample the whole is tried.
constexpr std::size_t sample_pieces = 16;
constexpr std::size_t piece_values = 1024;
constexpr std::size_t sampled_values = 4 * sample_pieces * piece_values;

/// The most bytes that are worth it: a ratio of 1.05.
constexpr std::size_t worthwhile(std::size_t raw_bytes) { return raw_bytes - (raw_bytes + 20) / 21; }

/// Whether the dense level saves so much of what the fast one leaves that it is worth its time: a tenth.
constexpr bool is_much_smaller(std::size_t dense, std::size_t fast) { return dense <= fast / 10 * 9; }

std::size_t bytes_of(const ArrayView& tile) {
    return static_cast<std::size_t>(size_in_bytes(tile.shape, tile.dtype).value_or(0));
}

std::span<const std::byte> sample_of(std::span<const std::byte> elements, std::size_t item, Scratch& scratch) {
    const std::size_t values = elements.size() / item;
    if (values < sampled_values) {
        return elements;
    }
    const std::size_t piece_bytes = piece_values * item;
    std::byte* const sample = scratch.get(Scratch::Use::sample, sample_pieces * piece_bytes);
    for (std::size_t i = 0; i < sample_pieces; ++i) {
        const std::size_t begin = (2 * i + 1) * values / (2 * sample_pieces) - piece_values / 2;
        std::memcpy(sample + i * piece_bytes, elements.data() + begin * item, piece_bytes);
    }
    return {sample, sample_pieces * piece_bytes};
}

}  // namespace

codecs::CodecInfo Shuffled::describe() const {
    return {.name = std::string(shuffle_.name) + "+" + std::string(compressor_.name),
            .summary = std::string(shuffle_.what) + " of one weight together, then " +
                       std::string(compressor_.library) + "; exact",
            .missing = std::string(compressor_.missing),
            .lossless = true,
            .lossy = false,
            .lossy_dtypes = {}};
}

std::span<const std::byte> Shuffled::compressed(Bytes elements, std::size_t item, Level level, Scratch& scratch) const {
    const std::span shuffled(scratch.get(Scratch::Use::shuffled, elements.size()), elements.size());
    shuffle_.apply(elements, item, shuffled);
    const std::size_t most = worthwhile(elements.size());
    std::byte* const to = scratch.get(Scratch::Use::compressed, most);
    return {to, compressor_.compress(shuffled, {to, most}, level, scratch)};
}

std::optional<Level> Shuffled::level_for(Bytes elements, std::size_t item, codecs::Mode mode, Scratch& scratch) const {
    const Bytes sample = sample_of(elements, item, scratch);
    const Level wanted = mode == codecs::Mode::fast ? Level::fast : Level::dense;
    if (sample.size() == elements.size() && mode != codecs::Mode::automatic) {
        return wanted;
    }
    const std::size_t bytes = compressed(sample, item, wanted, scratch).size();
    if (bytes == 0) {
        return std::nullopt;
    }
    if (mode == codecs::Mode::automatic) {
        const std::size_t fast = compressed(sample, item, Level::fast, scratch).size();
        return fast > 0 && !is_much_smaller(bytes, fast) ? Level::fast : Level::dense;
    }
    return wanted;
}

base::Result<> Shuffled::encode(const ArrayView& tile, const TileOptions& options, Scratch& scratch,
                                std::vector<std::byte>& out) const {
    const std::size_t bytes = bytes_of(tile);
    const auto item = static_cast<std::size_t>(size_of(tile.dtype));
    const auto* from = static_cast<const std::byte*>(tile.data);
    if (!is_row_major(tile)) {
        std::byte* const gathered = scratch.get(Scratch::Use::gathered, bytes);
        array::copy(MutableArrayView::row_major(gathered, tile.dtype, tile.shape), tile);
        from = gathered;
    }
    const Bytes elements(from, bytes);
    if (const auto level = level_for(elements, item, options.mode, scratch)) {
        const Bytes made = compressed(elements, item, *level, scratch);
        out.insert(out.end(), made.begin(), made.end());
    }
    return {};
}

base::Result<> Shuffled::decode(std::span<const std::byte> coded, const MutableArrayView& tile,
                                Scratch& scratch) const {
    const std::size_t bytes = bytes_of(tile);
    const std::span shuffled(scratch.get(Scratch::Use::shuffled, bytes), bytes);
    if (!compressor_.decompress(coded, shuffled, scratch)) {
        return base::fail(ErrorCode::protocol, "a tile of this payload is damaged");
    }
    const bool direct = is_row_major(tile);
    auto* const to = direct ? static_cast<std::byte*>(tile.data) : scratch.get(Scratch::Use::gathered, bytes);
    shuffle_.undo(shuffled, static_cast<std::size_t>(size_of(tile.dtype)), {to, bytes});
    if (!direct) {
        array::copy(tile, ArrayView::row_major(to, tile.dtype, tile.shape));
    }
    return {};
}

std::vector<KnownCodec> known_codecs() {
    static const std::vector<Shuffled> codecs = [] {
        std::vector<Shuffled> made;
        for (const Compressor* const compressor : {&lz4, &zstd, &zlib}) {
            for (const Shuffle* const shuffle : {&byte_shuffle, &bit_shuffle}) {
                made.emplace_back(*shuffle, *compressor);
            }
        }
        return made;
    }();
    std::vector<KnownCodec> known;
    for (const Shuffled& codec : codecs) {
        const codecs::CodecInfo info = codec.describe();
        known.push_back({info, info.missing.empty() ? &codec : nullptr});
    }
    return known;
}

}  // namespace staithe::transform::shuffled
