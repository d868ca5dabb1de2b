#include "transform/verified/bounded.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "array/strided_copy.hpp"
#include "transform/dq/exceptions.hpp"

namespace staithe::transform::verified {
namespace {

// More violations than one value in so many: the library is not up to this tile.
constexpr std::size_t most_violations = 16;
// With more than one in so many, the tolerance was raised too far.
constexpr std::size_t many_violations = 256;
// Values of the sample that tells how far the tolerance can be raised.
constexpr std::int64_t sample_values = 8192;

/// The shape in which the library sees elements: no leading dimension too short to predict along (parts of complex
/// numbers and coordinates of positions stand there), and no more of them than it can take.
Extents folded(const Extents& shape, std::size_t most_dimensions) {
    constexpr std::int64_t shortest = 4;
    Extents result = shape;
    while (result.size() > most_dimensions || (result.size() > 1 && result[0] < shortest)) {
        Extents shorter;
        shorter.push_back(result[0] * result[1]);
        for (std::size_t i = 2; i < result.size(); ++i) {
            shorter.push_back(result[i]);
        }
        result = shorter;
    }
    if (result.empty()) {
        result.push_back(1);
    }
    return result;
}

/// A box in the middle of the shape, at places that are multiples of 4.
Box sample_of(const Extents& shape) {
    Box box = Box::whole(shape);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        while (box.count[i] > 16 && volume(box.count).value_or(0) > sample_values) {
            box.count[i] = (box.count[i] / 2 + 3) / 4 * 4;
        }
        box.offset[i] = (shape[i] - box.count[i]) / 8 * 4;
    }
    return box;
}

/// Exceptions take no notice of dimensions: all values are one row.
dq::TileRows one_row(std::size_t values) {
    dq::TileRows row;
    row.count[3] = values;
    return row;
}

template <class T>
class BoundedEncoder {
  public:
    BoundedEncoder(const LossyLibrary& library, const ArrayView& elements, const Judgement& by, codecs::Mode mode,
                   Scratch& scratch)
        : library_(library),
          original_(static_cast<const T*>(elements.data)),
          shape_(folded(elements.shape, library.most_dimensions())),
          count_(static_cast<std::size_t>(volume(elements.shape).value_or(0))),
          by_(by),
          mode_(mode),
          scratch_(scratch),
          masked_(words_for(count_)),
          given_(original_) {
        if (find_masked(original_, count_, by_, masked_.data()) > 0) {
            auto* const block = values_of(Scratch::Use::block);
            std::memcpy(block, original_, count_ * sizeof(T));
            replace_masked(block, count_, masked_.data());
            given_ = block;
        }
    }

    base::Result<Bounded> encode() {
        if (library_.raises() == 0) {
            return attempt(0).made;
        }
        return mode_ == codecs::Mode::dense ? smallest() : as_sampled();
    }

  private:
    struct Attempt {
        base::Result<Bounded> made;
        Verdict verdict{};
    };

    /// With the largest tolerance that a sample keeps the bound with.
    base::Result<Bounded> as_sampled() {
        int raise = raise_of_sample();
        Attempt last = attempt(raise);
        while (raise > 0 && (!last.made || last.verdict.violations > count_ / many_violations)) {
            last = attempt(--raise);
        }
        return std::move(last.made);
    }

    /// With the tolerance that makes the fewest bytes.
    base::Result<Bounded> smallest() {
        Attempt best = attempt(0);
        if (!best.made) {
            return std::move(best.made);
        }
        for (int raise = std::max(1, raise_for(best.verdict.largest)); raise <= library_.raises(); ++raise) {
            Attempt next = attempt(raise);
            if (!next.made || next.made->bytes() >= best.made->bytes()) {
                break;
            }
            best = std::move(next);
        }
        return std::move(best.made);
    }

    /// How often the tolerance can be doubled if errors grow with it.
    [[nodiscard]] int raise_for(double largest) const {
        const double room = std::floor(std::log2(by_.bound / largest));
        return room >= 1.0 ? static_cast<int>(std::min(room, static_cast<double>(library_.raises()))) : 0;
    }

