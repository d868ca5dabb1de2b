#include "format/hdf5/datasets.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/fields.hpp"
#include "base/text.hpp"
#include "format/conventions.hpp"
#include "format/hdf5/objects.hpp"
#include "format/hdf5/texts.hpp"
#include "format/packing.hpp"

namespace staithe::format::hdf5 {
namespace {

using base::fail;

/// Of dimensions, as HDF5's own library names them (H5DSset_label).
constexpr const char* labels_attribute = "DIMENSION_LABELS";
/// Of the size of a reference to a text.
constexpr Dtype dtype_of_texts = Dtype::c128;
static_assert(size_of(dtype_of_texts) == bytes_of_reference);

tl::unexpected<base::Failure> unreadable(const std::string& name, const std::string& why) {
    return fail(ErrorCode::protocol, "the array '{}' {}", base::printable(name), why);
}

void take_attributes(Attributes attributes, bool lies_along_steps, ArrayInfo& info) {
    const auto names = attributes.extract(labels_attribute);
    const List* const list = names.empty() ? nullptr : names.mapped().as_list();
    take_labels({std::move(attributes), list == nullptr ? List() : *list}, lies_along_steps, info);
}

/// Of a chunk, or of the whole: the step first, if it is along steps.
std::optional<Extents> rest_of(const Shape& shape, std::int64_t* first) {
    const std::size_t begin = first == nullptr ? 0 : 1;
    if (shape.size() < begin || shape.size() > max_dimensions + begin ||
        std::ranges::any_of(shape,
                            [](std::uint64_t length) { return length > static_cast<std::uint64_t>(INT64_MAX); })) {
        return std::nullopt;
    }
    Extents rest;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i < begin) {
            *first = static_cast<std::int64_t>(shape[i]);
        } else {
            rest.push_back(static_cast<std::int64_t>(shape[i]));
        }
    }
    return rest;
}

base::Result<> take_chunks(const std::string& name, Dataset& dataset) {
    ChunkGrid& grid = dataset.node.grid;
    const ArrayInfo& info = dataset.node.info;
    if (!dataset.layout.chunk) {  // which is like one chunk of all
        grid = grid_for(info.shape, info.dtype, false);
        const auto bytes = size_in_bytes(info.shape, info.dtype);
        return bytes && dataset.layout.bytes == static_cast<std::uint64_t>(*bytes) && !dataset.steps &&
                       is_readable(grid, info.shape)
                   ? base::Result<>()
                   : unreadable(name, "has other bytes than its shape takes");
    }
    const auto count = rest_of(*dataset.layout.chunk, dataset.steps ? &grid.steps : nullptr);
    const auto bytes = count ? size_in_bytes(*count, info.dtype) : std::nullopt;
    if (!bytes || count->size() != info.shape.size() || grid.steps > INT64_MAX / std::max<std::int64_t>(1, *bytes)) {
        return unreadable(name, "has chunks that cannot be");
    }
    grid.count = *count;
    if (dataset.node.packing != Packing::none && bytes_of(grid, info.dtype) > most_packed_bytes) {
        return unreadable(name, "has compressed chunks that cannot be so large");
    }
    return is_readable(grid, info.shape) ? base::Result<>()
                                         : unreadable(name,
                                                      "is cut into chunks in which elements do not lie as in the "
                                                      "array, which this version does not read");
}

}  // namespace

Dataset numbers_dataset() {
    return {.node = {.info = {.name = numbers_name, .dtype = Dtype::i64}, .grid = grid_for({}, Dtype::i64)},
            .steps = 0,
            .layout = {}};
}

Dataset texts_dataset() {
    return {.node = {.info = {.name = attributes_name, .dtype = dtype_of_texts}, .grid = grid_for({}, dtype_of_texts)},
            .holds = Holds::texts,
            .steps = 0,
            .layout = {}};
}

