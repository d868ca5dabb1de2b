#include "transform/dq/tile_reader.hpp"

#include <cstring>
#include <limits>

#include "transform/dq/elements.hpp"
#include "transform/dq/exceptions.hpp"
#include "transform/dq/predictors.hpp"

namespace staithe::transform::dq {
namespace {

void clear(const TileRows& tile, std::byte* values, std::size_t item) {
    for_each_row(tile, [&](std::size_t /*w*/, std::size_t /*z*/, std::size_t /*y*/, std::ptrdiff_t row) {
        std::memset(values + row, 0, tile.count[3] * item);
    });
}

/// Whether values of that type can be multiples of it.
template <class T>
bool is_step(double step) {
    return step >= static_cast<double>(std::numeric_limits<T>::min()) &&
           step <= static_cast<double>(std::numeric_limits<T>::max()) &&
           static_cast<double>(static_cast<T>(step)) == step;
}

/// Whether the header says what there is, for these elements.
bool fits(const TileHeader& header, Elements elements) {
    switch (header.kind) {
        case Kind::zeros: return true;
        case Kind::quantised:
            if (!(elements == Elements::quantised_f32 && is_step<float>(header.step)) &&
                !(elements == Elements::quantised_f64 && is_step<double>(header.step))) {
                return false;
            }
            break;
        case Kind::exact: break;
        default: return false;
    }
    switch (header.predictor) {
        case Predictor::lorenzo:
        case Predictor::rows: break;
        case Predictor::interpolation:
            if (header.kind != Kind::quantised || header.coding != Coding::entropy) {
                return false;
            }
            break;
        default: return false;
    }
    return header.coding == Coding::planes ||
           (header.coding == Coding::entropy && word_bytes(elements) == sizeof(std::uint32_t));
}

class TileReader {
  public:
    TileReader(const Kernels& kernels, const TileHeader& header, const Manner& manner, const TileRows& tile,
               std::byte* values, Scratch& scratch)
        : kernels_(kernels), header_(header), manner_(manner), scratch_(scratch) {
        job_.tile = tile;
        job_.tile.across_rows = header.predictor != Predictor::rows;
        job_.values = values;
        job_.step = header.step;
        job_.workspace = scratch.get(Scratch::Use::workspace, workspace_bytes(job_.tile, manner, header.predictor));
    }

    /// From all that lies between the header and the exceptions. Those that hold the common value are put in.
    bool read(std::span<const std::byte> in, const StoredExceptions& stored, const CommonExceptions& common) {
        const bool planes = header_.coding == Coding::planes;
        if (planes ? !take_planes(in) : !take_residuals(in)) {
            return false;
        }
        const bool puts_them_in = header_.kind == Kind::quantised && header_.predictor != Predictor::interpolation;
        if (puts_them_in) {
            job_.common = common;
        }
        decoder_for(kernels_, manner_.elements, header_.predictor)(job_);
        if (!puts_them_in) {
            stored.put_common(common, job_.values);
        }
        return !job_.broken && job_.in.widths == job_.in.widths_end && job_.in.planes == job_.in.planes_end;
    }

  private:
    bool take_planes(std::span<const std::byte> in) {
        const std::size_t count_bytes = (job_.tile.blocks() + 1) / 2;
        if (in.size() != count_bytes + header_.width_bytes + plane_bytes()) {
            return false;
        }
        const auto* const counts = reinterpret_cast<const std::uint8_t*>(in.data());
        const std::uint8_t* const widths = counts + count_bytes;
        const std::uint16_t* const planes = aligned(Scratch::Use::planes, in.last(plane_bytes()), 0);
        job_.in = {counts, widths, widths + header_.width_bytes, planes, planes + header_.planes};
        return true;
    }

