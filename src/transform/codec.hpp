// What a codec is: pure functions on one tile. Tiling, bounds, checks, threads and payloads are the same for all of
// them and not its business (encode.cpp, decode.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <staithe/array_view.hpp>
#include <staithe/transform.hpp>

#include "base/result.hpp"
#include "transform/scratch.hpp"

namespace staithe::transform {

/// If both parts of a complex number are off by this share of a bound, the number is off by less than the bound. Every
/// codec keeps its parts within that.
inline constexpr double share_of_part = 0.7071067811865475;

/// How one tile is to be coded.
struct TileOptions {
    double bound = 0.0;  // absolute; 0: exact
    std::optional<double> fill{};
    codecs::Mode mode = codecs::Mode::fast;
    std::optional<int> level{};  // of a codec that has levels: in the place of the mode
    double share = 0.0;          // of itself that each value may be off, no codec's business; 0: not at all
    double rate = 0.0;           // bits a value may take, no codec's business; 0: as many as the bound needs
    double noise = 0.0;  // root mean square error that it may have, no codec's business; 0: any within the bound
};

class Codec {
  public:
    virtual ~Codec() = default;
    [[nodiscard]] virtual codecs::CodecInfo describe() const = 0;
    /// Appends the coded tile to `out`, which must keep the bound; nothing if it had better be stored another way.
    virtual base::Result<> encode(const ArrayView& tile, const TileOptions& options, Scratch& scratch,
                                  std::vector<std::byte>& out) const = 0;
    /// Into memory of the tile's dtype and shape. The bytes may be anything: a failure, but no harm; unless it is
    /// trusting.
    virtual base::Result<> decode(std::span<const std::byte> coded, const MutableArrayView& tile,
                                  Scratch& scratch) const = 0;
    /// Whether `decode` believes what it is given, as the library behind it does. Checksums of payloads keep damage
    /// from it, and nothing keeps what was made on purpose.
    [[nodiscard]] virtual bool is_trusting() const { return false; }
};

/// A codec that Staithe knows, and that may not be there.
struct KnownCodec {
    codecs::CodecInfo info{};
    const Codec* codec = nullptr;  // null: `info.missing` says why
    bool is_loaded = false;        // by whoever uses Staithe
};

/// In the order in which they are listed. Each folder of codecs adds its own.
const std::vector<KnownCodec>& known_codecs();

/// The names of those that were loaded as plugins.
std::vector<std::string> loaded_codecs();

/// The codec of that name; a failure that says why it is missing, or names those that are there.
base::Result<const Codec*> find_codec(std::string_view name, const std::vector<KnownCodec>& among = known_codecs());

/// Whether it codes such values itself: under a bound, or exactly.
[[nodiscard]] bool suits(const codecs::CodecInfo& codec, Dtype dtype, bool is_lossy);

}  // namespace staithe::transform