    int raise_of_sample() {
        const Box box = sample_of(shape_);
        const auto count = static_cast<std::size_t>(volume(box.count).value_or(0));
        std::vector<T> given(count);
        std::vector<T> decoded(count);
        std::vector<std::byte> coded;
        const auto block = MutableArrayView::row_major(given.data(), dtype_of<T>(), box.count);
        array::copy(block, slice(ArrayView::row_major(given_, dtype_of<T>(), shape_), Selection(box)));
        const auto back = MutableArrayView::row_major(decoded.data(), dtype_of<T>(), box.count);
        if (!contained([&] { return library_.compress(block, by_.bound, mode_, coded); }) ||
            !contained([&] { return library_.decompress(coded, by_.bound, back); })) {
            return 0;
        }
        std::vector<std::uint16_t> words(words_for(count));
        return raise_for(find_violations(given.data(), decoded.data(), count, by_, words.data()).largest);
    }

    Attempt attempt(int raise) {
        Bounded made;
        made.tolerance = std::ldexp(by_.bound, raise);
        if (!std::isfinite(made.tolerance)) {
            return {base::fail(ErrorCode::invalid_argument, "no tolerance is that large"), {}};
        }
        auto* const decoded = values_of(Scratch::Use::decoded);
        // What a library does not write must not look right, which it would after the attempt before.
        std::fill_n(decoded, count_, std::numeric_limits<T>::quiet_NaN());
        const auto back = MutableArrayView::row_major(decoded, dtype_of<T>(), shape_);
        auto done = contained([&]() -> base::Result<> {
            const auto block = ArrayView::row_major(given_, dtype_of<T>(), shape_);
            auto coded = library_.compress(block, made.tolerance, mode_, made.coded);
            return coded ? library_.decompress(made.coded, made.tolerance, back) : coded;
        });
        if (!done) {
            return {base::fail(std::move(done)), {}};
        }
        std::vector<std::uint16_t> words = masked_;
        const Verdict verdict = find_violations(given_, decoded, count_, by_, words.data());
        if (verdict.violations > count_ / most_violations) {
            return {
                base::fail(ErrorCode::invalid_argument, "{} of {} values missed the bound", verdict.violations, count_),
                verdict};
        }
        if (std::any_of(words.begin(), words.end(), [](std::uint16_t word) { return word != 0; })) {
            made.layers = dq::append_exceptions(one_row(count_), reinterpret_cast<const std::byte*>(original_),
                                                sizeof(T), words.data(), made.exceptions);
        }
        return {std::move(made), verdict};
    }

    T* values_of(Scratch::Use use) { return reinterpret_cast<T*>(scratch_.get(use, count_ * sizeof(T))); }

    const LossyLibrary& library_;
    const T* const original_;
    const Extents shape_;
    const std::size_t count_;
    const Judgement by_;
    const codecs::Mode mode_;
    Scratch& scratch_;
    std::vector<std::uint16_t> masked_;
    const T* given_;  // the values without what is masked
};

}  // namespace

base::Result<Bounded> encode_bounded(const LossyLibrary& library, const ArrayView& elements, const Judgement& by,
                                     codecs::Mode mode, Scratch& scratch) {
    if (elements.dtype == Dtype::f32) {
        return BoundedEncoder<float>(library, elements, by, mode, scratch).encode();
    }
    return BoundedEncoder<double>(library, elements, by, mode, scratch).encode();
}

base::Result<> decode_bounded(const LossyLibrary& library, std::span<const std::byte> coded,
                              std::span<const std::byte> exceptions, std::uint8_t layers, double tolerance,
                              const MutableArrayView& elements) {
    auto done = contained([&] {
        return library.decompress(coded, tolerance,
                                  MutableArrayView::row_major(elements.data, elements.dtype,
                                                              folded(elements.shape, library.most_dimensions())));
    });
    if (!done) {
        return base::fail(ErrorCode::protocol, "a tile of this payload cannot be decoded: {}", done.error().message);
    }
    const auto values = static_cast<std::size_t>(volume(elements.shape).value_or(0));
    if (!dq::restore_exceptions(exceptions, layers, one_row(values), static_cast<std::byte*>(elements.data),
                                static_cast<std::size_t>(size_of(elements.dtype)))) {
        return base::fail(ErrorCode::protocol, "a tile of this payload is damaged");
    }
    return {};
}

}  // namespace staithe::transform::verified
