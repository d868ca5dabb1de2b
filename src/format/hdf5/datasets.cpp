#include "format/hdf5/datasets.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include "base/fields.hpp"
#include "base/text.hpp"
#include "format/conventions.hpp"
#include "format/hdf5/datatypes.hpp"
#include "format/hdf5/objects.hpp"
#include "format/hdf5/texts.hpp"
#include "format/packing.hpp"

namespace staithe::format::hdf5 {
namespace {

using base::fail;

/// Filters by their numbers, which HDF5 has, and who registers them.
constexpr std::array known_filters{
    std::pair{std::uint16_t{1}, FilterKind::zlib},       std::pair{std::uint16_t{2}, FilterKind::shuffle},
    std::pair{std::uint16_t{3}, FilterKind::fletcher32}, std::pair{std::uint16_t{32000}, FilterKind::lzf},
    std::pair{blosc_filter, FilterKind::blosc},          std::pair{std::uint16_t{32015}, FilterKind::zstd}};
/// Of the size of a reference to a text.
constexpr Dtype dtype_of_texts = Dtype::c128;
static_assert(size_of(dtype_of_texts) == bytes_of_reference);

tl::unexpected<base::Failure> unreadable(const std::string& name, const std::string& why) {
    return fail(ErrorCode::protocol, "the array '{}' {}", base::printable(name), why);
}

void take_attributes(Attributes attributes, bool lies_along_steps, ArrayInfo& info) {
    if (base::text_field(attributes, "CLASS").value_or("") == "DIMENSION_SCALE") {  // which is the layout's business
        attributes.erase("CLASS");
        attributes.erase("NAME");
    }
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

/// Elements that lie together are like one chunk of each step.
base::Result<> take_together(const std::string& name, Dataset& dataset) {
    const ArrayInfo& info = dataset.node.info;
    dataset.node.grid = grid_for(info.shape, info.dtype, false);
    const auto bytes = size_in_bytes(info.shape, info.dtype);
    const std::int64_t steps = dataset.steps.value_or(1);
    return bytes && steps <= INT64_MAX / std::max<std::int64_t>(1, *bytes) &&
                   dataset.layout.bytes == static_cast<std::uint64_t>(*bytes * steps) &&
                   is_readable(dataset.node.grid, info.shape)
               ? base::Result<>()
               : unreadable(name, "has other bytes than its shape takes");
}

base::Result<> take_chunks(const std::string& name, Dataset& dataset) {
    ChunkGrid& grid = dataset.node.grid;
    const ArrayInfo& info = dataset.node.info;
    if (!dataset.layout.chunk) {
        return take_together(name, dataset);
    }
    const auto count = rest_of(*dataset.layout.chunk, dataset.steps ? &grid.steps : nullptr);
    const auto bytes = count ? size_in_bytes(*count, info.dtype) : std::nullopt;
    if (!bytes || count->size() != info.shape.size() || grid.steps > INT64_MAX / std::max<std::int64_t>(1, *bytes)) {
        return unreadable(name, "has chunks that cannot be");
    }
    grid.count = *count;
    Packing& packing = dataset.node.packing;
    if (dataset.node.coding && !is_readable(grid, info.shape)) {
        packing = Packing::coded;
    }
    if (packing != Packing::none && bytes_of(grid, info.dtype) > most_packed_bytes) {
        return unreadable(name, "has compressed chunks that cannot be so large");
    }
    return (packing == Packing::coded ? are_few_enough(grid, info.shape) : is_readable(grid, info.shape))
               ? base::Result<>()
               : unreadable(name,
                            "is cut into more chunks than can be, or, by a filter of Staithe, along other "
                            "dimensions than the first ones");
}

/// What chunks went through, undone in turn.
base::Result<> take_filters(std::span<const FilterMessage> filters, bool is_big_endian, ArrayNode& node) {
    if (filters.size() == 1 && filters.front().number == payload_filter) {
        node.packing = Packing::payload;
        return {};
    }
    ChunkCoding coding{.is_big_endian = is_big_endian && size_of(node.info.dtype) > 1};
    for (const FilterMessage& filter : filters) {
        const auto* const known =
            std::ranges::find(known_filters, filter.number, &std::pair<std::uint16_t, FilterKind>::first);
        if (known == known_filters.end()) {
            return fail(ErrorCode::protocol,
                        "is compressed by the filter {}, which this version does not read: write it anew, as by "
                        "'h5repack --filter=GZIP=1'",
                        filter.number);
        }
        const bool is_shuffle = known->second == FilterKind::shuffle && !filter.told.empty();
        coding.filters.push_back({known->second, is_shuffle ? std::int64_t{filter.told.front()} : 1});
    }
    if (!can_be_undone(coding.filters)) {
        return fail(ErrorCode::protocol, "is compressed by several filters, one after the other");
    }
    const bool is_blosc = coding.filters == std::vector{Filter{FilterKind::blosc}};
    node.packing = coding.is_big_endian || (!coding.filters.empty() && !is_blosc) ? Packing::coded
                   : is_blosc                                                     ? Packing::blosc
                                                                                  : Packing::none;
    node.coding = std::make_shared<const ChunkCoding>(std::move(coding));
    return {};
}

/// As it is in memory.
FillValue fill_of(std::span<const Message> messages, const ElementType& type) {
    const Message* const said = find_message(messages, MessageKind::fill_value);
    const Message* const of_old = said != nullptr ? said : find_message(messages, MessageKind::old_fill_value);
    FillValue fill{};
    const auto value = of_old == nullptr ? std::span<const std::byte>() : fill_value_of(*of_old);
    if (std::cmp_equal(value.size(), size_of(type.dtype))) {
        std::ranges::copy(value, fill.begin());
        if (type.is_big_endian) {
            swap_bytes(std::span(fill).first(value.size()), type.dtype);
        }
    }
    return fill;
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
    if (find_message(messages, MessageKind::other_files) != nullptr) {
        return unreadable(name, "has its elements in other files (external storage), which this version does not read");
    }
    const bool has_texts = is_text_type(type->content);
    const auto element = has_texts ? std::optional(ElementType{dtype_of_texts}) : element_type_in(type->content);
    if (!element) {
        return unreadable(name, "has elements that Staithe has no dtype for");
    }
    ArrayNode node{.info = {.name = name, .dtype = element->dtype}};
    const auto all = filters == nullptr ? base::Result<std::vector<FilterMessage>>({}) : filters_in(filters->content);
    const auto taken_filters = all ? take_filters(*all, element->is_big_endian, node) : base::Result<>(fail(all));
    if (!taken_filters) {
        return unreadable(name, taken_filters.error().message);
    }
    node.fill = fill_of(messages, *element);
    auto extent = dataspace_in(space->content);
    auto where = extent ? layout_in(*layout, *std::move(extent), size_of(element->dtype)) : fail(std::move(extent));
    if (!where) {
        return unreadable(name, where.error().message);
    }
    std::int64_t steps = 0;
    const auto extents = rest_of(where->space.shape, lies_along_steps ? &steps : nullptr);
    if (!extents || !size_in_bytes(*extents, element->dtype)) {
        return unreadable(name, "has a shape that cannot be");
    }
    node.info.shape = *extents;
    Dataset dataset{.node = std::move(node),
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
