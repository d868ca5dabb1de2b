// Arrays a chunk at a time, as the kernels take them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <staithe/array_view.hpp>

#include "array/conversion.hpp"
#include "array/strided_copy.hpp"
#include "base/rounding.hpp"
#include "store/space/kernels.hpp"

namespace staithe::store::space {

/// Calls visit(box) for boxes of at most `chunk_elements`, which together are an array of that shape, in C order: each
/// has all of the last dimensions, a range of one, and one index of those before.
template <class Visit>
void for_each_chunk(const Extents& shape, const Visit& visit) {
    if (is_empty(shape)) {
        return;
    }
    std::size_t cut = shape.size();  // the dimension of which a chunk has a range
    std::int64_t inner = 1;
    while (cut > 0 && inner * shape[cut - 1] <= chunk_elements) {
        inner *= shape[--cut];
    }
    if (cut == 0) {
        visit(Box::whole(shape));
        return;
    }
    --cut;
    const std::int64_t most = chunk_elements / inner;
    const std::int64_t parts = base::quotient_up(shape[cut], most);
    Box box = Box::whole(shape);
    std::fill_n(box.count.begin(), cut, 1);
    while (true) {
        for (std::int64_t part = 0; part < parts; ++part) {  // of about the same size
            box.offset[cut] = shape[cut] / parts * part + std::min(part, shape[cut] % parts);
            box.count[cut] = shape[cut] / parts + (part < shape[cut] % parts ? 1 : 0);
            visit(box);
        }
        std::size_t dimension = cut;
        while (dimension > 0 && ++box.offset[dimension - 1] == shape[dimension - 1]) {
            box.offset[--dimension] = 0;
        }
        if (dimension == 0) {
            return;
        }
    }
}

/// Gives the elements of chunks, in the dtype that they are compared as, or another to which the cast is safe: in place
/// where they lie so, else copied, until
/// the next chunk.
class ChunkReader {
  public:
    explicit ChunkReader(const ArrayView& array) : ChunkReader(array, compared_as(array.dtype)) {}
    ChunkReader(const ArrayView& array, Dtype dtype) : array_(array), dtype_(dtype) {}

    const std::byte* read(const Box& box) {
        const ArrayView chunk = slice(array_, Selection(box));
        if (chunk.dtype == dtype_ && is_row_major(chunk) && is_aligned(chunk)) {
            return static_cast<const std::byte*>(chunk.data);
        }
        if (!copied_) {
            copied_ =
                std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(chunk_elements * size_of(dtype_)));
        }
        const auto copy = MutableArrayView::row_major(copied_.get(), dtype_, chunk.shape);
        if (chunk.dtype == dtype_) {
            array::copy(copy, chunk);
        } else {
            array::convert(copy, chunk);
        }
        return copied_.get();
    }

  private:
    /// As its type wants it, or more. Whoever asks a process for elements may say that they lie anywhere.
    static bool is_aligned(const ArrayView& array) {
        const auto most = static_cast<std::int64_t>(alignof(std::max_align_t));
        const auto wanted = static_cast<std::uintptr_t>(std::min(size_of(array.dtype), most));
        return reinterpret_cast<std::uintptr_t>(array.data) % wanted == 0;
    }

    ArrayView array_;
    Dtype dtype_;
    std::unique_ptr<std::byte[]> copied_;
};

}  // namespace staithe::store::space
