// The public edge of reading: staithe::Variable, how selections find their blocks.
#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include <staithe/reader.hpp>

#include "array/conversion.hpp"
#include "array/decomposition.hpp"
#include "array/overlap.hpp"
#include "store/reducing/reduction.hpp"
#include "stream/reading/reduced.hpp"
#include "stream/reading/step.hpp"

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

/// That it has that shape, and holds all values of that dtype. `variable` and `selection` are for messages.
void check_destination(const std::string& variable, const char* selection, Dtype dtype, const Extents& shape,
                       const MutableArrayView& destination) {
    if (destination.shape != shape) {
        base::raise(
            {ErrorCode::invalid_argument, fmt::format("{}: {} has the shape {}, the destination {}", variable,
                                                      selection, to_string(shape), to_string(destination.shape))});
    }
    if (!is_safe_cast(dtype, destination.dtype)) {
        base::raise(
            {ErrorCode::invalid_argument,
             fmt::format("{} is {}: as {} {} would be lost. Read it as {}, and convert that", variable, name_of(dtype),
                         name_of(destination.dtype), array::what_is_lost(dtype, destination.dtype), name_of(dtype))});
    }
}

/// One dimension holds as many elements of any shape, in C order.
MutableArrayView as_shape(const Extents& shape, const MutableArrayView& row) {
    if (row.dimensions() != 1 || shape.size() == 1 || row.shape[0] != volume(shape)) {
        return row;
    }
    return {row.data, row.dtype, shape, row_major_strides(shape, row.strides[0])};
}

void check_block(const stream::VariableLayout& layout, std::size_t index) {
    if (index >= layout.blocks.size()) {
        base::raise(
            {ErrorCode::invalid_argument, fmt::format("variable '{}' has {} blocks, there is no block {}",
                                                      layout.description->variable, layout.blocks.size(), index)});
    }
}

/// In memory of its own, in the order of the block, where the source has none to show.
View copy_of_piece(const stream::Step& step, const store::Piece& piece) {
    const Extents& shape = piece.overlap.destination.count;
    const Dtype dtype = piece.description->dtype;
    const auto memory = step.room_for(size_in_bytes(shape, dtype).value_or(0));
    const MutableArrayView copy{memory.get(), dtype, shape, piece.description->dense_strides(shape)};
    value_or_raise(step.source->fetch(step.blocks, std::span(&piece, 1), copy));
    return {copy, memory};
}

/// In place, where its source has memory to show.
View view_of_piece(const std::shared_ptr<const stream::Step>& step, const store::Piece& piece) {
    const monitor::Span span(step->tracer, "view", step->number);
    if (const auto kept = value_or_raise(step->kept(piece))) {
        return *kept;
    }
    if (const auto shown = value_or_raise(step->source->view(step->blocks[piece.block], *piece.description))) {
        return {slice(*shown, piece.overlap.source), step};
    }
    return copy_of_piece(*step, piece);
}

/// Of what there is, or what is wrong with it: raises an error that names the variable.
template <class T>
T value_of(const std::string& variable, base::Result<T> result) {
    if (!result) {
        base::raise({result.error().code, fmt::format("variable '{}': {}", variable, result.error().message)});
    }
    return *std::move(result);
}

View whole_block(const std::shared_ptr<const stream::Step>& step, std::size_t in_step,
                 const store::BlockDescription& block) {
    const Extents& count = block.box.count;
    return view_of_piece(step, {in_step, &block, {Box::whole(count), Selection::all(count)}});
}

}  // namespace

void View::copy_to(const MutableArrayView& destination) const {
    check_destination("a view", "it", array.dtype, array.shape, destination);
    array::copy({Box::whole(array.shape), Selection::all(array.shape)}, destination, array);
}

Variable::Variable(std::shared_ptr<const stream::Step> step, const stream::VariableLayout* layout)
    : step_(std::move(step)), layout_(layout) {}

const std::string& Variable::name() const { return layout_->description->variable; }
Dtype Variable::dtype() const { return layout_->description->dtype; }
bool Variable::is_local() const { return layout_->description->local; }
const std::string& Variable::unit() const { return layout_->description->unit; }
const Attributes& Variable::attributes() const { return layout_->description->attributes; }
const codecs::Bound& Variable::error() const { return layout_->description->error; }

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
    for (std::size_t i = 0; i < layout_->blocks.size(); ++i) {
        infos.push_back({layout_->blocks[i].rank, layout_->box(i)});
    }
    return infos;
}

View Variable::block(std::size_t index) const {
    check_block(*layout_, index);
    const std::size_t in_step = layout_->blocks[index].index;
    return index == 0 ? whole_block(step_, in_step, *layout_->description)
                      : whole_block(step_, in_step, layout_->describe(index));
}

bool Variable::comes_from_afar() const { return step_->source->is_far(); }

std::optional<View> Variable::view(const Selection& selection) const {
    check_selection(*this, selection);
    const auto plan = layout_->plans->of(*layout_, selection);
    if (plan->pieces.size() != 1 || plan->pieces.front().overlap.destination.count != shape_of(selection)) {
        return std::nullopt;
    }
    return view_of_piece(step_, plan->pieces.front());
}

void Variable::read(const Selection& selection, const MutableArrayView& destination) const {
    check_selection(*this, selection);
    const Extents wanted = shape_of(selection);
    const MutableArrayView shaped = as_shape(wanted, destination);
    check_destination(fmt::format("variable '{}'", name()), "the selection", dtype(), wanted, shaped);
    if (is_empty(selection)) {
        return;
    }
    const std::int64_t asked = volume(wanted).value_or(0);
    const monitor::Span span(step_->tracer, "read", step_->number, asked * size_of(dtype()));
    const auto plan = layout_->plans->of(*layout_, selection);
    value_or_raise(step_->source->fetch(step_->blocks, plan->pieces, shaped));
    value_or_raise(check_is_whole(*plan, name(), step_->number));
}

View Variable::reduce(const std::string& how, const std::optional<Selection>& selection,
                      const std::optional<std::vector<std::int64_t>>& axes) const {
    return value_of(name(), stream::result_of(reduced(how, selection, axes).reduction));
}

stream::Reduced Variable::reduced(const std::string& how, const std::optional<Selection>& selection,
                                  const std::optional<std::vector<std::int64_t>>& axes) const {
    const Selection of = selection.value_or(Selection::all(shape()));
    check_selection(*this, of);
    auto reduction = value_of(name(), store::reducing::Reduction::make(how, dtype(), Box::whole(shape_of(of)), axes));
    if (!is_empty(of)) {
        const monitor::Span span(step_->tracer, "reduce", step_->number,
                                 size_in_bytes(shape_of(of), dtype()).value_or(0));
        const auto plan = layout_->plans->of(*layout_, of);
        value_or_raise(check_is_whole(*plan, name(), step_->number));
        value_or_raise(step_->source->reduce(step_->blocks, plan->pieces, reduction));
    }
    return {std::move(reduction)};
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
        array::process_share(static_cast<std::int64_t>(step_->layout->ranks()), group.rank, group.size);
    const auto first_of = [&](std::int64_t rank) {
        return std::partition_point(layout_->blocks.begin(), layout_->blocks.end(),
                                    [rank](const stream::PlacedBlock& block) { return block.rank < rank; });
    };
    const auto first = first_of(ranks.first);
    std::vector<std::size_t> mine(static_cast<std::size_t>(first_of(ranks.first + ranks.count) - first));
    std::iota(mine.begin(), mine.end(), static_cast<std::size_t>(first - layout_->blocks.begin()));
    return mine;
}

}  // namespace staithe
