#include "transform/dq/dq.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "array/strided_copy.hpp"
#include "transform/dq/elements.hpp"
#include "transform/dq/exception_words.hpp"
#include "transform/dq/exceptions.hpp"

namespace staithe::transform::dq {
namespace {

/// What the tile is made of.
enum class Kind : std::uint8_t {
    zeros = 0,      // nothing else is stored
    quantised = 1,  // and exceptions
    exact = 2,
};

struct TileHeader {
    Kind kind = Kind::zeros;
    std::uint8_t layers = 0;  // of exceptions
    std::uint16_t reserved = 0;
    std::uint32_t width_bytes = 0;
    std::uint32_t planes = 0;  // of 16 bits
    std::uint32_t exception_bytes = 0;
    double step = 0.0;
};
static_assert(sizeof(TileHeader) == 24);

// More than one in so many values, fill and the like left out, misses the bound: a finer step may help.
constexpr std::size_t many_misses = 128;
// More exceptions than one in so many values: the exact coding may be smaller.
constexpr std::size_t most_exceptions = 8;

// If both parts of a complex number are off by this share of a bound, the number is off by less than the bound.
constexpr double share_of_part = 0.7071067811865475;

/// Which values a finer step may help if they miss the bound. Not NaN, infinities, -0.0, denormals and fill, which are
/// exceptions under every step; nor numbers so large that half the bound, or q, has no room for them.
template <class T>
struct Helpable {
    const Quantiser<T>& by;
    const T too_large = std::min(by.bound / std::numeric_limits<T>::epsilon(), by.step* static_cast<T>(2147483648.0));

    bool operator()(T x) const { return std::isnormal(x) && std::abs(x) < too_large && !(by.has_fill && x == by.fill); }
};

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

/// Encodes one tile whose rows are ready.
class TileWriter {
  public:
    TileWriter(const Kernels& kernels, const TileRows& tile, const std::byte* values, Dtype element, Scratch& scratch,
               std::vector<std::byte>& out)
        : kernels_(kernels),
          tile_(tile),
          values_(values),
          element_(element),
          item_(static_cast<std::size_t>(size_of(element))),
          scratch_(scratch),
          out_(out) {}

    void write_exact() { write<float>(Kind::exact, exact_elements(element_), nullptr); }

