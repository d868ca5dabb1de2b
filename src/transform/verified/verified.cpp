#include "transform/verified/verified.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "array/strided_copy.hpp"
#include "base/log.hpp"
#include "transform/dq/elements.hpp"
#include "transform/verified/bounded.hpp"

namespace staithe::transform::verified {
namespace {

enum class Kind : std::uint8_t {
    bounded = 1,  // elements by the lossy library, and exceptions
    exact = 2,    // bytes by the lossless library
};

struct TileHeader {
    Kind kind = Kind::bounded;
    std::uint8_t layers = 0;  // of exceptions
    std::uint16_t reserved = 0;
    std::uint32_t exception_bytes = 0;
    double tolerance = 0.0;  // that the library was given
};
static_assert(sizeof(TileHeader) == 16);

tl::unexpected<base::Failure> damaged() { return base::fail(ErrorCode::protocol, "a tile of this payload is damaged"); }

void append(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}

/// The view itself if it lies densely in C order, else a dense copy.
ArrayView gathered(const ArrayView& view, Scratch& scratch) {
    if (is_row_major(view) && dq::is_direct(view)) {
        return ArrayView::row_major(view.data, view.dtype, view.shape);
    }
    const MutableArrayView dense = dq::dense(view, scratch);
    array::copy(dense, view);
    return dense;
}

/// Decodes into memory that lies densely: the view's own, or some that is copied into it.
template <class Decode>
base::Result<> scattered(const MutableArrayView& view, Scratch& scratch, const Decode& decode) {
    const bool direct = is_row_major(view) && dq::is_direct(view);
    const auto target =
        direct ? MutableArrayView::row_major(view.data, view.dtype, view.shape) : dq::dense(view, scratch);
    auto decoded = decode(target);
    if (decoded && !direct) {
        array::copy(view, target);
    }
    return decoded;
}

std::size_t bytes_of(const ArrayView& view) {
    return static_cast<std::size_t>(size_in_bytes(view.shape, view.dtype).value_or(0));
}

base::Result<> decode_exact(const LosslessLibrary& library, std::span<const std::byte> coded,
                            const MutableArrayView& dense) {
    const std::span bytes(static_cast<std::byte*>(dense.data), bytes_of(dense));
    const auto item = static_cast<std::size_t>(size_of(dense.dtype));
    auto done = contained([&] { return library.decompress(coded, item, bytes); });
    if (!done) {
        return base::fail(ErrorCode::protocol, "a tile of this payload cannot be decoded: {}", done.error().message);
    }
    return {};
}

}  // namespace

base::Result<> VerifiedCodec::encode(const ArrayView& tile, const TileOptions& options, Scratch& scratch,
                                     std::vector<std::byte>& out) const {
    const std::size_t begin = out.size();
    const auto done = options.bound > 0.0 ? encode_bounded_tile(tile, options, scratch, out)
                                          : encode_exact_tile(tile, options.mode, scratch, out);
    if (!done) {
        base::log(base::LogLevel::debug, "the codec {} gives up a tile of shape {}: {}", info_.name,
                  to_string(tile.shape), done.error().message);
        out.resize(begin);
    }
    return {};
}

base::Result<> VerifiedCodec::encode_bounded_tile(const ArrayView& tile, const TileOptions& options, Scratch& scratch,
                                                  std::vector<std::byte>& out) const {
    const auto elements = dq::by_elements(tile);
    if (lossy_ == nullptr || !elements) {
        return base::fail(ErrorCode::invalid_argument, "it takes no such values within a bound");
    }
    const bool of_parts = tile.dtype == Dtype::c64 || tile.dtype == Dtype::c128;
    const Judgement by{options.bound * (of_parts ? share_of_part : 1.0), options.fill};
    const auto made = encode_bounded(*lossy_, gathered(*elements, scratch), by, options.mode, scratch);
    if (!made) {
        return base::fail(made);
    }
    const TileHeader header{Kind::bounded, made->layers, 0, static_cast<std::uint32_t>(made->exceptions.size()),
                            made->tolerance};
    append(out, std::as_bytes(std::span(&header, 1)));
    append(out, made->coded);
    append(out, made->exceptions);
    return {};
}

base::Result<> VerifiedCodec::encode_exact_tile(const ArrayView& tile, codecs::Mode mode, Scratch& scratch,
                                                std::vector<std::byte>& out) const {
    if (lossless_ == nullptr) {
        return base::fail(ErrorCode::invalid_argument, "it makes nothing smaller exactly");
    }
    const ArrayView dense = gathered(tile, scratch);
    const std::span bytes(static_cast<const std::byte*>(dense.data), bytes_of(dense));
    const auto item = static_cast<std::size_t>(size_of(dense.dtype));
    const std::span decoded(scratch.get(Scratch::Use::decoded, bytes.size()), bytes.size());
    // What a library does not write must not look right.
    std::transform(bytes.begin(), bytes.end(), decoded.begin(), [](std::byte byte) { return ~byte; });
    std::vector<std::byte> coded;
    auto done = contained([&]() -> base::Result<> {
        auto compressed = lossless_->compress(bytes, item, mode, coded);
        return compressed ? lossless_->decompress(coded, item, decoded) : compressed;
    });
    if (done && std::memcmp(bytes.data(), decoded.data(), bytes.size()) != 0) {
        return base::fail(ErrorCode::invalid_argument, "it did not bring back what it was given");
    }
    const TileHeader header{Kind::exact, 0, 0, 0, 0.0};
    append(out, std::as_bytes(std::span(&header, 1)));
    append(out, coded);
    return done;
}

bool VerifiedCodec::is_trusting() const {
    return (lossy_ != nullptr && lossy_->is_trusting()) || (lossless_ != nullptr && lossless_->is_trusting());
}

base::Result<> VerifiedCodec::decode(std::span<const std::byte> coded, const MutableArrayView& tile,
                                     Scratch& scratch) const {
    TileHeader header;
    if (coded.size() < sizeof(header)) {
        return damaged();
    }
    std::memcpy(&header, coded.data(), sizeof(header));
    coded = coded.subspan(sizeof(header));
    if (header.kind == Kind::exact && lossless_ != nullptr && header.exception_bytes == 0) {
        return scattered(tile, scratch,
                         [&](const MutableArrayView& dense) { return decode_exact(*lossless_, coded, dense); });
    }
    const auto elements = dq::by_elements(tile);
    if (header.kind != Kind::bounded || lossy_ == nullptr || !elements || header.exception_bytes > coded.size() ||
        !(header.tolerance > 0.0) || !std::isfinite(header.tolerance) ||
        (elements->dtype != Dtype::f32 && elements->dtype != Dtype::f64)) {
        return damaged();
    }
    return scattered(*elements, scratch, [&](const MutableArrayView& dense) {
        return decode_bounded(*lossy_, coded.first(coded.size() - header.exception_bytes),
                              coded.last(header.exception_bytes), header.layers, header.tolerance, dense);
    });
}

}  // namespace staithe::transform::verified