ChunkShape chunk_shape(const ArrayNode& node, bool lies_along_steps) {
    ChunkShape shape{.lengths = {}, .element_bytes = size_of(node.info.dtype)};
    if (lies_along_steps) {
        shape.lengths.push_back(static_cast<std::uint64_t>(node.grid.steps));
    }
    shape.lengths.insert(shape.lengths.end(), node.grid.count.begin(), node.grid.count.end());
    return shape;
}

ChunkOffset chunk_offset(const ArrayNode& node, std::optional<std::int64_t> step, const Box& box) {
    ChunkOffset offset{};
    auto* next = offset.data();
    if (step) {
        *next++ = static_cast<std::uint64_t>(*step - *step % node.grid.steps);
    }
    std::ranges::copy(box.offset, next);
    return offset;
}

Attributes kept_attributes(const ArrayInfo& info, bool lies_along_steps) {
    Labels labels = labels_of(info, lies_along_steps);
    if (!labels.dimensions.empty()) {
        labels.attributes[labels_attribute] = std::move(labels.dimensions);
    }
    return std::move(labels.attributes);
}

std::vector<Message> encode(const Dataset& dataset) {
    const ArrayInfo& info = dataset.node.info;
    const std::int64_t element_bytes = size_of(info.dtype);
    Shape shape;
    if (dataset.steps) {
        shape.push_back(static_cast<std::uint64_t>(*dataset.steps));
    }
    shape.insert(shape.end(), info.shape.begin(), info.shape.end());
    std::vector<Message> messages{
        {MessageKind::dataspace, encode_dataspace(shape, dataset.steps.has_value())},
        {MessageKind::datatype, dataset.holds == Holds::texts ? encode_text_type() : encode_datatype(info.dtype)},
        {MessageKind::fill_value, encode_fill_value(dataset.layout.chunk.has_value())},
        {MessageKind::layout, encode_layout(dataset.layout, element_bytes)}};
    if (const Packing packing = dataset.node.packing; packing != Packing::none) {
        messages.push_back({MessageKind::filters, encode_filters(dataset.node)});
    }
    return messages;
}

base::Result<Dataset> decode(const std::string& name, std::span<const Message> messages, const Attributes& attributes,
                             bool lies_along_steps) {
    const Message* const type = find_message(messages, MessageKind::datatype);
    const Message* const space = find_message(messages, MessageKind::dataspace);
    const Message* const layout = find_message(messages, MessageKind::layout);
    const Message* const filters = find_message(messages, MessageKind::filters);
    if (type == nullptr || space == nullptr || layout == nullptr) {
        return unreadable(name, "is none: its header does not say what it has");
    }
    const bool has_texts = is_text_type(type->content);
    const auto dtype = has_texts ? dtype_of_texts : dtype_in(type->content);
    if (!dtype) {
        return unreadable(name, "has elements that Staithe has no dtype for");
    }
    const auto packing = filters == nullptr ? Packing::none : packing_in(filters->content);
    if (!packing) {
        return unreadable(name,
                          "is compressed by a filter that this version does not read: only by blosc, or its own, as "
                          "it records itself");
    }
    const auto shape = shape_in(space->content);
    auto where = layout_in(layout->content, size_of(*dtype));
    if (!shape || !where) {
        return unreadable(name, shape ? where.error().message : shape.error().message);
    }
    std::int64_t steps = 0;
    const auto extents = rest_of(*shape, lies_along_steps ? &steps : nullptr);
    if (!extents || !size_in_bytes(*extents, *dtype)) {
        return unreadable(name, "has a shape that cannot be");
    }
    Dataset dataset{.node = {.info = {.name = name, .dtype = *dtype, .shape = *extents}, .packing = *packing},
                    .holds = has_texts ? Holds::texts : Holds::numbers,
                    .steps = lies_along_steps ? std::optional(steps) : std::nullopt,
                    .layout = *std::move(where)};
    if (auto taken = take_chunks(name, dataset); !taken) {
        return fail(std::move(taken));
    }
    take_attributes(attributes, lies_along_steps, dataset.node.info);
    return dataset;
}

}  // namespace staithe::format::hdf5
