#include "transform/shuffled/shuffled.hpp"

#include <cstring>

#include "array/strided_copy.hpp"

namespace staithe::transform::shuffled {
namespace {

// Of a tile of at least four times as many values a sample is tried first: pieces of neighbours, spread over it.
constexpr std::size_t sample_pieces = 16;
constexpr std::size_t piece_values = 1024;
constexpr std::size_t sample_values = sample_pieces * piece_values;

std::size_t bytes_of(const ArrayView& tile) {
    return static_cast<std::size_t>(size_in_bytes(tile.shape, tile.dtype).value_or(0));
}

std::span<const std::byte> sample_of(std::span<const std::byte> elements, std::size_t item, Scratch& scratch) {
    const std::size_t values = elements.size() / item;
    const std::size_t piece_bytes = piece_values * item;
    const std::span sample(scratch.get(Scratch::Use::sample, sample_values * item), sample_values * item);
    for (std::size_t i = 0; i < sample_pieces; ++i) {
        const std::size_t begin = (2 * i + 1) * values / (2 * sample_pieces) - piece_values / 2;
        std::memcpy(sample.data() + i * piece_bytes, elements.data() + begin * item, piece_bytes);
    }
    return sample;
}

}  // namespace

codecs::CodecInfo Shuffled::describe() const {
    return {.name = std::string(shuffle_.name) + "+" + std::string(compressor_.name),
            .summary = std::string(shuffle_.what) + " of one weight together, then " +
                       std::string(compressor_.library) + "; exact",
            .missing = std::string(compressor_.missing),
            .lossless = true,
            .lossy = false,
            .lossy_dtypes = {},
            .levels = compressor_.levels.last};
}

std::span<const std::byte> Shuffled::shuffled(Bytes elements, std::size_t item, Scratch& scratch) const {
    const std::span to(scratch.get(Scratch::Use::shuffled, elements.size()), elements.size());
    shuffle_.apply(elements, item, to);
    return to;
}

std::span<const std::byte> Shuffled::compressed(Bytes from, std::size_t most, int level, Scratch& scratch) const {
    std::byte* const to = scratch.get(Scratch::Use::compressed, most);
    return {to, compressor_.compress(from, {to, most}, level, scratch)};
}

std::size_t Shuffled::estimated(Bytes sample, std::size_t item, int level, Scratch& scratch) const {
    // In a whole tile each has room enough for statistics of its own, which compressors keep for so many bytes.
    const std::size_t plane = sample.size() / item;
    std::size_t bytes = 0;
    for (std::size_t begin = 0; begin < sample.size(); begin += plane) {
        const std::size_t made = compressed(sample.subspan(begin, plane), plane, level, scratch).size();
        bytes += made > 0 ? made : plane;
    }
    return bytes;
}

std::optional<int> Shuffled::level_for(Bytes elements, std::size_t item, const TileOptions& options,
                                       Scratch& scratch) const {
    const Levels& levels = compressor_.levels;
    const bool is_large = elements.size() / item >= 4 * sample_values;
    const bool chooses = !options.level && options.mode == codecs::Mode::automatic;
    int level = options.level.value_or(options.mode == codecs::Mode::dense ? levels.dense : levels.fast);
    if (is_large || chooses) {
        const Bytes sample = shuffled(is_large ? sample_of(elements, item, scratch) : elements, item, scratch);
        std::size_t bytes = estimated(sample, item, level, scratch);
        if (chooses) {
            const std::size_t dense = estimated(sample, item, levels.dense, scratch);
            if (dense <= worthwhile(bytes)) {
                level = levels.dense;
                bytes = dense;
            }
        }
        if (is_large && bytes > worthwhile(sample.size())) {
            return std::nullopt;
        }
    }
    return level;
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
    if (const auto level = level_for(elements, item, options, scratch)) {
        const Bytes made = compressed(shuffled(elements, item, scratch), worthwhile(bytes), *level, scratch);
        out.insert(out.end(), made.begin(), made.end());
    }
    return {};
}

base::Result<> Shuffled::decode(std::span<const std::byte> coded, const MutableArrayView& tile,
                                Scratch& scratch) const {
    const std::size_t bytes = bytes_of(tile);
    const std::span from(scratch.get(Scratch::Use::shuffled, bytes), bytes);
    if (!compressor_.decompress(coded, from, scratch)) {
        return base::fail(ErrorCode::protocol, "a tile of this payload is damaged");
    }
    const bool direct = is_row_major(tile);
    auto* const to = direct ? static_cast<std::byte*>(tile.data) : scratch.get(Scratch::Use::gathered, bytes);
    shuffle_.undo(from, static_cast<std::size_t>(size_of(tile.dtype)), {to, bytes});
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
