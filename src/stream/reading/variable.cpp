// The public edge of reading: staithe::Variable, how selections find their blocks.
#include <algorithm>
#include <utility>

#include <staithe/reader.hpp>

#include "array/conversion.hpp"
#include "array/decomposition.hpp"
#include "array/overlap.hpp"
#include "stream/reading/consumer.hpp"

namespace staithe {

using base::value_or_raise;

namespace {

void check_selection(const Variable& variable, const Selection& selection) {
    if (selection.size() != variable.shape().size()) {
        base::raise({ErrorCode::invalid_argument,
                     fmt::format("variable '{}' has {} dimensions, {}, the selection {} has {}", variable.name(),
                                 variable.shape().size(), to_string(variable.shape()), to_string(selection),
                                 selection.size())});
    }
    if (!fits(selection, variable.shape())) {
        base::raise({ErrorCode::invalid_argument,
                     fmt::format("variable '{}': the selection {} does not lie in its shape {}", variable.name(),
                                 to_string(selection), to_string(variable.shape()))});
    }
}

/// One dimension holds as many elements of any shape, in C order.
MutableArrayView as_shape(const Extents& shape, const MutableArrayView& row) {
    if (row.dimensions() != 1 || shape.size() == 1 || row.shape[0] != volume(shape)) {
        return row;
    }
    return {row.data, row.dtype, shape, row_major_strides(shape, row.strides[0])};
}

const stream::PlacedBlock& block_at(const stream::VariableLayout& layout, std::size_t index) {
    if (index >= layout.blocks.size()) {
        base::raise(
            {ErrorCode::invalid_argument, fmt::format("variable '{}' has {} blocks, there is no block {}",
                                                      layout.description->variable, layout.blocks.size(), index)});
    }
    return layout.blocks[index];
}

}  // namespace

Variable::Variable(std::shared_ptr<const stream::StepView> step, const stream::VariableLayout* layout)
    : step_(std::move(step)), layout_(layout) {}

const std::string& Variable::name() const { return layout_->description->variable; }
Dtype Variable::dtype() const { return layout_->description->dtype; }
bool Variable::is_local() const { return layout_->description->local; }
const std::string& Variable::unit() const { return layout_->description->unit; }
const Attributes& Variable::attributes() const { return layout_->description->attributes; }

const Extents& Variable::shape() const {
    if (is_local() && layout_->blocks.size() > 1) {
        base::raise(
            {ErrorCode::invalid_argument,
             fmt::format("variable '{}' is {} local arrays, one a writer rank, and has no shape of its own: take "
                         "its blocks, or the share \"process\"",
                         name(), layout_->blocks.size())});
    }
    return layout_->description->shape;
}

std::vector<BlockInfo> Variable::blocks() const {
    std::vector<BlockInfo> infos;
    infos.reserve(layout_->blocks.size());
    for (const stream::PlacedBlock& block : layout_->blocks) {
        infos.push_back({block.rank, block.description->box});
    }
    return infos;
}

View Variable::block(std::size_t index) const {
    const stream::PlacedBlock& block = block_at(*layout_, index);
    const monitor::Span span(step_->mappings->tracer, "view", step_->number);
    return {value_or_raise(step_->data_of(block)), step_};
}

std::optional<View> Variable::view(const Selection& selection) const {
    check_selection(*this, selection);
    const Extents wanted = shape_of(selection);
    for (const stream::PlacedBlock& block : layout_->blocks) {
        const auto common = array::overlap(block.description->box, selection);
        if (common && common->destination.count == wanted) {
            const monitor::Span span(step_->mappings->tracer, "view", step_->number);
            return View{slice(value_or_raise(step_->data_of(block)), common->source), step_};
        }
        if (common) {
            return std::nullopt;  // a part lies here, so no other block holds it all
        }
    }
    return std::nullopt;
}

void Variable::read(const Selection& selection, const MutableArrayView& destination) const {
    check_selection(*this, selection);
    const Extents wanted = shape_of(selection);
    const MutableArrayView shaped = as_shape(wanted, destination);
    if (shaped.shape != wanted) {
        base::raise({ErrorCode::invalid_argument,
                     fmt::format("variable '{}': the selection has the shape {}, the destination {}", name(),
                                 to_string(wanted), to_string(shaped.shape))});
    }
    if (!is_safe_cast(dtype(), shaped.dtype)) {
        base::raise({ErrorCode::invalid_argument,
                     fmt::format("variable '{}' is {}: as {} {} would be lost. Read it as {}, and convert that", name(),
                                 name_of(dtype()), name_of(shaped.dtype), array::what_is_lost(dtype(), shaped.dtype),
                                 name_of(dtype()))});
    }
    if (is_empty(selection)) {
        return;
    }
    const monitor::Span span(step_->mappings->tracer, "read", step_->number,
                             size_in_bytes(wanted, dtype()).value_or(0));
    std::int64_t covered = 0;
    for (const stream::PlacedBlock& block : layout_->blocks) {
        if (const auto common = array::overlap(block.description->box, selection)) {
            array::copy(*common, shaped, value_or_raise(step_->data_of(block)));
            covered += volume(common->destination.count).value_or(0);
        }
    }
    if (const std::int64_t asked = volume(wanted).value_or(0); covered < asked) {
        base::raise(
            {ErrorCode::not_found, fmt::format("step {}: no rank wrote {} of the {} elements {} of variable '{}'",
                                               step_->number, asked - covered, asked, to_string(selection), name())});
    }
}

Selection Variable::part(Share share, const Group& group) const {
    switch (share) {
        case Share::block: return Selection(array::block_share(shape(), group.rank, group.size));
        case Share::count: return Selection(array::count_share(shape(), group.rank, group.size));
        case Share::round: return array::round_share(shape(), group.rank, group.size);
        case Share::process: break;
    }
    base::raise({ErrorCode::invalid_argument,
                 "the share \"process\" is whole blocks, not one selection: ask for the share's blocks"});
}

std::vector<std::size_t> Variable::share_of_blocks(const Group& group) const {
    const array::Range ranks =
        array::process_share(static_cast<std::int64_t>(step_->records.size()), group.rank, group.size);
    std::vector<std::size_t> mine;
    for (std::size_t i = 0; i < layout_->blocks.size(); ++i) {
        const int rank = layout_->blocks[i].rank;
        if (rank >= ranks.first && rank < ranks.first + ranks.count) {
            mine.push_back(i);
        }
    }
    return mine;
}

}  // namespace staithe
