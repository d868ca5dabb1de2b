// Encoded arrays: headers of payloads, and tiles of every codec without the checksum that guards them; those of dq by
// every kind of kernel. Codecs that trust their bytes are left out.
#include <array>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "fuzz/bytes.hpp"
#include "transform/codec.hpp"
#include "transform/dq/dq.hpp"
#include "transform/payload.hpp"

using namespace staithe;

namespace {

constexpr std::array dtypes{Dtype::f32, Dtype::f64, Dtype::i8, Dtype::u16, Dtype::i32, Dtype::u64, Dtype::c64};
// Small, since what is decoded depends on the bytes alone: rows that fill groups and that do not, and moved dimensions.
// The last one is large enough for entropy coding to pay.
constexpr std::array<std::array<std::int64_t, 4>, 7> shapes{
    {{1, 1, 1, 1}, {1, 1, 1, 300}, {1, 1, 9, 17}, {1, 5, 4, 16}, {3, 4, 5, 33}, {1, 1, 40, 3}, {1, 1, 64, 64}}};

/// The tile, if the bytes are one.
std::optional<std::vector<std::byte>> decode(const transform::Codec& codec, fuzz::Bytes bytes, Dtype dtype,
                                             const Extents& shape) {
    transform::Scratch scratch;
    // Exactly as large as the tile, so that whatever is written beside it is found.
    std::vector<std::byte> tile(static_cast<std::size_t>(*size_in_bytes(shape, dtype)));
    if (!codec.decode(bytes, MutableArrayView::row_major(tile.data(), dtype, shape), scratch)) {
        return std::nullopt;
    }
    return tile;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes bytes = fuzz::bytes_of(data, size);
    static_cast<void>(transform::read_header(bytes));
    const auto& known = transform::known_codecs();
    const transform::KnownCodec& chosen = known[fuzz::take_byte(bytes) % known.size()];
    const Dtype dtype = dtypes[fuzz::take_byte(bytes) % dtypes.size()];
    const Extents shape{std::span<const std::int64_t>(shapes[fuzz::take_byte(bytes) % shapes.size()])};
    if (chosen.info.name == "dq") {
        const auto expected = decode(transform::dq::Dq(transform::dq::plain_kernels), bytes, dtype, shape);
        for (const auto& kernels : transform::dq::available_kernels()) {
            if (decode(transform::dq::Dq(kernels), bytes, dtype, shape) != expected) {
                std::abort();  // every kernel makes the same of the same bytes
            }
        }
    } else if (chosen.codec != nullptr && !chosen.codec->is_trusting()) {
        static_cast<void>(decode(*chosen.codec, bytes, dtype, shape));
    }
    return 0;
}