    template <class T>
    void write_quantised(const TileOptions& options) {
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

  private:
    struct Exceptions {
        std::size_t all = 0;
        std::size_t misses = 0;  // those that a finer step might help, about; 0 if there are few exceptions
    };

    template <class T>
    static Quantiser<T> quantiser_for(const TileOptions& options, double slack) {
        auto quantiser = Quantiser<T>::for_bound(options.bound, slack);
        if (options.fill) {
            quantiser.has_fill = true;
            quantiser.fill = static_cast<T>(*options.fill);
        }
        return quantiser;
    }

    /// Calls what writes the tile once more, which was written from `begin` on. The smaller one stays.
    template <class Write>
    void write_if_smaller(std::size_t begin, const Write& write) {
        const std::vector<std::byte> before(out_.begin() + static_cast<std::ptrdiff_t>(begin), out_.end());
        out_.resize(begin);
        write();
        if (before.size() < out_.size() - begin) {
            out_.resize(begin);
            out_.insert(out_.end(), before.begin(), before.end());
        }
    }

    template <class T>
    Exceptions write_with(const Quantiser<T>& quantiser) {
        const Elements elements = sizeof(T) == 4 ? Elements::quantised_f32 : Elements::quantised_f64;
        return write(Kind::quantised, elements, &quantiser);
    }

    template <class T>
    Exceptions write(Kind kind, Elements elements, const Quantiser<T>* quantiser) {
        const std::size_t blocks = tile_.blocks();
        const std::size_t word = word_bytes(elements);
        EncodeJob job;
        job.tile = tile_;
        job.values = values_;
        job.quantiser = quantiser;
        job.workspace = scratch_.get(Scratch::Use::workspace, Workspace<std::uint32_t>::words(tile_) * word);
        auto* const counts = reinterpret_cast<std::uint8_t*>(scratch_.get(Scratch::Use::counts, blocks / 2 + 1));
        auto* const widths = reinterpret_cast<std::uint8_t*>(scratch_.get(Scratch::Use::widths, blocks * 7));
        auto* const planes =
            reinterpret_cast<std::uint16_t*>(scratch_.get(Scratch::Use::planes, blocks * block * word + plane_slack));
        auto* const words =
            reinterpret_cast<std::uint16_t*>(scratch_.get(Scratch::Use::exceptions, 2 * tile_.exception_words()));
        job.out = {counts, widths, planes};
        job.exception_words = words;
        encoder_for(kernels_, elements)(job);

        TileHeader header;
        header.width_bytes = static_cast<std::uint32_t>(job.out.widths - widths);
        header.planes = static_cast<std::uint32_t>(job.out.planes - planes);
        if (header.planes > 0 || job.exceptions > 0) {
            header.kind = kind;
            header.step = quantiser != nullptr ? static_cast<double>(quantiser->step) : 0.0;
        }
        Exceptions exceptions{job.exceptions};
        if (quantiser != nullptr && job.exceptions > tile_.values() / many_misses) {
            const std::size_t misses = estimate_misses(tile_, values_, words, Helpable<T>{*quantiser});
            exceptions.misses = std::min(misses, exceptions.all);
        }
        const std::size_t begin = out_.size();
        append(&header, sizeof(header));
        if (header.kind != Kind::zeros) {
            append(counts, static_cast<std::size_t>(job.out.counts - counts));
            append(widths, header.width_bytes);
            append(planes, header.planes * sizeof(std::uint16_t));
        }
        if (job.exceptions > 0) {
            const std::size_t before = out_.size();
            header.layers = append_exceptions(tile_, values_, item_, words, out_);
            header.exception_bytes = static_cast<std::uint32_t>(out_.size() - before);
            std::memcpy(out_.data() + begin, &header, sizeof(header));
        }
        return exceptions;
    }

    void append(const void* from, std::size_t bytes) {
        const auto* const begin = static_cast<const std::byte*>(from);
        out_.insert(out_.end(), begin, begin + bytes);
    }

    const Kernels& kernels_;
    const TileRows tile_;
    const std::byte* const values_;
    const Dtype element_;
    const std::size_t item_;
    Scratch& scratch_;
    std::vector<std::byte>& out_;
};

tl::unexpected<base::Failure> damaged() { return base::fail(ErrorCode::protocol, "a tile of this payload is damaged"); }

void clear(const TileRows& tile, std::byte* values, std::size_t item) {
    for_each_row(tile, [&](std::size_t /*w*/, std::size_t /*z*/, std::size_t /*y*/, std::ptrdiff_t row) {
        std::memset(values + row, 0, tile.count[3] * item);
    });
}

}  // namespace

codecs::CodecInfo Dq::describe() const {
    return {"dq", "quantised to the bound, Lorenzo prediction, bit planes; the fastest, and exact for integers",
            "",   true,
            true, {Dtype::f32, Dtype::f64, Dtype::c64, Dtype::c128}};
}

base::Result<> Dq::encode(const ArrayView& tile, const TileOptions& options, Scratch& scratch,
                          std::vector<std::byte>& out) const {
    auto view = by_elements(tile);
    if (!view) {
        return base::fail(ErrorCode::invalid_argument, "dq takes complex numbers of at most 7 dimensions");
    }
    if (!is_direct(*view)) {
        const MutableArrayView gathered = dense(*view, scratch);
        array::copy(gathered, *view);
        view = gathered;
    }
    TileOptions of_elements = options;
    if (tile.dtype == Dtype::c64 || tile.dtype == Dtype::c128) {
        of_elements.bound *= share_of_part;
    }
    TileWriter writer(kernels_, rows_of(*view), static_cast<const std::byte*>(view->data), view->dtype, scratch, out);
    if (options.bound > 0.0 && view->dtype == Dtype::f32) {
        writer.write_quantised<float>(of_elements);
    } else if (options.bound > 0.0 && view->dtype == Dtype::f64) {
        writer.write_quantised<double>(of_elements);
    } else {
        writer.write_exact();
    }
    return {};
}

base::Result<> Dq::decode(std::span<const std::byte> coded, const MutableArrayView& tile, Scratch& scratch) const {
    TileHeader header;
    const auto view = by_elements(tile);
    if (!view || coded.size() < sizeof(header)) {
        return damaged();
    }
    std::memcpy(&header, coded.data(), sizeof(header));
    const bool direct = is_direct(*view);
    const MutableArrayView target = direct ? *view : dense(*view, scratch);
    const TileRows rows = rows_of(target);
    auto* const values = static_cast<std::byte*>(target.data);
    const auto item = static_cast<std::size_t>(size_of(target.dtype));
    const std::size_t count_bytes = (rows.blocks() + 1) / 2;
    const std::size_t plane_bytes = std::size_t{header.planes} * sizeof(std::uint16_t);
    if (header.kind == Kind::zeros) {
        clear(rows, values, item);
    } else {
        const bool quantised = header.kind == Kind::quantised;
        if ((quantised && target.dtype != Dtype::f32 && target.dtype != Dtype::f64) ||
            (!quantised && header.kind != Kind::exact) ||
            coded.size() != sizeof(header) + count_bytes + header.width_bytes + plane_bytes + header.exception_bytes) {
            return damaged();
        }
        const Elements elements = !quantised                   ? exact_elements(target.dtype)
                                  : target.dtype == Dtype::f32 ? Elements::quantised_f32
                                                               : Elements::quantised_f64;
        const auto* const counts = reinterpret_cast<const std::uint8_t*>(coded.data()) + sizeof(header);
        const std::uint8_t* const widths = counts + count_bytes;
        // In a payload they may lie on odd addresses, and at its very end.
        auto* const planes =
            reinterpret_cast<std::uint16_t*>(scratch.get(Scratch::Use::planes, plane_bytes + plane_slack));
        std::memcpy(planes, widths + header.width_bytes, plane_bytes);
        DecodeJob job;
        job.tile = rows;
        job.values = values;
        job.step = header.step;
        job.workspace =
            scratch.get(Scratch::Use::workspace, Workspace<std::uint32_t>::words(rows) * word_bytes(elements));
        job.in = {counts, widths, widths + header.width_bytes, planes, planes + header.planes};
        decoder_for(kernels_, elements)(job);
        if (job.broken || !restore_exceptions(coded.last(header.exception_bytes), header.layers, rows, values, item)) {
            return damaged();
        }
    }
    if (!direct) {
        array::copy(*view, target);
    }
    return {};
}

}  // namespace staithe::transform::dq
