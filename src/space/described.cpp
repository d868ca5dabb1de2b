#include "space/described.hpp"

#include <algorithm>

#include "array/strided_copy.hpp"
#include "base/text.hpp"
#include "base/value_codec.hpp"
#include "space/view.hpp"
#include "store/block.hpp"

namespace staithe::space {
namespace {

/// More than any name of a path in a file of HDF5.
constexpr std::size_t longest_name = 4096;

base::Result<> check_name_of(const char* what, const std::string& name, std::size_t least) {
    if (name.size() < least || name.size() > longest_name || name.find('\0') != std::string::npos ||
        !base::check(name)) {
        return base::fail(ErrorCode::invalid_argument, "a {}'s name is a text of {} to {} bytes: '{}'{} is none", what,
                          least, longest_name, base::printable(name.substr(0, 40)), name.size() > 40 ? "…" : "");
    }
    return {};
}

base::Result<store::BlockDescription> describe(const std::string& variable, const ArrayView& block,
                                               const SpacePut& options) {
    if (auto checked = check_variable(variable); !checked) {
        return base::fail(std::move(checked));
    }
    return store::placed({variable, block.dtype, false, store::runs_by_columns(block), block.shape,
                          Box::whole(block.shape), options.unit, options.attributes},
                         options.offset, options.shape);
}

/// More bytes than it pays to do anything for but to copy them.
constexpr std::int64_t most_at_once = std::int64_t{64} << 10;

}  // namespace

base::Result<> check_variable(const std::string& name) { return check_name_of("variable", name, 1); }
base::Result<> check_container(const std::string& path) { return check_name_of("container", path, 0); }

base::Result<store::space::Put> described(const std::string& variable, const ArrayView& block, const SpacePut& options,
                                          const store::space::Putter& by) {
    auto description = describe(variable, block, options);
    if (!description) {
        return base::fail(std::move(description));
    }
    if (by.ranks > 1 && !options.version && description->box.count != description->shape) {
        return base::fail(ErrorCode::invalid_argument,
                          "'{}': ranks that put a version together have to name it (version=)",
                          base::printable(variable));
    }
    return store::space::Put{.block = *std::move(description),
                             .version = options.version,
                             .by = by,
                             .completes = options.complete,
                             .may_cover = options.overlap.value_or(by.ranks == 1),
                             .persist = options.persist};
}

const std::byte* dense_bytes(const store::BlockDescription& description, const ArrayView& block) {
    return block.strides == description.dense_strides(block.shape) ? static_cast<const std::byte*>(block.data)
                                                                   : nullptr;
}

void fill(std::byte* memory, const store::BlockDescription& description, const ArrayView& block) {
    if (memory != block.data) {
        array::copy({memory, block.dtype, block.shape, description.dense_strides(block.shape)}, block);
    }
}

base::Result<std::int64_t> put_alone(Keeper& keeper, store::space::Put put, const ArrayView& block,
                                     const base::Deadline& deadline) {
    put.dense = dense_bytes(put.block, block);
    if (put.dense != nullptr && put.block.data_bytes() <= most_at_once) {
        const std::byte* const bytes = put.dense;
        return keeper.put({std::move(put), bytes}, deadline);
    }
    auto room = keeper.reserve(put, deadline);
    if (!room) {
        return base::fail(std::move(room));
    }
    fill(room->memory(), put.block, block);
    return keeper.put(std::move(put), *std::move(room), deadline);
}

base::Result<SpaceArray> array_in(const Found& found, const std::optional<Box>& box) {
    const Box wanted = box.value_or(found.whole.box);
    auto view = view_in(found, wanted);
    return view ? base::Result<SpaceArray>(SpaceArray{.variable = found.whole.variable,
                                                      .version = found.version,
                                                      .shape = found.whole.shape,
                                                      .box = wanted,
                                                      .unit = found.whole.unit,
                                                      .attributes = found.whole.attributes,
                                                      .view = *std::move(view)})
                : base::fail(std::move(view));
}

std::vector<Box> boxes_to_ask_for(std::span<const Box> boxes) {
    if (boxes.size() <= store::space::Wanted::most_boxes) {
        return {boxes.begin(), boxes.end()};
    }
    Box hull = boxes.front();
    for (const Box& box : boxes) {
        for (std::size_t i = 0; i < std::min(hull.dimensions(), box.dimensions()); ++i) {
            const std::int64_t end = std::max(hull.offset[i] + hull.count[i], box.offset[i] + box.count[i]);
            hull.offset[i] = std::min(hull.offset[i], box.offset[i]);
            hull.count[i] = end - hull.offset[i];
        }
    }
    return {hull};
}

base::Result<SpaceArray> values_in(const Found& found, std::span<const Box> boxes) {
    std::int64_t elements = 0;
    for (const Box& box : boxes) {
        if (!fits(box, found.whole.shape)) {
            return base::fail(ErrorCode::invalid_argument, "{} does not lie in '{}', whose shape is {}", to_string(box),
                              base::printable(found.whole.variable), to_string(found.whole.shape));
        }
        elements += volume(box.count).value_or(0);
    }
    const auto bytes = size_in_bytes({elements}, found.whole.dtype);
    if (!bytes) {
        return base::fail(ErrorCode::invalid_argument, "these boxes of '{}' have too many elements in all",
                          base::printable(found.whole.variable));
    }
    const auto memory = found.copies->take(*bytes);
    const store::space::Overlay overlay = overlay_of(found);
    std::byte* next = memory.get();
    for (const Box& box : boxes) {
        if (auto copied = copy_in(found, overlay, box, MutableArrayView::row_major(next, found.whole.dtype, box.count));
            !copied) {
            return base::fail(std::move(copied));
        }
        next += size_in_bytes(box.count, found.whole.dtype).value_or(0);
    }
    return SpaceArray{.variable = found.whole.variable,
                      .version = found.version,
                      .shape = {elements},
                      .box = Box::whole({elements}),
                      .unit = found.whole.unit,
                      .attributes = found.whole.attributes,
                      .view = {ArrayView::row_major(memory.get(), found.whole.dtype, {elements}), memory}};
}

}  // namespace staithe::space
