// Encoded arrays: headers of payloads, and tiles of dq without the checksum that guards them, by every kind of kernel.
#include <array>
#include <span>
#include <vector>

#include "fuzz/bytes.hpp"
#include "transform/dq/dq.hpp"
#include "transform/payload.hpp"

using namespace staithe;

namespace {

constexpr std::array dtypes{Dtype::f32, Dtype::f64, Dtype::i8, Dtype::u16, Dtype::i32, Dtype::u64, Dtype::c64};
// Small, since what is decoded depends on the bytes alone: rows that fill groups and that do not, and moved dimensions.
constexpr std::array<std::array<std::int64_t, 4>, 6> shapes{
    {{1, 1, 1, 1}, {1, 1, 1, 300}, {1, 1, 9, 17}, {1, 5, 4, 16}, {3, 4, 5, 33}, {1, 1, 40, 3}}};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes bytes = fuzz::bytes_of(data, size);
    static_cast<void>(transform::read_header(bytes));
    const Dtype dtype = dtypes[fuzz::take_byte(bytes) % dtypes.size()];
    const Extents shape{std::span<const std::int64_t>(shapes[fuzz::take_byte(bytes) % shapes.size()])};
    for (const auto& kernels : transform::dq::available_kernels()) {
        transform::Scratch scratch;
        // Exactly as large as the tile, so that whatever is written beside it is found.
        std::vector<std::byte> tile(static_cast<std::size_t>(*size_in_bytes(shape, dtype)));
        static_cast<void>(
            transform::dq::Dq(kernels).decode(bytes, MutableArrayView::row_major(tile.data(), dtype, shape), scratch));
    }
    return 0;
}
