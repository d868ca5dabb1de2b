#include "format/hdf5/writer_state.hpp"

#include "base/text.hpp"
#include "format/conventions.hpp"
#include "format/plan.hpp"

namespace staithe::format::hdf5 {
namespace {

using base::fail;

/// Whether its last chunk is where a writer would go on from: who made the file may be anybody.
bool can_grow(const Image& image, const Dataset& dataset, const ChunkIndex& index) {
    const ArrayNode& node = dataset.node;
    const std::int64_t steps = *dataset.steps, bytes = bytes_of(node.grid, node.info.dtype);
    const auto boxes = boxes_of(node.grid, node.info.shape);
    const bool is_packed = node.packing != Packing::none;
    const bool is_coded = node.packing == Packing::coded;  // anew by another program: no recorder writes so
    if (is_coded || (is_packed && node.grid.steps > 1) || bytes > UINT32_MAX) {
        return false;
    }
    if (steps == 0 || boxes.empty()) {
        return index.is_empty();
    }
    const auto last_bytes = is_packed ? index.is_empty() ? 0 : index.last().bytes : static_cast<Address>(bytes);
    return !index.is_empty() && index.newest() == chunk_offset(node, steps - 1, boxes.back()) &&
           index.last().address >= Superblock::bytes && image.has(index.last().address, last_bytes);
}

base::Result<Growing> grow(const Image& image, const Dataset& dataset) {
    const bool has_tree = dataset.layout.chunk && dataset.layout.index == IndexKind::old_tree;
    auto index = ChunkIndex::load(image, has_tree ? dataset.layout.address : nowhere, chunk_shape(dataset.node, true));
    if (!index) {
        return fail(std::move(index));
    }
    if (!has_tree || !can_grow(image, dataset, *index)) {
        return fail(ErrorCode::invalid_argument,
                    "the array '{}' was written by another program, or is damaged: nothing can be added to it",
                    base::printable(dataset.node.info.name));
    }
    return Growing(dataset, *std::move(index));
}

}  // namespace

Growing::Growing(Dataset begun, ChunkIndex chunks) : dataset(std::move(begun)), index(std::move(chunks)) {
    attributes.set(kept_attributes(dataset.node.info, dataset.steps.has_value()));
}

Growing::Growing(const Dataset& begun) : Growing(begun, ChunkIndex(chunk_shape(begun.node, begun.steps.has_value()))) {
    if (dataset.steps || dataset.node.packing != Packing::none) {
        dataset.layout.chunk = chunk_shape(dataset.node, dataset.steps.has_value()).lengths;
    }
}

base::Result<WriterState> state_of(const os::FileDescriptor& file, const Store& store) {
    const Image image(file, store.superblock.end);
    WriterState state{.end = aligned(store.superblock.end), .newest = store.newest()};
    for (const Dataset& dataset : store.arrays) {
        auto array = grow(image, dataset);
        if (!array) {
            return fail(std::move(array));
        }
        state.arrays.push_back(*std::move(array));
    }
    auto numbers = grow(image, store.numbers_array), texts = grow(image, store.texts_array);
    if (!numbers || !texts) {
        return fail(numbers ? std::move(texts) : std::move(numbers));
    }
    state.numbers = *std::move(numbers);
    state.texts = *std::move(texts);
    for (const auto& [step, apart] : store.apart) {
        state.apart.newest.push_back({MessageKind::link, encode_link(group_of(step), apart.group)});
    }
    return state;
}

}  // namespace staithe::format::hdf5
