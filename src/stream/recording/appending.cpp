#include "stream/recording/appending.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "store/block.hpp"
#include "transform/bound.hpp"
#include "transform/rounding.hpp"

namespace staithe::stream {
namespace {

using base::value_or_raise;

/// Its blocks as they lie in the memory of who wrote them; `held` keeps them.
format::ArrayToStore array_of(const Variable& variable, std::vector<View>& held) {
    const std::vector<BlockInfo> blocks = variable.blocks();
    if (variable.is_local() && blocks.size() > 1) {
        base::raise(
            {ErrorCode::invalid_argument,
             fmt::format("'{}' is {} local arrays, one a writer rank, which make no array together: put it with "
                         "offset and shape to record it",
                         base::printable(variable.name()), blocks.size())});
    }
    format::ArrayToStore array{{.info = {.name = variable.name(),
                                         .dtype = variable.dtype(),
                                         .shape = variable.shape(),
                                         .unit = variable.unit(),
                                         .attributes = variable.attributes()},
                                .parts = {}}};
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        held.push_back(variable.block(i));
        array.parts.push_back({blocks[i].box, held.back().array});
    }
    return array;
}

/// Has its elements rounded as they are stored.
void take_bound(const codecs::Bound& bound, format::ArrayToStore& array) {
    if (bound.kind == codecs::Bound::Kind::exact || array.parts.empty()) {
        return;
    }
    std::vector<ArrayView> views;
    std::ranges::transform(array.parts, std::back_inserter(views), &format::ArrayPart::elements);
    const auto fill = store::declared_fill(array.info.attributes);
    const transform::TileOptions options =
        value_or_raise(transform::resolve_bound(views, {.bound = bound, .fill = fill}));
    array.round = [options](const MutableArrayView& elements) { transform::round_in_place(elements, options); };
    array.error = codecs::to_string(bound);
}

}  // namespace

void append_step(format::RecordingWriter& recording, const ReadStep& step, std::span<const std::string> variables,
                 const BoundOf& bound_of) {
    std::vector<View> held;
    format::StepToStore all{.number = step.index(), .attributes = step.attributes(), .arrays = {}};
    for (const std::string& name : variables) {
        const Variable variable = step.variable(name);
        all.arrays.push_back(array_of(variable, held));
        take_bound(bound_of(variable), all.arrays.back());
    }
    value_or_raise(recording.append(all));
}

}  // namespace staithe::stream
