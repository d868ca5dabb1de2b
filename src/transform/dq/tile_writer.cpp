#include "transform/dq/tile_writer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "transform/dq/elements.hpp"
#include "transform/dq/exception_words.hpp"
#include "transform/dq/exceptions.hpp"

namespace staithe::transform::dq {
namespace {

template <class T>
double largest_magnitude(const TileRows& tile, const std::byte* values, const Helpable<T>& counts) {
    T largest = 0;
    for_each_row(tile, [&](std::size_t /*w*/, std::size_t /*z*/, std::size_t /*y*/, std::ptrdiff_t row) {
        const auto* const at = reinterpret_cast<const T*>(values + row);
        for (std::size_t x = 0; x < tile.count[3]; ++x) {
            largest = counts(at[x]) ? std::max(largest, std::abs(at[x])) : largest;
        }
    });
    return static_cast<double>(largest);
}

/// How many of the exceptions, about, miss the bound where a finer step may help.
template <class T>
std::size_t estimate_misses(const TileRows& tile, const std::byte* values, const std::uint16_t* words,
                            const Helpable<T>& counts) {
    // One word in so many is looked at. Odd: rows are often a power of two long.
    const std::size_t sampled = tile.exception_words() / 256 | 1U;
    std::size_t misses = 0;
    Places places(tile, sizeof(T));
    for (std::size_t number = 0; number < tile.exception_words(); number += sampled) {
        const auto* const at = reinterpret_cast<const T*>(values + places.of(number).at);
        for_each_lane(words[number], [&](std::size_t lane) { misses += counts(at[lane]) ? 1 : 0; });
    }
    return misses * sampled;
}

template <class T>
Quantiser<T> quantiser_for(const TileOptions& options, double slack) {
    auto quantiser = Quantiser<T>::for_bound(options.bound, slack);
    if (options.fill) {
        quantiser.has_fill = true;
        quantiser.fill = static_cast<T>(*options.fill);
    }
    return quantiser;
}

}  // namespace

TileWriter::TileWriter(const Kernels& kernels, const TileRows& tile, const std::byte* values, Dtype element,
                       codecs::Mode mode, Scratch& scratch, std::vector<std::byte>& out)
    : kernels_(kernels),
      tile_(tile),
      values_(values),
      element_(element),
      item_(static_cast<std::size_t>(size_of(element))),
      mode_(mode),
      scratch_(scratch),
      out_(out) {}

void TileWriter::write_exact() {
    write({Kind::exact, exact_elements(element_), item_, nullptr, 0.0},
          [](const std::uint16_t* /*words*/) { return std::size_t{0}; });
}

template <class T>
void TileWriter::write_quantised(const TileOptions& options) {
    auto quantiser = quantiser_for<T>(options, 0.0);
    if (!quantiser.usable()) {
        return write_exact();
    }
    const std::size_t begin = out_.size();
    Exceptions exceptions = write_with(quantiser);
    const std::size_t ordinary = tile_.values() - (exceptions.all - exceptions.misses);
    if (exceptions.misses > ordinary / many_misses) {
        // Decoding rounds to the precision of the values. Where that is no small part of the bound, a smaller step
        // leaves room for it.
        const double slack =
            largest_magnitude(tile_, values_, Helpable<T>{quantiser}) * std::numeric_limits<T>::epsilon() / 2;
        const auto finer = quantiser_for<T>(options, slack);
        if (slack > options.bound / 1024 && finer.usable()) {
            write_if_smaller(begin, [&] { exceptions = write_with(finer); });
        }
    }
    if (exceptions.all > tile_.values() / most_exceptions && out_.size() - begin > tile_.values() * item_ / 2) {
        write_if_smaller(begin, [&] { write_exact(); });
    }
}

template void TileWriter::write_quantised<float>(const TileOptions& options);
template void TileWriter::write_quantised<double>(const TileOptions& options);

template <class T>
TileWriter::Exceptions TileWriter::write_with(const Quantiser<T>& quantiser) {
    const Elements elements = sizeof(T) == 4 ? Elements::quantised_f32 : Elements::quantised_f64;
    return write(
        {Kind::quantised, elements, item_, &quantiser, static_cast<double>(quantiser.step)},
        [&](const std::uint16_t* words) { return estimate_misses(tile_, values_, words, Helpable<T>{quantiser}); });
}

template <class CountMisses>
TileWriter::Exceptions TileWriter::write(const Manner& manner, const CountMisses& count_misses) {
    const Choice choice = choose(kernels_, tile_, values_, manner, mode_, scratch_);
    const std::size_t begin = out_.size();
    Exceptions exceptions = write_as(choice, manner, count_misses);
    if (static_cast<double>(out_.size() - begin) > choice.bytes_of_planes) {
        write_if_smaller(begin, [&] { exceptions = write_as({}, manner, count_misses); });
    }
    return exceptions;
}

template <class Write>
void TileWriter::write_if_smaller(std::size_t begin, const Write& write) {
    const std::vector<std::byte> before(out_.begin() + static_cast<std::ptrdiff_t>(begin), out_.end());
    out_.resize(begin);
    write();
    if (before.size() < out_.size() - begin) {
        out_.resize(begin);
        out_.insert(out_.end(), before.begin(), before.end());
    }
}

template <class CountMisses>
TileWriter::Exceptions TileWriter::write_as(const Choice& choice, const Manner& manner,
                                            const CountMisses& count_misses) {
    EncodeJob job = job_for(tile_, values_, manner, choice.predictor, scratch_);
    std::uint16_t* const words = job.exception_words;  // the encoder moves on behind them
    job.common.words = reinterpret_cast<std::uint16_t*>(
        scratch_.get(Scratch::Use::common_exceptions, tile_.exception_words() * sizeof(std::uint16_t)));

    TileHeader header;
    header.coding = choice.coding;
    header.predictor = choice.predictor;
    const std::size_t begin = out_.size();
    if (choice.coding == Coding::planes) {
        write_planes(job, manner, header);
    } else {
        write_entropy(job, manner, header);
    }
    Exceptions exceptions{job.exceptions};
    // Those that share a value cost so little that they need no finer step.
    const std::size_t common = job.common.count;
    if (job.exceptions - common > (tile_.values() - common) / many_misses) {
        exceptions.misses = std::min(count_misses(words), exceptions.all);
    }
    if (job.exceptions > 0) {
        const std::size_t before = out_.size();
        header.layers = append_exceptions(tile_, values_, item_, words, job.exceptions, job.common, out_);
        header.exception_bytes = static_cast<std::uint32_t>(out_.size() - before);
        std::memcpy(out_.data() + begin, &header, sizeof(header));
    }
    return exceptions;
}

void TileWriter::write_planes(EncodeJob& job, const Manner& manner, TileHeader& header) {
    const std::size_t blocks = tile_.blocks();
    auto* const counts = reinterpret_cast<std::uint8_t*>(scratch_.get(Scratch::Use::counts, blocks / 2 + 1));
    auto* const widths = reinterpret_cast<std::uint8_t*>(scratch_.get(Scratch::Use::widths, blocks * 7));
    auto* const planes = reinterpret_cast<std::uint16_t*>(
        scratch_.get(Scratch::Use::planes, blocks * block * word_bytes(manner.elements) + plane_slack));
    job.out = {counts, widths, planes};
    encoder_for(kernels_, manner.elements, header.predictor)(job);

    header.width_bytes = static_cast<std::uint32_t>(job.out.widths - widths);
    header.planes = static_cast<std::uint32_t>(job.out.planes - planes);
    append_header(header, manner, header.planes > 0 || job.exceptions > 0);
    if (header.kind != Kind::zeros) {
        append(counts, static_cast<std::size_t>(job.out.counts - counts));
        append(widths, header.width_bytes);
        append(planes, header.planes * sizeof(std::uint16_t));
    }
}

void TileWriter::write_entropy(EncodeJob& job, const Manner& manner, TileHeader& header) {
    job.residuals = reinterpret_cast<std::uint32_t*>(
        scratch_.get(Scratch::Use::residuals, residual_words(tile_) * sizeof(std::uint32_t)));
    encoder_for(kernels_, manner.elements, header.predictor)(job);

    const auto words_for = [this](Scratch::Use use, std::size_t words) {
        return reinterpret_cast<std::uint16_t*>(scratch_.get(use, words * sizeof(std::uint16_t)));
    };
    EntropyEncodeJob residuals;
    residuals.residuals = job.residuals;
    residuals.blocks = tile_.blocks();
    residuals.memory = reinterpret_cast<EncodingMemory*>(scratch_.get(Scratch::Use::tables, sizeof(EncodingMemory)));
    const FormRuns runs{residuals.blocks * groups_of_block};
    residuals.forms = reinterpret_cast<std::uint8_t*>(scratch_.get(Scratch::Use::widths, runs.padded()));
    // A symbol gives off a word at most, and states are words, too.
    std::uint16_t* const planes = words_for(Scratch::Use::planes, 2 * residuals.blocks * block + plane_slack);
    std::uint16_t* const form_words = words_for(Scratch::Use::form_words, runs.padded() + words_of_states + word_slack);
    std::uint16_t* const symbol_words =
        words_for(Scratch::Use::symbol_words, residuals.blocks * block + chains * words_of_states + word_slack);
    // Sparse groups take fewer words than planes would.
    std::uint16_t* const sparse_words =
        words_for(Scratch::Use::sparse_words, 2 * residuals.blocks * block + word_slack);
    residuals.planes = planes;
    residuals.form_words = form_words;
    residuals.symbol_words = symbol_words;
    residuals.sparse_words = sparse_words;
    kernels_.encode_residuals(residuals);

    const EntropyHeader words{static_cast<std::uint32_t>(residuals.form_words - form_words),
                              static_cast<std::uint32_t>(residuals.symbol_words - symbol_words),
                              static_cast<std::uint32_t>(residuals.sparse_words - sparse_words)};
    const std::size_t form_bytes = words.form_words * sizeof(std::uint16_t);
    const std::size_t symbol_bytes = words.symbol_words * sizeof(std::uint16_t);
    const std::size_t sparse_bytes = words.sparse_words * sizeof(std::uint16_t);
    header.width_bytes =
        static_cast<std::uint32_t>(sizeof(words) + residuals.tables.size() + form_bytes + symbol_bytes + sparse_bytes);
    header.planes = static_cast<std::uint32_t>(residuals.planes - planes);
    const bool all_zero =
        std::all_of(residuals.forms, residuals.forms + runs.groups, [](std::uint8_t form) { return form == 0; });
    append_header(header, manner, !all_zero || job.exceptions > 0);
    if (header.kind != Kind::zeros) {
        append(&words, sizeof(words));
        append(residuals.tables.data(), residuals.tables.size());
        append(form_words, form_bytes);
        append(symbol_words, symbol_bytes);
        append(sparse_words, sparse_bytes);
        append(planes, header.planes * sizeof(std::uint16_t));
    }
}

/// A tile with nothing in it is its header alone.
void TileWriter::append_header(TileHeader& header, const Manner& manner, bool anything) {
    if (anything) {
        header.kind = manner.kind;
        header.step = manner.step;
    } else {
        header = {};
    }
    append(&header, sizeof(header));
}

void TileWriter::append(const void* from, std::size_t bytes) {
    const auto* const begin = static_cast<const std::byte*>(from);
    out_.insert(out_.end(), begin, begin + bytes);
}

}  // namespace staithe::transform::dq
