#include "stream/recording/local_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/text.hpp"
#include "format/conventions.hpp"

namespace staithe::stream {
namespace {

/// A number is a row by itself.
Extents shape_in_rows(const Extents& shape) { return shape.empty() ? Extents{1} : shape; }

bool are_rows_alike(const Extents& a, const Extents& b) {
    return std::ranges::equal(a.begin() + 1, a.end(), b.begin() + 1, b.end());
}

format::ArrayInfo info_of_rows(const Variable& variable) {
    return {.name = variable.name(),
            .dtype = variable.dtype(),
            .shape = shape_in_rows(variable.blocks().front().box.count),
            .unit = variable.unit(),
            .attributes = variable.attributes()};
}

}  // namespace

std::string rows_name(const std::string& variable) { return variable + "_rows"; }

format::ArrayToStore rows_together(const Variable& variable, std::vector<View>& held) {
    const std::vector<BlockInfo> blocks = variable.blocks();
    format::ArrayToStore array{{.info = info_of_rows(variable), .parts = {}}};
    std::int64_t& rows = array.info.shape[0] = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const Extents shape = shape_in_rows(blocks[i].box.count);
        if (!are_rows_alike(shape, array.info.shape)) {
            base::raise({ErrorCode::invalid_argument,
                         fmt::format("'{}' is local arrays, {} of rank {} and {} of rank {}, whose rows make no array "
                                     "together: put it with offset and shape to record it",
                                     base::printable(variable.name()), to_string(blocks.front().box.count),
                                     blocks.front().rank, to_string(blocks[i].box.count), blocks[i].rank)});
        }
        held.push_back(variable.block(i));
        const ArrayView& elements = held.back().array;
        if (shape[0] > 0) {
            Box box = Box::whole(shape);
            box.offset[0] = rows;
            array.parts.push_back(
                {box, elements.shape.empty() ? ArrayView::row_major(elements.data, elements.dtype, {1}) : elements});
        }
        rows += shape[0];
    }
    return array;
}

format::ArrayToStore rows_of_ranks(const Variable& variable, int ranks, std::vector<View>& held) {
    const std::vector<BlockInfo> blocks = variable.blocks();
    const auto rows = std::make_shared<std::vector<std::int64_t>>(static_cast<std::size_t>(ranks), no_rows);
    for (const BlockInfo& block : blocks) {
        (*rows)[static_cast<std::size_t>(block.rank)] = shape_in_rows(block.box.count)[0];
    }
    const Extents shape{ranks};
    held.push_back({ArrayView::row_major(rows->data(), Dtype::i64, shape), rows});
    format::ArrayToStore array{
        {.info = {.name = rows_name(variable.name()),
                  .dtype = Dtype::i64,
                  .shape = shape,
                  .attributes = {{rows_of_attribute, variable.name()},
                                 {"sample_dimension",
                                  format::labels_of(info_of_rows(variable), false).dimensions.front()}}},
         .parts = {{Box::whole(shape), held.back().array}}}};
    if (blocks.front().box.dimensions() == 0) {
        array.info.attributes[scalars_attribute] = true;
    }
    return array;
}

}  // namespace staithe::stream
