#include "stream/recording/appending.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "format/blosc.hpp"
#include "store/block.hpp"
#include "stream/recording/local_rows.hpp"
#include "transform/bound.hpp"
#include "transform/codec.hpp"
#include "transform/helpers.hpp"
#include "transform/rounding.hpp"

namespace staithe::stream {
namespace {

using base::value_or_raise;

/// How files are compressed where nobody says otherwise.
bool is_of_stock_tools(const std::string& codec) { return codec.empty() || format::find_blosc_way(codec) != nullptr; }

/// Its blocks as they lie in the memory of who wrote them; `held` keeps them.
format::ArrayToStore array_of(const Variable& variable, std::vector<View>& held) {
    const std::vector<BlockInfo> blocks = variable.blocks();
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

void check_name_of_rows(std::span<const std::string> variables, const std::string& variable) {
    const std::string name = rows_name(variable);
    if (std::ranges::find(variables, name) != variables.end()) {
        base::raise({ErrorCode::invalid_argument,
                     fmt::format("'{}' is local arrays, and a file has '{}' for how many rows each rank has: call the "
                                 "variable of that name otherwise",
                                 base::printable(variable), base::printable(name))});
    }
}

/// A bound that is a share of the range of all values, of which the chunks have a part each, becomes an absolute one.
codecs::Bound bound_of_chunks(const codecs::Bound& bound, const transform::TileOptions& options) {
    if (bound.kind != codecs::Bound::Kind::relative) {
        return bound;
    }
    return options.bound > 0.0 ? codecs::Bound::absolute(options.bound) : codecs::Bound::exact();
}

void compress(const codecs::Bound& bound, const std::string& codec, format::ArrayToStore& array) {
    const bool is_exact = bound.kind == codecs::Bound::Kind::exact;
    if (array.parts.empty() || (is_exact && codec.empty())) {
        return;
    }
    const bool is_stock = is_of_stock_tools(codec);
    array.packing = is_stock ? format::Packing::blosc : format::Packing::payload;
    array.error = bound;
    array.coding.codec = codec;
    std::vector<ArrayView> views;
    std::ranges::transform(array.parts, std::back_inserter(views), &format::ArrayPart::elements);
    const auto fill = store::declared_fill(array.info.attributes);
    const transform::TileOptions options = value_or_raise(
        transform::resolve_bound(views, {.bound = bound, .fill = fill, .threads = transform::background_threads}));
    if (!is_stock) {
        const bool can_be_off = transform::can_be_rounded(array.info.dtype);
        array.coding = {.codec = codec,
                        .mode = codecs::Mode::automatic,
                        .bound = can_be_off ? bound_of_chunks(bound, options) : codecs::Bound::exact(),
                        .fill = fill};
    } else if (!is_exact) {
        array.round = [options](const MutableArrayView& to, const ArrayView& from) {
            transform::round_values(to, from, options);
        };
    }
}

}  // namespace

base::Result<> check_file_codec(const std::string& codec, const Errors& errors) {
    if (is_of_stock_tools(codec)) {
        return {};
    }
    const auto found = transform::find_codec(codec);
    if (!found) {
        return base::fail(found.error().code, "{}; 'blosc' and 'blosc+zstd' are what any tool reads",
                          found.error().message);
    }
    for (const auto& [name, bound] : errors) {
        if (bound.kind == codecs::Bound::Kind::pointwise_relative && (*found)->describe().lossy) {
            return base::fail(ErrorCode::invalid_argument,
                              "the codec '{}' keeps no error of '{}', which is asked for of '{}': name 'blosc', or "
                              "one that is exact by itself, such as 'shuffle+zstd'",
                              codec, codecs::to_string(bound), base::printable(name));
        }
    }
    return {};
}

void append_step(format::RecordingWriter& recording, const ReadStep& step, std::span<const std::string> variables,
                 const Compression& compression) {
    const auto held = std::make_shared<std::vector<View>>();
    format::StepToStore all{.number = step.index(), .attributes = step.attributes(), .arrays = {}};
    for (const std::string& name : variables) {
        const Variable variable = step.variable(name);
        const bool is_rows = variable.is_local() && step.writers() > 1;
        if (is_rows) {
            check_name_of_rows(variables, name);
            all.arrays.push_back(rows_of_ranks(variable, step.writers(), *held));
        }
        all.arrays.push_back(is_rows ? rows_together(variable, *held) : array_of(variable, *held));
        all.arrays.back().keeps = held;
        compress(compression.bound_of(variable), compression.codec, all.arrays.back());
    }
    value_or_raise(recording.append(all));
}

}  // namespace staithe::stream