    bool take_residuals(std::span<const std::byte> in) {
        EntropyHeader words;
        if (in.size() != header_.width_bytes + plane_bytes() || header_.width_bytes < sizeof(words)) {
            return false;
        }
        std::memcpy(&words, in.data(), sizeof(words));
        auto* const memory =
            reinterpret_cast<DecodingMemory*>(scratch_.get(Scratch::Use::tables, sizeof(DecodingMemory)));
        auto tables = in.first(header_.width_bytes).subspan(sizeof(words));
        if (!read_tables(tables, *memory)) {
            return false;
        }
        const std::size_t form_bytes = std::size_t{words.form_words} * sizeof(std::uint16_t);
        const std::size_t symbol_bytes = std::size_t{words.symbol_words} * sizeof(std::uint16_t);
        const std::size_t sparse_bytes = std::size_t{words.sparse_words} * sizeof(std::uint16_t);
        if (tables.size() != form_bytes + symbol_bytes + sparse_bytes || words.form_words < words_of_states ||
            words.symbol_words < chains * words_of_states) {
            return false;
        }
        auto* const residuals = reinterpret_cast<std::uint32_t*>(
            scratch_.get(Scratch::Use::residuals, residual_words(job_.tile) * sizeof(std::uint32_t)));
        EntropyDecodeJob decoding;
        decoding.residuals = residuals;
        decoding.blocks = job_.tile.blocks();
        decoding.memory = memory;
        const FormRuns runs{decoding.blocks * groups_of_block};
        decoding.forms = reinterpret_cast<std::uint8_t*>(scratch_.get(Scratch::Use::widths, runs.padded()));
        decoding.form_words = {aligned(Scratch::Use::form_words, tables.first(form_bytes), word_slack),
                               words.form_words};
        decoding.symbol_words = {
            aligned(Scratch::Use::symbol_words, tables.subspan(form_bytes, symbol_bytes), word_slack),
            words.symbol_words};
        decoding.sparse_words = {aligned(Scratch::Use::sparse_words, tables.last(sparse_bytes), 0), words.sparse_words};
        decoding.planes = {aligned(Scratch::Use::planes, in.last(plane_bytes()), 0), header_.planes};
        kernels_.decode_residuals(decoding);
        job_.residuals = residuals;
        return !decoding.broken;
    }

    [[nodiscard]] std::size_t plane_bytes() const { return std::size_t{header_.planes} * sizeof(std::uint16_t); }

    /// In a payload words may lie on odd addresses, and at its very end: a copy of them, with words of room before it
    /// and room for a register behind.
    const std::uint16_t* aligned(Scratch::Use use, std::span<const std::byte> words, std::size_t before) {
        const std::size_t room = before * sizeof(std::uint16_t);
        std::byte* const memory = scratch_.get(use, room + words.size() + 4 * plane_slack);
        std::memset(memory, 0, room);
        std::memcpy(memory + room, words.data(), words.size());
        return reinterpret_cast<const std::uint16_t*>(memory + room);
    }

    const Kernels& kernels_;
    const TileHeader& header_;
    const Manner& manner_;
    Scratch& scratch_;
    DecodeJob job_;
};

}  // namespace

bool read_tile(const Kernels& kernels, std::span<const std::byte> coded, const TileRows& tile, std::byte* values,
               Dtype element, Scratch& scratch) {
    TileHeader header;
    if (coded.size() < sizeof(header)) {
        return false;
    }
    std::memcpy(&header, coded.data(), sizeof(header));
    const auto item = static_cast<std::size_t>(size_of(element));
    Manner manner{header.kind, exact_elements(element), item, nullptr, header.step};
    if (header.kind == Kind::quantised && (element == Dtype::f32 || element == Dtype::f64)) {
        manner.elements = element == Dtype::f32 ? Elements::quantised_f32 : Elements::quantised_f64;
    }
    if (!fits(header, manner.elements) || (header.layers & ~(has_common | has_others)) != 0 ||
        coded.size() - sizeof(header) < header.exception_bytes) {
        return false;
    }
    if (header.kind == Kind::zeros) {
        clear(tile, values, item);
        return coded.size() == sizeof(header);
    }
    const auto body = coded.subspan(sizeof(header));
    const auto coded_values = body.first(body.size() - header.exception_bytes);
    auto* const words = reinterpret_cast<std::uint16_t*>(
        scratch.get(Scratch::Use::exceptions, tile.exception_words() * sizeof(std::uint16_t)));
    StoredExceptions stored(body.last(header.exception_bytes), header.layers, tile, item, words);
    CommonExceptions common;
    return stored.take_common(common) &&
           TileReader(kernels, header, manner, tile, values, scratch).read(coded_values, stored, common) &&
           stored.put_others(values);
}

}  // namespace staithe::transform::dq
