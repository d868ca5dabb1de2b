// Codecs: arrays made smaller, exactly or within a bound that the caller sets, and made whole again.
//
//     auto payload = staithe::codecs::encode(array, {.bound = Bound::relative(1e-3)});
//     staithe::codecs::decode(payload, whole);
//     staithe::codecs::decode(payload, part, box);  // touches no more tiles than the box does
//
// A payload describes itself: dtype, shape, codec. It consists of tiles that are coded apart from each other, each with
// a checksum; damage is found, never followed. Functions use the calling thread, and more only if they are asked for.
// Safe from any thread. They throw InvalidArgument for what cannot be encoded or does not fit, ProtocolError for a
// payload that is damaged or of another version, NotFound for a codec that is not there, LimitReached where memory runs
// out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <staithe/array_view.hpp>
#include <staithe/export.hpp>

namespace staithe::codecs {

/// How far each decoded value may lie from the original one.
///
/// NaN, infinities, -0.0, denormal numbers and the declared fill value come back bit by bit under every bound, and so
/// do integers; nothing else turns into fill. A bound that is finer than the precision of the values makes them exact.
/// A complex number is off by its distance from the original one; its range is that of all real and imaginary parts.
struct Bound {
    enum class Kind : std::uint8_t { exact, absolute, relative, psnr, pointwise_relative, rate };

    Kind kind = Kind::exact;
    double value = 0.0;

    [[nodiscard]] static constexpr Bound exact() { return {}; }
    /// In the unit of the values.
    [[nodiscard]] static constexpr Bound absolute(double value) { return {Kind::absolute, value}; }
    /// A share of the range, largest less smallest, of all values but NaN, infinities and fill.
    [[nodiscard]] static constexpr Bound relative(double value) { return {Kind::relative, value}; }
    /// A share of each value itself (of each part of a complex number), for codecs that are exact without a bound:
    /// values are rounded to as few bits as that takes, and coded exactly.
    [[nodiscard]] static constexpr Bound pointwise_relative(double value) { return {Kind::pointwise_relative, value}; }
    /// As near as so many bits a value allow, in each tile, for codecs that take bounds; PayloadInfo::bound tells how
    /// near. What comes back bit by bit may take more. Tiles are encoded up to eight times.
    [[nodiscard]] static constexpr Bound rate(double bits) { return {Kind::rate, bits}; }
    /// At least so many decibels of peak signal-to-noise ratio: 20 log10(range / root mean square error), over all
    /// values that make the range. Tiles are decoded and compared, and some encoded again: it takes about twice
    /// as long as other bounds, three times at the worst.
    [[nodiscard]] static constexpr Bound psnr(double value) { return {Kind::psnr, value}; }

    friend bool operator==(const Bound&, const Bound&) = default;
};

/// As users write it: "0.01 abs", "1e-3 rel", "1e-3 pw_rel", "80 psnr", "4 rate", "exact". Throws InvalidArgument if it
/// is none of these.
[[nodiscard]] STAITHE_API Bound parse_bound(const std::string& text);
/// The same the other way round.
[[nodiscard]] STAITHE_API std::string to_string(const Bound& bound);

/// What matters more: time or bytes.
enum class Mode : std::uint8_t {
    fast,
    dense,
    automatic,  // dense where that saves much, tile by tile
};

/// How an array is encoded.
struct EncodeOptions {
    std::string codec = "dq";  // Staithe's own: differences of quantised values
    Mode mode = Mode::fast;
    Bound bound{};
    /// The value that stands for "none here"; it counts for no range and no prediction.
    std::optional<double> fill{};
    /// That work on it: the calling one, and as many of the process's own as have a core to themselves.
    int threads = 1;
    /// Where the memory comes from that coding takes besides the payload; null: where `new` takes it. With more than
    /// one thread it must be one that threads may share.
    std::pmr::memory_resource* memory = nullptr;
    /// In the place of `mode`, for codecs that have levels: from 1, for quick, to CodecInfo::levels, for small.
    std::optional<int> level{};
};

/// What a payload says of itself.
struct PayloadInfo {
    std::string codec;
    Dtype dtype = Dtype::u8;
    Extents shape{};
    Extents tile{};      // but for those at the edges
    double bound = 0.0;  // absolute; 0: exact
    std::int64_t tiles = 0;
    std::int64_t raw_tiles = 0;       // stored as they were, since nothing made them smaller, or too little
    std::int64_t fallback_tiles = 0;  // coded by dq, since the codec could not keep the bound or makes nothing exact
    std::int64_t raw_bytes = 0;
};

/// What a codec can do, or why it is not there.
struct CodecInfo {
    std::string name;
    std::string summary;
    std::string missing;    // the reason; empty: it is there
    bool lossless = false;  // codes exactly by itself; if not, dq does that for it
    bool lossy = false;
    std::vector<Dtype> lossy_dtypes;  // others are coded exactly
    int levels = 0;                   // from 1 to this; 0: it has none
};

/// What `encode` would cost, from a sample of tiles.
struct Probe {
    double ratio = 1.0;      // bytes of the array over bytes of the payload
    double seconds = 0.0;    // that encoding all of it would take, on one thread
    std::int64_t tiles = 0;  // encoded
};

/// The payload of an array.
[[nodiscard]] STAITHE_API std::vector<std::byte> encode(const ArrayView& array, const EncodeOptions& options = {});

/// The same into memory of the caller's, such as a loan's; returns the bytes that the payload takes. Throws
/// LimitReached if it does not fit.
STAITHE_API std::size_t encode_into(std::span<std::byte> out, const ArrayView& array,
                                    const EncodeOptions& options = {});

/// The most bytes that a payload of such an array takes, whatever its values are and the bound is.
[[nodiscard]] STAITHE_API std::size_t payload_bound(const Extents& shape, Dtype dtype);

/// Decodes the payload, or the box of it, into `out`, whose dtype and shape must be the payload's (the box's).
STAITHE_API void decode(std::span<const std::byte> payload, const MutableArrayView& out,
                        const std::optional<Box>& box = std::nullopt, int threads = 1,
                        std::pmr::memory_resource* memory = nullptr);

/// What a payload says of itself, without decoding it.
[[nodiscard]] STAITHE_API PayloadInfo inspect(std::span<const std::byte> payload);

/// All codecs that Staithe knows, those that were not built in with the reason.
[[nodiscard]] STAITHE_API std::vector<CodecInfo> list();

/// Loads a plugin (<staithe/codec_plugin.h>) from a file: from now on, its codec is one of the list. Loading it again
/// changes nothing. Throws NotFound if it cannot be loaded, InvalidArgument if it is no plugin that can be used here,
/// AlreadyExists if there is another codec of its name.
STAITHE_API CodecInfo load(const std::string& path);

/// Encodes a sample of tiles: `share` of them, at least four (all, if there are no more). A look at a few values of
/// each tile puts the tiles in the order of their ranges of values; the sample is taken evenly from that order, so that
/// it has tiles of all kinds. The same array gives the same ratio.
[[nodiscard]] STAITHE_API Probe probe(const ArrayView& array, const EncodeOptions& options = {}, double share = 0.05);

}  // namespace staithe::codecs
