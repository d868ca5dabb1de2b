#include "format/packing.hpp"

#include <cstdint>
#include <memory>
#include <utility>

#include "array/strided_copy.hpp"
#include "base/rounding.hpp"
#include "format/blosc.hpp"
#include "transform/coding.hpp"
#include "transform/helpers.hpp"
#include "transform/kept_memory.hpp"

namespace staithe::format {
namespace {

Extents behind(std::int64_t first, const Extents& others) {
    Extents all{first};
    for (const std::int64_t each : others) {
        all.push_back(each);
    }
    return all;
}

/// Other programs that write a chunk (staithe.codecs.zarr) encode the step along with it.
Extents with_a_step(const Extents& shape) { return behind(1, shape); }

/// What the payload has, if that is the part's chunk.
base::Result<Extents> shape_of(const StoredPart& part, std::span<const std::byte> payload) {
    const auto info = transform::inspect(payload);
    if (!info) {
        return base::fail(info);
    }
    const bool is_the_chunk = info->shape == part.packed_shape || (part.packed_shape.size() < max_dimensions &&
                                                                   info->shape == with_a_step(part.packed_shape));
    if (info->dtype != part.dtype || !is_the_chunk || info->raw_bytes != part.packed_bytes) {
        return base::fail(ErrorCode::protocol, "what should be {} {}, encoded, is {} {}", name_of(part.dtype),
                          to_string(part.packed_shape), name_of(info->dtype), to_string(info->shape));
    }
    return info->shape;
}

base::Result<> unpack_payload(const StoredPart& part, std::span<const std::byte> payload, const Box& box,
                              const MutableArrayView& elements) {
    const auto shape = shape_of(part, payload);
    if (!shape) {
        return base::fail(shape);
    }
    if (shape->size() == part.packed_shape.size()) {
        return transform::decode(payload, elements, box, transform::background_threads);
    }
    const Box of_step{behind(0, box.offset), behind(1, box.count)};
    const MutableArrayView to{elements.data, elements.dtype, of_step.count, behind(0, elements.strides)};
    return transform::decode(payload, to, of_step, transform::background_threads);
}

/// Bytes of a chunk that are unpacked together.
struct Run {
    std::int64_t first = 0;
    std::int64_t end = 0;
};

/// What has all of a box, and little else, in a chunk where the array with these strides begins at `start`. What lies
/// closer together than what is decompressed together is one run, so nothing is decompressed more than twice.
std::vector<Run> runs_of(const Box& box, const Extents& strides, std::int64_t start, std::int64_t item,
                         const BloscChunk& chunk) {
    std::size_t outer = 0;  // dimensions
    const auto stretch = [&] {
        std::int64_t bytes = item;
        for (std::size_t i = outer; i < box.dimensions(); ++i) {
            bytes += (box.count[i] - 1) * strides[i];
        }
        return bytes;
    };
    std::int64_t stretches = 1;
    for (; outer < box.dimensions() && stretch() > chunk.block_bytes(); ++outer) {
        stretches *= box.count[outer];
    }
    const std::int64_t bytes = stretch(), aligned = chunk.item_bytes();
    std::vector<Run> runs;
    for (std::int64_t number = 0; number < stretches; ++number) {
        std::int64_t first = start;
        for (std::size_t i = box.dimensions(); i > outer; --i) {
            first += box.offset[i - 1] * strides[i - 1];
        }
        std::int64_t rest = number;
        for (std::size_t i = outer; i > 0; --i) {
            first += (box.offset[i - 1] + rest % box.count[i - 1]) * strides[i - 1];
            rest /= box.count[i - 1];
        }
        if (runs.empty() || first > runs.back().end + chunk.block_bytes()) {
            runs.push_back({first / aligned * aligned, 0});
        }
        runs.back().end = base::round_up(first + bytes, aligned);
    }
    return runs;
}

base::Result<> unpack_runs(const StoredPart& part, std::span<const std::byte> packed, const Box& box,
                           const MutableArrayView& elements) {
    const auto chunk = BloscChunk::open(packed, part.packed_bytes);
    if (!chunk || is_empty(box)) {
        return chunk ? base::Result<>() : base::fail(chunk);
    }
    const std::int64_t item = size_of(part.dtype);
    const Extents strides = row_major_strides(part.packed_shape, item);
    const std::vector<Run> runs = runs_of(box, strides, part.offset, item, *chunk);
    const std::int64_t begin = runs.front().first, bytes = runs.back().end - begin;
    if (runs.back().end > part.packed_bytes) {
        return base::fail(ErrorCode::protocol, "a part is said to lie beyond its chunk");
    }
    const auto unpack_to = [&](std::byte* memory) -> base::Result<> {
        for (const Run& run : runs) {
            const std::span to(memory + (run.first - begin), static_cast<std::size_t>(run.end - run.first));
            if (auto done = chunk->unpack(run.first, to); !done) {
                return done;
            }
        }
        return {};
    };
    std::int64_t first = part.offset;
    for (std::size_t i = 0; i < box.dimensions(); ++i) {
        first += box.offset[i] * strides[i];
    }
    if (first == begin && is_row_major(elements) && size_in_bytes(box.count, part.dtype) == bytes) {
        return unpack_to(static_cast<std::byte*>(elements.data));
    }
    // Where nothing is unpacked to nothing is read, nor has it memory.
    const auto memory = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
    auto unpacked = unpack_to(memory.get());
    if (unpacked) {
        array::copy(elements, {memory.get() + (first - begin), part.dtype, box.count, strides});
    }
    return unpacked;
}

base::Result<> unpack_coded(const StoredPart& part, std::span<const std::byte> stored, const Box& box,
                            const MutableArrayView& elements) {
    const auto chunk = undo(part.coding->filters, part.left_out, stored, part.packed_bytes);
    if (!chunk || is_empty(box)) {
        return chunk ? base::Result<>() : base::fail(chunk);
    }
    std::int64_t first = part.offset, last = part.offset + size_of(part.dtype);
    for (std::size_t i = 0; i < box.dimensions(); ++i) {
        first += box.offset[i] * part.strides[i];
        last += (box.offset[i] + box.count[i] - 1) * part.strides[i];
    }
    if (last > part.packed_bytes) {
        return base::fail(ErrorCode::protocol, "a part is said to lie beyond its chunk");
    }
    if (part.coding->is_big_endian) {
        swap_bytes({chunk->get(), static_cast<std::size_t>(part.packed_bytes)}, part.dtype);
    }
    array::copy(elements, {chunk->get() + first, part.dtype, box.count, part.strides});
    return {};
}

}  // namespace

base::Result<std::span<const std::byte>> pack(const ArrayView& chunk, const ArrayToStore& array,
                                              std::vector<std::byte>& room) {
    if (array.packing == Packing::payload) {
        codecs::EncodeOptions coding = array.coding;
        coding.threads = transform::background_threads;
        auto payload = transform::encode(chunk, coding);
        if (!payload) {
            return base::fail(std::move(payload));
        }
        transform::give_back(std::exchange(room, *std::move(payload)));
        return room;
    }
    const auto bytes = static_cast<std::size_t>(size_in_bytes(chunk.shape, chunk.dtype).value_or(0));
    return pack_blosc({static_cast<const std::byte*>(chunk.data), bytes}, size_of(chunk.dtype),
                      blosc_way(array.coding.codec), room);
}

std::vector<std::int64_t> strides_of(const ChunkCoding& coding, std::span<const std::int64_t> shape, Dtype dtype) {
    std::vector<std::int64_t> strides(shape.size());
    std::int64_t stride = size_of(dtype);
    for (std::size_t i = shape.size(); i-- > 0;) {
        const std::size_t axis = coding.axes.empty() ? i : coding.axes[i];
        strides[axis] = stride;
        stride *= shape[axis];
    }
    return strides;
}

base::Result<> unpack(const StoredPart& part, std::span<const std::byte> packed, const Box& box,
                      const MutableArrayView& elements) {
    switch (part.packing) {
        case Packing::payload: return unpack_payload(part, packed, box, elements);
        case Packing::coded: return unpack_coded(part, packed, box, elements);
        default: return unpack_runs(part, packed, box, elements);
    }
}

void fill(const StoredPart& part, const MutableArrayView& elements) {
    const FillValue value = part.fill.value_or(FillValue{});
    array::copy(elements, {value.data(), part.dtype, elements.shape, Extents::filled(elements.dimensions(), 0)});
}

}  // namespace staithe::format
