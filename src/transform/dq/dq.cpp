#include "transform/dq/dq.hpp"

#include "array/strided_copy.hpp"
#include "transform/dq/elements.hpp"
#include "transform/dq/tile_reader.hpp"
#include "transform/dq/tile_writer.hpp"

namespace staithe::transform::dq {

codecs::CodecInfo Dq::describe() const {
    return {"dq", "quantised to the bound, Lorenzo prediction, bit planes; the fastest, and exact for integers",
            "",   true,
            true, {Dtype::f32, Dtype::f64, Dtype::c64, Dtype::c128}};
}

base::Result<> Dq::encode(const ArrayView& tile, const TileOptions& options, Scratch& scratch,
                          std::vector<std::byte>& out) const {
    auto view = by_elements(tile);
    if (!view) {
        return {};  // complex numbers of 8 dimensions
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
    TileWriter writer(kernels_, rows_of(*view), static_cast<const std::byte*>(view->data), view->dtype, options.mode,
                      scratch, out);
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
    const auto view = by_elements(tile);
    if (!view) {
        return base::fail(ErrorCode::protocol, "a tile of this payload is damaged");
    }
    const bool direct = is_direct(*view);
    const MutableArrayView target = direct ? *view : dense(*view, scratch);
    if (!read_tile(kernels_, coded, rows_of(target), static_cast<std::byte*>(target.data), target.dtype, scratch)) {
        return base::fail(ErrorCode::protocol, "a tile of this payload is damaged");
    }
    if (!direct) {
        array::copy(*view, target);
    }
    return {};
}

}  // namespace staithe::transform::dq
